// resplit.mjs: whole.wasm -> parts, print sizes
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
const { kept } = await import('/work/wt/size/js/split/profile.mjs');
const { split } = await import('/work/wt/size/js/split/split.mjs');
const bytes = readFileSync(process.argv[2] ?? 'target/loopscope-whole.wasm');
const t=Date.now();
if (process.argv[4]) (await import('/work/wt/size/js/split/split.mjs')).keepNames?.();
const parts = split(bytes, kept(readFileSync('/tmp/fv2.txt','utf8')), process.argv[3] && (await import('/work/wt/size/js/split/linked.mjs')).linked(readFileSync(process.argv[3])));
const br=(b)=>brotliCompressSync(b,{params:{[constants.BROTLI_PARAM_QUALITY]:11,[constants.BROTLI_PARAM_SIZE_HINT]:b.length}}).length;
writeFileSync('/tmp/split/first.wasm',parts.first);writeFileSync('/tmp/split/rest.wasm',parts.rest);
console.log({first:parts.first.length,rest:parts.rest.length,taken:parts.taken,cold:parts.cold,ms:Date.now()-t});
console.log('brotli first',br(parts.first),'rest',br(parts.rest));
