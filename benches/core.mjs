// The page's own wasm, loaded by Node.js without a page: the same bytes, the same glue, main() finds nothing to show.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

let copies = 0;

/** A new instance of the built page's core: its exports and its memory. */
export async function core(dist = 'dist') {
  const glue = /from\s*['"]\.\/(loopscope-[\w-]+\.js)['"]/.exec(readFileSync(resolve(dist, 'index.html'), 'utf8'))?.[1];
  if (!glue) throw new Error(`${dist}/index.html names no program`);
  const bytes = readFileSync(resolve(dist, glue.replace(/\.js$/, '_bg.wasm')));
  // Another query is another module, so that a trapped instance does not spoil the next one.
  const module = await import(`${pathToFileURL(resolve(dist, glue)).href}?${copies++}`);
  const { memory } = module.initSync({ module: bytes });
  return { ...module, memory };
}

/** What a failed call says, whether it was refused or trapped. */
export function said(error) {
  return typeof error === 'string' ? error : String(error?.message ?? error);
}
