// The program comes in two halves: what a first visit runs, and the rest.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fresh, launch, open } from './browser.mjs';
import { converge, key, kubectl } from './drive.mjs';
import { serve } from './server.mjs';
import { sum, weighed } from './weight.mjs';

const FIRST_LOAD_MAX_BYTES = 400_000;
const isRest = (name) => name.endsWith('_rest.wasm');

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/** A fresh visit to a server of its own. */
async function visit(t, change) {
  const site = await serve('dist', change);
  const { page, context, complaints } = await fresh(browser);
  t.after(async () => { await context.close(); await site.close(); });
  return { page, site, complaints, rest: () => [...site.served.keys()].some(isRest) };
}

test('a first visit is light: it needs the first half alone, and the other comes when it has come to rest', async (t) => {
  const { page, site, complaints, rest } = await visit(t);
  const other = page.waitForResponse((response) => isRest(response.url()), { timeout: 120_000 });
  await open(page, site.url);
  assert.ok(await converge(page));
  assert.ok(!rest(), 'what a first visit runs has changed: record it with `cargo xtask profile`');
  const load = sum([...site.served].map(weighed), 'brotli');
  assert.ok(load <= FIRST_LOAD_MAX_BYTES, `a first load has ${load} bytes: what it runs is recorded anew by \`cargo xtask profile\``);
  await other;
  assert.deepEqual(complaints, []);
});

test('what a first visit does not do has the rest fetched at once', async (t) => {
  const { page, site, complaints, rest } = await visit(t);
  await open(page, site.url);
  assert.ok(!rest());
  await kubectl(page, 'get nodes');
  await page.getByText('node-1').first().waitFor();
  assert.ok(rest());
  assert.deepEqual(complaints, []);
});

test('where the rest cannot be fetched, the page says so and offers the way back', async (t) => {
  const { page, site } = await visit(t, (name, bytes) => { if (isRest(name)) throw new Error('gone'); return bytes; });
  await open(page, site.url);
  await key(page, '`');
  const panel = page.getByRole('alertdialog');
  await panel.waitFor();
  assert.match(await panel.innerText(), /the rest of the program could not be fetched: status 404/);
});
