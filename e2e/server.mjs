// Plain files from a sub-path, as any static host gives them: no compression, no fallback page.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.json': 'application/json', '.webmanifest': 'application/manifest+json' };

/**
 * Serves `folder` under `/some/sub/path/` on a free port. `change(name, bytes)` may give other bytes.
 * Resolves to { url, served, close() }; `served` holds the bytes of each file that was asked for, by name.
 */
export async function serve(folder, change = (name, bytes) => bytes) {
  const base = '/some/sub/path/';
  const served = new Map();
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const name = path.slice(base.length) || 'index.html';
    try {
      if (!path.startsWith(base) || normalize(name).startsWith('..')) throw new Error('outside');
      const bytes = change(name, await readFile(join(folder, name)));
      served.set(name, bytes);
      response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'application/octet-stream', 'cache-control': 'no-store' }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}${base}`, served, close: () => new Promise((done) => { server.close(done); server.closeAllConnections(); }) };
}
