// Records what a first visit runs: `cargo xtask profile` writes js/split/first-visit.txt with it, from the page in dist/.
import { readFileSync, writeFileSync } from 'node:fs';
import { fresh, launch, open } from '../../e2e/browser.mjs';
import { converge } from '../../e2e/drive.mjs';
import { serve } from '../../e2e/server.mjs';
import { instrumented, written } from './profile.mjs';

const HEAD = '# What a first visit runs, function by function: written by `cargo xtask profile`, read by js/split/split.mjs.\n';

/** Visits that count as a first one: each shows the page and brings its manifest to rest; one opens the editor then. */
const VISITS = [
  { locale: 'ko-KR', edits: true },
  { locale: 'en-GB', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: 'dark' },
];

/** Opens the editor, which should need no more than its own script. */
async function edit(page) {
  await page.locator('.yamlw ol').click();
  await page.locator('.live .cm-content').waitFor();
}

const [whole, out] = process.argv.slice(2);
const { bytes, rows, count } = instrumented(readFileSync(whole));
const site = await serve('dist', (name, plain) => {
  if (name.endsWith('_bg.wasm')) return bytes;
  if (!/^loopscope-\w+\.js$/.test(name)) return plain;
  const imports = String(plain).replace('"./loopscope_bg.js":', '"./hit.js":{hit:(i)=>{globalThis.__hits[i]=1}},"./loopscope_bg.js":');
  return Buffer.from(`globalThis.__hits=new Uint8Array(${count});${imports}`);
});
const hits = new Uint8Array(count);
const browser = await launch();
try {
  for (const { edits, ...visit } of VISITS) {
    const { page, context, complaints } = await fresh(browser, visit);
    await open(page, site.url);
    if (!(await converge(page))) throw new Error('the page did not converge');
    if (edits) await edit(page);
    if (complaints.length) throw new Error(complaints.join('\n'));
    for (const i of await page.evaluate(() => Array.from(globalThis.__hits.keys()).filter((i) => globalThis.__hits[i]))) hits[i] = 1;
    await context.close();
  }
} finally {
  await browser.close();
  await site.close();
}
writeFileSync(out, HEAD + written(rows, hits));
console.log(`${hits.reduce((sum, hit) => sum + hit, 0)} of ${count} places ran; written to ${out}`);
