// One HTML file that opens from a disk, without a server or a network: `node js/bundle.mjs DIST OUT` puts a release build into it.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { inlineScripts } from './finish.mjs';

const MODULES = ['first', 'rest'];

/** The script that starts the page: the program's glue and the editor in one, the program itself read from the page. */
function entry(glue) {
  return `
import init from ${JSON.stringify(glue)};
import { provide } from 'loopscope-rest';
async function program(name) {
  const text = document.getElementById('program-' + name)?.textContent;
  if (!text) return;
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return WebAssembly.compile(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}
Promise.all(['first', 'rest'].map(program)).then(([first, rest]) => { if (rest) provide(rest); return init({ module_or_path: first }); });
`;
}

/** esbuild finds the page's own modules in the build, and the editor instead of what would fetch it. */
function parts(dist, editor) {
  const named = (end) => join(dist, readdirSync(dist, { recursive: true }).find((name) => name.endsWith(end)));
  return {
    name: 'parts',
    setup(build) {
      build.onResolve({ filter: /^loopscope-rest$/ }, () => ({ path: named('rest.js') }));
      build.onLoad({ filter: /load\.js$/ }, () => ({
        contents: `import * as editor from ${JSON.stringify(join(dist, editor))}; export const import_module = () => Promise.resolve(editor);`,
        resolveDir: dist,
      }));
    },
  };
}

const sha256 = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The release build in `dist` as one HTML file. */
export async function bundled(dist) {
  dist = realpathSync(dist); // esbuild goes by real names, and a module is itself only under one name.
  let html = readFileSync(join(dist, 'index.html'), 'utf8');
  const meta = (name) => html.match(new RegExp(`<meta name="loopscope-${name}" content="([^"]*)">`))?.[1];
  const [editor, rest] = [meta('editor'), meta('rest')];
  const glue = html.match(/from ?['"]\.\/(loopscope-[^'"]*\.js)['"]/)[1];
  const first = html.match(/href="?\.\/(loopscope-[^">\s]*_bg\.wasm)/)[1];
  const made = await build({
    stdin: { contents: entry(`./${glue}`), resolveDir: dist }, plugins: [parts(dist, `${editor}.js`)], write: false,
    bundle: true, format: 'esm', target: 'es2022', minify: true, legalComments: 'none', logLevel: 'error', define: { 'import.meta.url': 'document.baseURI' },
  });
  const styles = [...html.matchAll(/<link href=\.\/([^ >]*\.css)[^>]*>/g)].map((m) => readFileSync(join(dist, m[1]), 'utf8'));
  styles.push(readFileSync(join(dist, `${meta('later')}.css`), 'utf8'));
  const icon = html.match(/<link href=\.\/([^ >]*\.svg)/)[1];
  html = html
    .replace(/<script type="?module"?>[\s\S]*?<\/script>/, '')
    .replace(/<link [^>]*rel="?(?:stylesheet|modulepreload|preload)"?[^>]*>/g, '')
    .replace(/<meta name="loopscope-(?:rest|worker|later)"[^>]*>/g, '')
    .replace(/<link href=\.\/[^ >]*\.svg[^>]*>/, () => `<link rel=icon href="data:image/svg+xml;base64,${readFileSync(join(dist, icon)).toString('base64')}">`);
  const packed = [first, rest && `${rest}.wasm`].map((name) => name && gzipSync(readFileSync(join(dist, name)), { level: 9 }).toString('base64'));
  const data = MODULES.map((name, i) => (packed[i] ? `<script type="application/octet-stream" id="program-${name}">${packed[i]}</script>` : '')).join('');
  html = html.replace('</head>', () => `${styles.map((s) => `<style>${s}</style>`).join('')}</head>`);
  html = html.replace('</body>', () => `${data}<script type="module">${made.outputFiles[0].text}</script></body>`);
  return html.replace(/(<meta http-equiv="Content-Security-Policy" content=")[^"]*"/, (_, before) => `${before}${policy(html, styles)}"`);
}

/** Nothing from anywhere: what is not in the file does not run. */
function policy(html, styles) {
  const scripts = inlineScripts(html).filter((text) => !/^[A-Za-z0-9+/=]{99,}$/.test(text));
  return [
    "default-src 'none'", ["script-src 'wasm-unsafe-eval'", ...scripts.map(sha256)].join(' '), ['style-src', ...styles.map(sha256)].join(' '),
    "style-src-attr 'unsafe-inline'", 'img-src data:', "base-uri 'none'", "form-action 'none'",
  ].join('; ');
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [dist, out] = process.argv.slice(2);
  writeFileSync(out, await bundled(dist));
}
