// What files weigh on their way: each compressed alone, as a host does.
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** A file as { name, raw, gzip, brotli }, in bytes. */
export function weighed([name, bytes]) {
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }).length;
  return { name, raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli };
}

export const sum = (rows, what) => rows.reduce((total, row) => total + row[what], 0);
