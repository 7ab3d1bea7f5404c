// Without a network: after a first visit, and from one file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { bundled } from '../js/bundle.mjs';
import { fresh, launch, open } from './browser.mjs';
import { converge, fast, kubectl } from './drive.mjs';
import { serve } from './server.mjs';

let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser?.close(); });

/** Whether the page is kept in this browser, within ten seconds. */
const kept = () => Promise.race([navigator.serviceWorker.ready.then(() => true), new Promise((done) => setTimeout(() => done(false), 10_000))]);

/** Applies, converges, asks kubectl and opens the editor. */
async function everything(page) {
  await fast(page);
  assert.ok(await converge(page));
  await kubectl(page, 'get pods');
  await page.getByText('1/1').first().waitFor();
  await page.locator('.yamlw ol').click();
  await page.locator('.live .cm-content').waitFor();
}

test('after a first visit the page opens and does everything without a network', async (t) => {
  const site = await serve('dist');
  const { page, context, complaints } = await fresh(browser);
  t.after(() => context.close());
  await open(page, site.url);
  await fast(page);
  assert.ok(await converge(page));
  assert.ok(await page.evaluate(kept), 'the page is kept');
  await site.close();
  await open(page, `${site.url}?fresh=1`);
  assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null), 'from the cache');
  await everything(page);
  assert.deepEqual(complaints, []);
});

test('one HTML file holds the whole page and opens from a disk', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'loopscope-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'loopscope.html');
  writeFileSync(file, await bundled('dist'));
  const { page, context, complaints } = await fresh(browser);
  const asked = [];
  page.on('request', (r) => { if (!r.url().startsWith('data:')) asked.push(r.url()); });
  await open(page, pathToFileURL(file).href);
  await everything(page);
  assert.deepEqual([complaints, asked], [[], [pathToFileURL(file).href]]);
  await context.close();
});
