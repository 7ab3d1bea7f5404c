// Trunk's post_build hook (`cargo xtask finish-page`): bundles the editor beside the page, minifies the scripts of a release
// and writes the content security policy. Nothing may change an inline script after this.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, transform } from 'esbuild';

/** The policy of a page whose inline scripts are `scripts`. */
export function policy(scripts) {
  const hashes = scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return [
    "default-src 'none'",
    ["script-src 'self' 'wasm-unsafe-eval'", ...hashes].join(' '),
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'", // Yew's style attributes; style elements stay forbidden.
    "img-src 'self' data:", // The editor's underlines are data: images.
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** The texts of the inline scripts of `html`, exactly as a browser hashes them. */
export function inlineScripts(html) {
  return [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)].filter((m) => !/\ssrc\s*=/i.test(m[1])).map((m) => m[2]);
}

/**
 * `html` with its policy and the names of what is fetched later, without their extensions: the editor and the program's second module (a
 * release has one), the service worker, and the style sheet of what comes later. They come after the character set and before everything that a policy governs.
 */
export function finished(html, editor, rest, worker, styles) {
  // `trunk serve` puts its own address in only while serving, which would break the hash: the page's own address is the same one.
  html = html.replaceAll("'{{__TRUNK_ADDRESS__}}'", 'location.host').replaceAll('"{{__TRUNK_ADDRESS__}}"', 'location.host').replaceAll('{{__TRUNK_WS_BASE__}}', '/');
  const charset = /<meta\s+charset=[^>]*>/i;
  if (!charset.test(html)) throw new Error('index.html has no <meta charset>');
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy(inlineScripts(html))}"><meta name="loopscope-editor" content="${stem(editor)}">${rest ? `<meta name="loopscope-rest" content="${stem(rest)}">` : ''}${styles ? `<meta name="loopscope-later" content="${stem(styles)}">` : ''}${worker ? `<meta name="loopscope-worker" content="${stem(worker)}">` : ''}`;
  return html.replace(charset, (found) => found + meta);
}

const stem = (name) => name.slice(0, name.lastIndexOf('.'));

async function bundleEditor(folder, release) {
  const built = await build({
    entryPoints: ['js/src/editor.js'], outdir: folder, entryNames: '[name]-[hash]',
    bundle: true, format: 'esm', target: 'es2022', minify: release, metafile: true, logLevel: 'warning', legalComments: 'none',
  });
  return basename(Object.keys(built.metafile.outputs)[0]);
}

async function minify(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js') || entry.name.startsWith('editor-')) continue;
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const { code } = await transform(readFileSync(path, 'utf8'), { minify: true, format: 'esm', target: 'es2022', legalComments: 'none' });
    writeFileSync(path, code);
  }
}

const hashed = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

/** The page with its style sheets as one: fewer bytes, and one request. */
function oneSheet(folder, html) {
  const links = [...html.matchAll(/<link href=\.\/([^ >]*\.css)[^>]*>/g)];
  const sheet = Buffer.concat(links.map(([, name]) => readFileSync(join(folder, name))));
  links.forEach(([, name]) => unlinkSync(join(folder, name)));
  const name = `style-${hashed(sheet)}.css`;
  writeFileSync(join(folder, name), sheet);
  return links.reduce((text, [link], n) => text.replace(link, n ? '' : `<link href=./${name} rel=stylesheet>`), html);
}

/** `bytes` made small by Binaryen, with its names, by which js/split knows the functions; about 80 s. */
function shrunk(bytes) {
  const folder = mkdtempSync(join(tmpdir(), 'loopscope-'));
  try {
    const [before, after] = ['before.wasm', 'after.wasm'].map((name) => join(folder, name));
    writeFileSync(before, bytes);
    const tool = new URL('../node_modules/binaryen/bin/wasm-opt', import.meta.url);
    // Functions with one caller stay apart: V8 compiles the hot ones, which must be small for that, and js/split leaves the others for later.
    const options = ['-Oz', '-g', '--one-caller-inline-max-function-size=0'];
    // What one round leaves is smaller after another.
    for (const from of [before, after]) {
      const { status } = spawnSync(process.execPath, [fileURLToPath(tool), ...options, from, '-o', after], { stdio: 'inherit' });
      if (status !== 0) throw new Error(`wasm-opt ended with ${status}`);
    }
    return readFileSync(after);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Makes the program small and cuts it in two (see split/); returns the page with the first module's new name, and the second one's.
 * Where RUSTFLAGS took the place of .cargo/config.toml there is nothing to go by, and the program stays whole.
 */
async function halved(folder, html, target) {
  const { kept } = await import('./split/profile.mjs');
  const { split } = await import('./split/split.mjs');
  const { bare, linked } = await import('./split/linked.mjs');
  const whole = readdirSync(folder).find((name) => name.endsWith('_bg.wasm'));
  const bytes = shrunk(bare(readFileSync(join(folder, whole))));
  // Beside the page's sources, for `cargo xtask profile`: the names in it are no use to a visitor.
  writeFileSync(join(target, 'loopscope-whole.wasm'), bytes);
  const known = linked(readFileSync(join(target, 'wasm32-unknown-unknown', 'release', 'loopscope.wasm')));
  if (!known) {
    console.warn('finish-page: the program was linked without --emit-relocs (is RUSTFLAGS set?), so it is not cut in two: a first visit fetches all of it');
    writeFileSync(join(folder, whole), bytes);
    return [html];
  }
  const parts = split(bytes, kept(readFileSync(new URL('split/first-visit.txt', import.meta.url), 'utf8')), known);
  const first = `loopscope-${hashed(parts.first)}_bg.wasm`, rest = `loopscope-${hashed(parts.rest)}_rest.wasm`;
  unlinkSync(join(folder, whole));
  writeFileSync(join(folder, first), parts.first);
  writeFileSync(join(folder, rest), parts.rest);
  return [html.replaceAll(whole, first), rest];
}

const WORKER = 'worker.js';

/** The style sheet of what a first visit does not show gets a name that changes with it. */
function laterStyles(folder) {
  const plain = join(folder, 'later.css');
  const name = `later-${hashed(readFileSync(plain))}.css`;
  renameSync(plain, join(folder, name));
  return name;
}

/** The service worker of the finished page in `folder`: it keeps every file there. */
async function worker(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) => e.isFile());
  const files = entries.map((e) => relative(folder, join(e.parentPath ?? e.path, e.name)).replaceAll('\\', '/')).filter((name) => name !== WORKER).sort();
  const version = hashed(Buffer.concat(files.map((name) => Buffer.from(hashed(readFileSync(join(folder, name)))))));
  const kept = files.map((name) => (name === 'index.html' ? './' : name));
  const source = readFileSync(new URL('src/worker.js', import.meta.url), 'utf8');
  const { code } = await transform(source, { minify: true, target: 'es2022', define: { FILES: JSON.stringify(kept), VERSION: JSON.stringify(version) } });
  return code;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder, target] = process.argv.slice(2);
  const release = process.env.TRUNK_PROFILE !== 'debug';
  const page = join(folder, 'index.html');
  if (release) await minify(folder);
  const [html, rest] = release ? await halved(folder, readFileSync(page, 'utf8'), target) : [readFileSync(page, 'utf8')];
  const editor = await bundleEditor(folder, release);
  writeFileSync(page, finished(release ? oneSheet(folder, html) : html, editor, rest, release && WORKER, laterStyles(folder)));
  if (release) writeFileSync(join(folder, WORKER), await worker(folder));
}
