// The editor's bundle alone, loaded by the built page under its own policy.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, fresh, launch, open } from './browser.mjs';
import { serve } from './server.mjs';

let browser, site;
before(async () => { browser = await launch(); site = await serve('dist'); });
after(async () => { await browser?.close(); await site?.close(); });

const TEXT = 'apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: 3\n';

/** CodeMirror ignores keys that come with the list: for the page it is a second later. */
const later = (page) => page.evaluate(() => { const now = Date.now; Date.now = () => now.call(Date) + 1000; });

/** Opens the page and mounts an editor of its own in it; `window.heard` collects what it says. */
async function mounted(text = TEXT, options = {}) {
  const { page, context, complaints } = await fresh(browser, options);
  await open(page, site.url);
  await page.evaluate(async (text) => {
    const name = `${document.querySelector('meta[name="loopscope-editor"]').content}.js`;
    const { mount } = await import(new URL(name, document.baseURI));
    document.body.innerHTML = '<main><h1>An editor</h1><div id="host" style="height: 300px"></div></main>';
    window.heard = [];
    window.editor = mount(document.getElementById('host'), {
      text, label: 'manifest',
      onChange: (now) => window.heard.push(['changed', now]),
      onApply: () => window.heard.push(['apply']),
      schema: (question) => {
        window.heard.push(['schema', ...question.split('\n')]);
        return 'replicas\tint32\t\nselector\tmeta.v1.LabelSelector\to\n';
      },
    });
  }, text);
  return { page, context, complaints };
}

test('typing is told, what the page sets is not', async () => {
  const { page, context, complaints } = await mounted('a: 1');
  await page.getByRole('textbox', { name: 'manifest' }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('2');
  await page.evaluate(() => window.editor.setText('b: 3'));
  assert.deepEqual(await page.evaluate(() => window.heard), [['changed', 'a: 12']]);
  assert.equal(await page.evaluate(() => window.editor.text()), 'b: 3');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('Ctrl with Enter applies', async () => {
  const { page, context } = await mounted();
  await page.getByRole('textbox', { name: 'manifest' }).click();
  await page.keyboard.press('Control+Enter');
  assert.deepEqual(await page.evaluate(() => window.heard), [['apply']]);
  await context.close();
});

test('an error stands under its line, verbatim, underlined where it is', async () => {
  const { page, context, complaints } = await mounted();
  await page.evaluate(() => window.editor.setErrors(JSON.stringify([{ line: 4, column: 13, message: 'yaml: line 4: found character that cannot start any token', help: 'A tab.' }])));
  assert.equal(await page.locator('.cm-said code').textContent(), 'yaml: line 4: found character that cannot start any token');
  assert.match(await page.locator('.cm-badLine').textContent(), /replicas/);
  assert.equal(await page.locator('.cm-lintRange-error').textContent(), '3');
  await page.evaluate(() => window.editor.setErrors([]));
  assert.equal(await page.locator('.cm-said').count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a completion is asked by kind and path and put in its place', async () => {
  const { page, context } = await mounted('apiVersion: apps/v1\nkind: Deployment\nspec:\n  가: 1\n');
  await page.getByRole('textbox', { name: 'manifest' }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('  sel');
  await page.locator('.cm-tooltip-autocomplete li').waitFor();
  const asked = await page.evaluate(() => window.heard.filter((h) => h[0] === 'schema').at(-1));
  assert.deepEqual(asked, ['schema', 'apps/v1', 'Deployment', 'spec']);
  await later(page);
  await page.keyboard.press('Enter');
  await page.keyboard.type('matchLabels');
  assert.equal(await page.evaluate(() => window.editor.text()), 'apiVersion: apps/v1\nkind: Deployment\nspec:\n  가: 1\n  selector:\n    matchLabels');
  await context.close();
});

test("the page's own schema completes fields and values", async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  await page.locator('.yamlw ol').click();
  const box = page.locator('.live .cm-content');
  await box.waitFor();
  await box.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n      containers:\n      - name: a\n        ');
  const offered = async (typed) => {
    await page.keyboard.type(typed);
    await page.keyboard.press('Control+Space');
    await page.locator('.cm-tooltip-autocomplete li').first().waitFor();
    return page.locator('.cm-tooltip-autocomplete .cm-completionLabel').allInnerTexts();
  };
  assert.deepEqual((await offered('imag')).slice(0, 2), ['image', 'imagePullPolicy']);
  await page.keyboard.type('ePullPolicy');
  await page.keyboard.press('Escape');
  assert.deepEqual(await offered(': '), ['Always', 'IfNotPresent', 'Never']);
  await later(page);
  await page.keyboard.press('Enter');
  assert.deepEqual(complaints, []);
  await context.close();
});

test('columns count characters, not UTF-16 units', async () => {
  const { page, context } = await mounted('a: "🚀🚀" x\n');
  await page.evaluate(() => window.editor.setErrors([{ line: 1, column: 9, endColumn: 10, message: 'here' }]));
  assert.equal(await page.locator('.cm-lintRange-error').textContent(), 'x');
  await context.close();
});

test('a writer marks the gutter of its line', async () => {
  const { page, context } = await mounted();
  await page.evaluate(() => window.editor.setWriters([{ line: 4, writer: 'me', label: 'you' }, { line: 99, writer: 'rs', label: 'no such line' }]));
  assert.deepEqual(await page.locator('.cm-edge').evaluateAll((all) => all.map((e) => e.title)), ['you']);
  await context.close();
});

test('locked, it refuses typing and still can be read and selected', async () => {
  const { page, context } = await mounted('a: 1');
  await page.evaluate(() => window.editor.setReadOnly(true));
  await page.getByRole('textbox', { name: 'manifest' }).click();
  await page.keyboard.type('x');
  assert.equal(await page.evaluate(() => window.editor.text()), 'a: 1');
  await context.close();
});

test('the search panel opens, and axe finds nothing in both themes', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page, context, complaints } = await mounted(TEXT, { colorScheme });
    await page.getByRole('textbox', { name: 'manifest' }).click();
    await page.keyboard.press('Control+f');
    await page.locator('.cm-search').waitFor();
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(complaints, []);
    await context.close();
  }
});
