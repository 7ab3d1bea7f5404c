// What ran: a module that says which places it came by, and the text in which that is kept.
import binaryen from 'binaryen';
import { functions, places, read } from './ir.mjs';

/** A function's name as every build gives it: without the hashes of crates. */
export const plain = (name) => name.replace(/\[[0-9a-f]+\]/g, '').replace(/::h[0-9a-f]{16}$/, '');

/** 32 bits of FNV-1a, as text. */
export function fnv(text) {
  let hash = 0x811c9dc5;
  for (const unit of text) hash = Math.imul(hash ^ unit.codePointAt(0), 0x01000193) >>> 0;
  return hash.toString(36);
}

/** The functions that have a body, each with its places: in the same order and numbering whoever asks. */
export function surveyed(module) {
  const seen = new Map();
  return functions(module).filter((f) => !f.module).map((f) => {
    const key = fnv(plain(f.name));
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    return { ...f, key: `${key}.${nth}`, places: places(f.body) };
  });
}

/** `bytes` with a call to `hit(number)` at every place, and which numbers are whose. */
export function instrumented(bytes) {
  const module = read(bytes);
  module.addFunctionImport('$hit', './hit.js', 'hit', binaryen.i32, binaryen.none);
  let next = 0;
  const hit = () => module.call('$hit', [module.i32.const(next++)], binaryen.none);
  const rows = surveyed(module).map((f) => {
    const first = next;
    const entered = hit();
    const marks = (f.places?.found ?? []).map((place) => ({ ...place, mark: hit() }));
    // From the last to the first, so that a block's children keep their numbers.
    for (const { expression, arm, at, mark } of marks.toReversed()) {
      if (arm) {
        const node = arm === 'ifTrue' ? binaryen.If(expression).ifTrue : binaryen.If(expression).ifFalse;
        binaryen.If(expression)[arm] = module.block(null, [mark, node], binaryen.getExpressionType(node));
      } else binaryen.Block(expression).insertChildAt(at, mark);
    }
    binaryen.Function(module.getFunction(f.name)).body = module.block(null, [entered, f.body], binaryen.getExpressionType(f.body));
    return { key: f.key, shape: f.places?.shape ?? 0, first, count: 1 + marks.length };
  });
  return { bytes: module.emitBinary(), rows, count: next };
}

/** One line a function: its key, and for one that ran its shape and the places that did, 6 to a letter. */
export function written(rows, hits) {
  const lines = rows.map(({ key, shape, first, count }) => {
    if (!hits[first]) return key;
    let bits = '';
    for (let i = 1; i < count; i += 6) {
      let letter = 0;
      for (let j = 0; j < 6 && i + j < count; j++) letter |= (hits[first + i + j] ? 1 : 0) << j;
      bits += String.fromCharCode(48 + letter);
    }
    return `${key} ${shape.toString(36)} ${bits}`;
  });
  return `${lines.sort().join('\n')}\n`;
}

/** The text back as a map from key to undefined (never ran) or { shape, ran(place) }. */
export function kept(text) {
  const map = new Map();
  for (const line of text.split('\n')) {
    if (!line || line.startsWith('#')) continue;
    const [key, shape, bits = ''] = line.split(' ');
    map.set(key, shape === undefined ? undefined : { shape: parseInt(shape, 36), ran: (i) => ((bits.charCodeAt(Math.floor(i / 6)) - 48) >> (i % 6)) & 1 });
  }
  return map;
}
