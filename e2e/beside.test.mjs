// Two worlds side by side, in a real Chromium: the edge-triggered twin, and the branch that a fork left.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, fresh, launch, open, sideways } from './browser.mjs';
import { STATES, key, kubectl, scenario, settled } from './drive.mjs';
import { serve } from './server.mjs';

let browser, site;
before(async () => { browser = await launch(); site = await serve('dist'); });
after(async () => { await browser?.close(); await site?.close(); });

const pods = (page, board) => page.locator(`${board} .pod:not(.want, .space)`).count();

for (const [width, height] of [[1440, 900], [390, 844]]) {
  test(`after a lost event the real loop heals and the twin does not, at ${width}×${height}`, async () => {
    const phone = width < 768 ? { hasTouch: true, isMobile: true } : {};
    const { page, context, complaints } = await fresh(browser, { viewport: { width, height }, ...phone });
    await open(page, site.url);
    await STATES.edge(page);
    await key(page, 'Space');
    assert.ok(await settled(page));
    assert.deepEqual([await pods(page, '#board'), await pods(page, '.beside')], [3, 2]);
    assert.match(await page.locator('#board .says').innerText(), /3 of 3/);
    assert.match(await page.locator('.beside .says.bad').innerText(), /ledger says 3, there are 2/);
    assert.deepEqual([await axe(page), await sideways(page), complaints], [[], [], []]);
    await context.close();
  });
}

test('a branch that was left stands beside, and one can change over to it', async () => {
  const { page, context } = await fresh(browser);
  await open(page, site.url);
  await scenario(page, 1);
  await kubectl(page, 'scale deployment web --replicas=2');
  await key(page, 'Space');
  assert.ok(await settled(page));
  await page.getByRole('slider').first().focus();
  await page.keyboard.press('Home');
  await key(page, 'f');
  assert.deepEqual([await pods(page, '#board'), await pods(page, '.beside')], [3, 2]);
  await page.locator('.beside .acts2 button').first().click();
  assert.deepEqual([await pods(page, '#board'), await pods(page, '.beside')], [2, 3]);
  await page.locator('.beside .acts2 button').last().click();
  assert.equal(await page.locator('.beside').count(), 0);
  await context.close();
});
