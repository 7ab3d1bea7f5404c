// Trunk's post_build hook (`cargo xtask finish-page`): bundles the editor beside the page, minifies the scripts of a release
// and writes the content security policy. Nothing may change an inline script after this.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** `html` with its policy and the editor's file name, after the character set and before everything that a policy governs. */
export function finished(html, editor) {
  // `trunk serve` puts its own address in only while serving, which would break the hash: the page's own address is the same one.
  html = html.replaceAll("'{{__TRUNK_ADDRESS__}}'", 'location.host').replaceAll('"{{__TRUNK_ADDRESS__}}"', 'location.host').replaceAll('{{__TRUNK_WS_BASE__}}', '/');
  const charset = /<meta\s+charset=[^>]*>/i;
  if (!charset.test(html)) throw new Error('index.html has no <meta charset>');
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy(inlineScripts(html))}"><meta name="loopscope-editor" content="${editor}">`;
  return html.replace(charset, (found) => found + meta);
}

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

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = process.argv[2];
  const release = process.env.TRUNK_PROFILE !== 'debug';
  const page = join(folder, 'index.html');
  if (release) await minify(folder);
  writeFileSync(page, finished(readFileSync(page, 'utf8'), await bundleEditor(folder, release)));
}
