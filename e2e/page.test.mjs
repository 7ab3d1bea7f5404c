// The built page, opened from a sub-path in a real Chromium.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, fresh, launch, open, sideways } from './browser.mjs';
import { serve } from './server.mjs';

let browser, site;
before(async () => { browser = await launch(); site = await serve('dist'); });
after(async () => { await browser?.close(); await site?.close(); });

/** What the page tells comes through a binding, a moment later. */
async function complained(complaints, directive) {
  for (let i = 0; i < 100 && !complaints.some((c) => c.startsWith(`policy: ${directive}`)); i++) await new Promise((r) => setTimeout(r, 50));
}

test('the page opens from a sub-path without a complaint, and fetches no editor', async () => {
  const { page, context, complaints } = await fresh(browser);
  const fetched = [];
  page.on('request', (r) => fetched.push(new URL(r.url())));
  await open(page, site.url);
  assert.match(await page.title(), /Loopscope/);
  assert.deepEqual(complaints, []);
  assert.deepEqual(fetched.filter((u) => u.host !== new URL(site.url).host).map(String), [], 'own origin only');
  assert.deepEqual(fetched.filter((u) => /\/editor-/.test(u.pathname)).map(String), [], 'the editor is lazy');
  await context.close();
});

test('a broken policy is seen', async () => {
  const broken = await serve('dist', (name, bytes) => (name === 'index.html' ? String(bytes).replace(/ 'sha256-[^']*'/, '') : bytes));
  const { page, context, complaints } = await fresh(browser);
  await page.goto(broken.url);
  await complained(complaints, 'script-src-elem');
  assert.ok(complaints.some((c) => c.startsWith('policy: script-src-elem')), `complaints were ${JSON.stringify(complaints)}`);
  await context.close();
  await broken.close();
});

test('the policy refuses other hosts and inline styles', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  const answers = await page.evaluate(async () => {
    const fetched = await fetch('https://example.com/').then(() => 'let in', () => 'refused');
    const style = document.createElement('style');
    style.textContent = 'body { outline: 3px solid red }';
    document.head.append(style);
    return [fetched, getComputedStyle(document.body).outlineStyle];
  });
  assert.deepEqual(answers, ['refused', 'none']);
  for (const directive of ['connect-src', 'style-src-elem']) await complained(complaints, directive);
  for (const directive of ['connect-src', 'style-src-elem']) assert.ok(complaints.some((c) => c.startsWith(`policy: ${directive}`)), JSON.stringify(complaints));
  await context.close();
});

for (const [name, width, height] of [['desktop', 1440, 900], ['tablet', 1024, 768], ['phone', 390, 844]]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`nothing for axe to find and no sideways scroll: ${name}, ${colorScheme}`, async () => {
      const phone = name === 'phone' ? { hasTouch: true, isMobile: true, deviceScaleFactor: 2 } : {};
      const { page, context, complaints } = await fresh(browser, { viewport: { width, height }, colorScheme, ...phone });
      await open(page, site.url);
      assert.deepEqual(await axe(page), []);
      assert.deepEqual(await sideways(page), []);
      assert.deepEqual(complaints, []);
      await context.close();
    });
  }
}
