// What goes wrong: the core breaks, links are tampered with, manifests are hostile. Nothing that a person wrote is lost.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { fresh, launch, open } from './browser.mjs';
import { key } from './drive.mjs';
import { serve } from './server.mjs';

let browser, site;
before(async () => { browser = await launch(); site = await serve('dist'); });
after(async () => { await browser?.close(); await site?.close(); });

const at = (page, n) => page.waitForFunction((n) => Number(document.documentElement.dataset.step) === n, n);

/** Opens the page, applies, and takes two steps. */
async function begun(page) {
  await open(page, site.url);
  await key(page, 'Control+Enter');
  await key(page, 's', 2);
  await at(page, 3);
}

/** This moment as a link. */
async function linkOf(page) {
  await page.locator('.share').click();
  const link = await page.locator('.shr input[readonly]').inputValue();
  await page.keyboard.press('Escape');
  return link;
}

/** Waits until the browser keeps what the link holds. */
const keeps = (page, link) => page.waitForFunction((kept) => localStorage.getItem('loopscope.run') === kept, plain(link));

/** A page whose program's memory a test can reach, three steps into a run. */
async function running() {
  const made = await fresh(browser);
  await made.page.addInitScript(() => {
    // Where the program's own data says `4Gi`, before anything runs: the memory of the page's nodes.
    const places = (bytes) => { const at = []; for (let i = bytes.indexOf(0x34); i >= 0; i = bytes.indexOf(0x34, i + 1)) if (bytes[i + 1] === 0x47 && bytes[i + 2] === 0x69) at.push(i); return at; };
    const keep = (how) => async (...args) => {
      const made = await how.apply(WebAssembly, args);
      window.__memory = (made.instance ?? made).exports.memory;
      window.__places = places(new Uint8Array(window.__memory.buffer));
      return made;
    };
    WebAssembly.instantiateStreaming = keep(WebAssembly.instantiateStreaming);
    WebAssembly.instantiate = keep(WebAssembly.instantiate);
  });
  await begun(made.page);
  return made;
}

/** The panel, and the way back. */
async function reopened(page, step, said) {
  const panel = page.locator('#mishap');
  await panel.waitFor({ state: 'visible' });
  assert.match(await panel.innerText(), said);
  await panel.getByRole('link', { name: 'Open again before the last action' }).click();
  await at(page, step);
  await page.waitForFunction(() => 'ready' in document.documentElement.dataset);
  assert.equal(await page.locator('#mishap:visible').count(), 0);
  await key(page, 's');
  await at(page, step + 1);
}

test('a panic shows its message and offers the run before the last action', async () => {
  const { page, context } = await running();
  // This moment is kept while all is well.
  await page.waitForFunction(() => JSON.parse(localStorage.getItem('loopscope.run') ?? '{"actions":[]}').actions.reduce((sum, [times]) => sum + times, 0) === 3);
  // The program's own data is spoiled: nodes with a memory that is no quantity, which the core takes for impossible.
  assert.ok(await page.evaluate(() => { for (const i of window.__places) new Uint8Array(window.__memory.buffer)[i + 1] = 0x5a; return window.__places.length; }) > 0);
  await page.locator('header [aria-haspopup="menu"]').first().click();
  await page.getByRole('menuitem').nth(1).click();
  await reopened(page, 3, /The simulator has stopped[^]*panicked/);
  await context.close();
});

test('a trap that no panic announces shows the panel, too', async () => {
  const { page, context } = await running();
  await page.evaluate(() => new Uint8Array(window.__memory.buffer).fill(0xff));
  await page.keyboard.press('t');
  await reopened(page, 2, /The simulator has stopped/);
  await context.close();
});

test('a tampered link says so and opens nothing; the kept run stays', async () => {
  const { page, context, complaints } = await fresh(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  await begun(page);
  const link = await linkOf(page);
  await keeps(page, link);
  const bad = [link.slice(0, -9), link.replace(/#r=(.)/, (m, c) => `#r=${c === 'A' ? 'B' : 'A'}`), `${link.split('#')[0]}#r=`, `${link.split('#')[0]}#r=%00<b>`];
  for (const url of bad) {
    await page.goto('about:blank');
    await open(page, url);
    assert.match(await page.locator('.notice').innerText({ timeout: 3_000 }).catch(() => `nothing for ${url}`), /This link cannot be read/);
    await at(page, 3);
  }
  await page.goto('about:blank');
  await open(page, link);
  await at(page, 3);
  assert.equal(await page.locator('.notice').count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();
});

/** The checksum of a link: the core's own hash. */
function sum(bytes) {
  const u64 = (n) => BigInt.asUintN(64, n);
  let h = 0xcbf29ce484222325n;
  for (const b of bytes) h = u64((h ^ BigInt(b)) * 0x100000001b3n);
  h = u64((h ^ (h >> 30n)) * 0xbf58476d1ce4e5b9n);
  h = u64((h ^ (h >> 27n)) * 0x94d049bb133111ebn);
  h ^= h >> 31n;
  return [56n, 48n, 40n].map((at) => Number((h >> at) & 0xffn));
}

/** What a link holds, as the browser keeps it. */
function plain(link) {
  return inflateRawSync(Buffer.from(link.split('#r=')[1], 'base64url').subarray(3)).toString();
}

/** A whole link with something else in it. */
function changed(link, change) {
  const bytes = deflateRawSync(Buffer.from(plain(link).replace(...change)));
  return `${link.split('#r=')[0]}#r=${Buffer.concat([Buffer.from(sum(bytes)), bytes]).toString('base64url')}`;
}

test("a link that leads elsewhere opens its start and says so; one's own run waits in the menu", async () => {
  const { page, context, complaints } = await fresh(browser);
  await begun(page);
  const link = await linkOf(page);
  await key(page, 's');
  await at(page, 4);
  const own = await linkOf(page);
  await keeps(page, own);
  const rows = [
    [[/"hash":\d+/, '"hash":1'], /does not lead to the state it names/, 0],
    [[/"core":"[^"]*"(.*)"hash":\d+/, '"core":"0.0.1"$1"hash":1'], /made by version 0\.0\.1.*Its start state is open/, 0],
    [[/"core":"[^"]*"/, '"core":"0.0.1"'], null, 3],
  ];
  for (const [change, said, steps] of rows) {
    await page.goto('about:blank');
    await open(page, changed(link, change));
    await at(page, steps);
    if (said) assert.match(await page.locator('.notice').innerText(), said);
    else assert.equal(await page.locator('.notice').count(), 0);
    await page.locator('header [aria-haspopup="menu"]').first().click();
    await page.getByRole('menuitem', { name: /What I was doing/ }).click();
    await at(page, 4);
    assert.equal(await page.locator('.notice').count(), 0);
    await keeps(page, own);
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

const deep = `${Array.from({ length: 1_200 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')}\n`;
const flow = `a: ${'['.repeat(20_000)}\n`;
const bomb = `a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(', ')}]`).join('\n')}\n`;
const rows = [
  ['a tab', 'apiVersion: v1\nkind: Pod\nspec:\n\tcontainers: []\n', /line 4/],
  ['an unknown field', 'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  replica: 3\n', /replica/],
  ['an alias bomb', `apiVersion: v1\nkind: ConfigMap\n${bomb}`, /excessive aliasing[^]*line 3/i],
  ['deep nesting', deep, /max depth[^]*line 256/i],
  ['deep flow nesting', flow, /max depth[^]*line 1/i],
  ['bytes that are not text', 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: "a\u0000\u0001b"\n', /control characters[^]*line 4/i],
  ['10 MB', `# ${'x'.repeat(98)}\n`.repeat(100_000) + 'a: [\n', /the limit is 1000000[^]*line 9901/i],
];
for (const [name, text, said] of rows) {
  test(`${name} in the editor: a message with its line, and the text stays`, async () => {
    const { page, context, complaints } = await fresh(browser);
    await open(page, site.url);
    await page.locator('#edit, .yamlw ol').first().click();
    const box = page.locator('.live .cm-content');
    await box.waitFor();
    await box.click();
    await page.keyboard.press('Control+a');
    // As a paste does it: one insertion.
    await page.evaluate((text) => {
      let at = document.activeElement;
      while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      const data = new DataTransfer();
      data.setData('text/plain', text);
      at.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }, text);
    await page.keyboard.press('Control+Enter');
    const words = page.locator('.cm-said, .lint');
    await words.first().waitFor({ timeout: 20_000, state: 'attached' });
    assert.match(await words.first().innerText(), said);
    assert.match(await page.locator('.efoot').innerText(), /Nothing was stored/);
    assert.equal(await page.locator('#mishap:visible').count(), 0);
    await page.keyboard.press('Control+Home');
    await page.locator('.cm-line', { hasText: text.slice(0, 12).split('\n')[0] }).first().waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  });
}
