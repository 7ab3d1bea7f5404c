// What a first visit fetches: everything that Chromium asks for from navigation until the page's own manifest has converged, the editor
// unopened; then what opening the editor adds. Each file compressed alone, as a host does; 1 KB = 1,000 bytes.
import { fresh, launch, open } from './browser.mjs';
import { converge } from './drive.mjs';
import { serve } from './server.mjs';
import { sum, weighed } from './weight.mjs';

const json = process.argv.includes('--json');
const kb = (bytes) => Math.round(bytes / 100) / 10;

const site = await serve('dist');
const browser = await launch();
try {
  const { page } = await fresh(browser);
  await open(page, site.url);
  const settled = await converge(page);
  const visited = [...site.served];
  // Opened as a visitor does, before anything else is fetched.
  await page.locator('.yamlw ol').click();
  await page.locator('.live .cm-content').waitFor();
  // Weighed only now, as that takes a while, in which the rest of the program would be fetched.
  const opened = [...site.served].filter(([name]) => !visited.some(([seen]) => seen === name));
  const first = visited.map(weighed), editor = opened.map(weighed);
  if (!editor.length) throw new Error('the editor was fetched before it was opened');
  const report = {
    first_load_kb: kb(sum(first, 'brotli')), editor_kb: kb(sum(editor, 'brotli')),
    first_load_gzip_kb: kb(sum(first, 'gzip')), editor_gzip_kb: kb(sum(editor, 'gzip')), settled, files: [...first, ...editor],
  };
  if (!settled) console.error('size: the page did not say that it had converged; counted until it was given up');
  if (json) console.log(JSON.stringify(report));
  else {
    console.log(`${'file'.padEnd(44)} ${'bytes'.padStart(9)} ${'gzip'.padStart(9)} ${'brotli'.padStart(9)}`);
    for (const f of report.files) console.log(`${f.name.padEnd(44)} ${String(f.raw).padStart(9)} ${String(f.gzip).padStart(9)} ${String(f.brotli).padStart(9)}`);
    console.log(`first load ${report.first_load_kb} KB brotli (${report.first_load_gzip_kb} gzip), the editor ${report.editor_kb} KB more (${report.editor_gzip_kb})`);
  }
} finally {
  await browser.close();
  await site.close();
}
