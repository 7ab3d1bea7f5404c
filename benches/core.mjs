// The page's own wasm, loaded by Node.js without a page: the same bytes, the same glue, main() finds nothing to show.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

let copies = 0;

/** A new instance of the built page's core: its exports and its memory. */
export async function core(dist = 'dist') {
  const html = readFileSync(resolve(dist, 'index.html'), 'utf8');
  const named = (pattern) => pattern.exec(html)?.[1];
  const glue = named(/from\s*['"]\.\/(loopscope-[\w-]+\.js)['"]/), first = named(/(loopscope-\w+_bg\.wasm)/), rest = named(/"(loopscope-\w+_rest)"/);
  if (!glue || !first) throw new Error(`${dist}/index.html does not name the program`);
  const script = resolve(dist, glue);
  // The second half, where there is one.
  const sharer = /["']\.\/(snippets\/[^"']+\/rest\.js)["']/.exec(readFileSync(script, 'utf8'))[1];
  const { provide } = await import(pathToFileURL(resolve(dist, sharer)));
  if (rest) provide(new WebAssembly.Module(readFileSync(resolve(dist, `${rest}.wasm`))));
  // Another query is another module, so that a trapped instance does not spoil the next one.
  const module = await import(`${pathToFileURL(script).href}?${copies++}`);
  const { memory } = module.initSync({ module: readFileSync(resolve(dist, first)) });
  return { ...module, memory };
}

/** What a failed call says, whether it was refused or trapped. */
export function said(error) {
  return typeof error === 'string' ? error : String(error?.message ?? error);
}
