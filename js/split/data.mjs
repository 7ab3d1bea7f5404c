// Which of the program's constants the first module needs: those that an address in its code or in its variables points into, and those
// that they point at in turn. The others go with the rest.
import binaryen from 'binaryen';
import { functions, look } from './ir.mjs';

/** What Rust writes where there is no character, or not even none: numbers that look like addresses. */
const NO_CHARACTER = [0x110000, 0x110001, 0x110002];

/** Every number in the code of `module` that may be an address. */
export function numbers(module) {
  const found = new Set();
  const visit = (expression) => {
    const info = look(expression);
    if (!info) {
      for (const [digits] of binaryen.emitText(expression).matchAll(/-?\d+/g)) found.add(Number(digits) >>> 0);
      return;
    }
    if (info.id === binaryen.ConstId && info.type === binaryen.i32) found.add(info.value >>> 0).add(-info.value >>> 0);
    // Two numbers beside one another may have been made one.
    if (info.id === binaryen.ConstId && info.type === binaryen.i64) {
      const value = BigInt.asUintN(64, BigInt(info.value));
      found.add(Number(value & 0xffffffffn)).add(Number(value >> 32n));
    }
    if (info.offset !== undefined) found.add(Number(info.offset));
    info.inside.forEach(visit);
  };
  for (const f of functions(module)) if (!f.module) visit(f.body);
  for (let i = 0; i < module.getNumGlobals(); i++) {
    const { init } = binaryen.getGlobalInfo(module.getGlobalByIndex(i));
    if (init) visit(init);
  }
  return found;
}

/** The symbols that `first` needs, of those that the linker knew (see linked.mjs). */
export function needed(first, { symbols, loose, ended, held, pointed }) {
  const sorted = [...symbols].sort((a, b) => a.address - b.address);
  const longest = sorted.reduce((most, s) => Math.max(most, s.size), 0);
  const under = (address) => {
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle].address <= address) low = middle + 1;
      else high = middle;
    }
    const hit = [];
    for (let i = low - 1; i >= 0 && sorted[i].address >= address - longest; i--) {
      const end = sorted[i].address + sorted[i].size;
      if (address < end || (address === end && ended.has(sorted[i]))) hit.push(sorted[i]);
    }
    return hit;
  };
  const live = new Set(), waiting = [];
  const reach = (symbol) => { if (!live.has(symbol)) { live.add(symbol); waiting.push(symbol); } };
  loose.forEach(reach);
  const found = numbers(first);
  NO_CHARACTER.filter((number) => !pointed.has(number)).forEach((number) => found.delete(number));
  for (const address of found) under(address).forEach(reach);
  const holding = [...held].sort((a, b) => a.where - b.where);
  while (waiting.length) {
    const symbol = waiting.pop();
    for (const { where, target } of holding) if (where >= symbol.address && where < symbol.address + symbol.size) reach(target);
  }
  return live;
}

/** Divides the constants: gives `first` what it needs, with zeros for the others, and returns these as [{ address, bytes }]. */
export function divide(first, known) {
  const [constants] = known.segments;
  const end = constants.address + constants.size;
  const keep = new Uint8Array(constants.size);
  for (const { address, size } of needed(first, known)) {
    if (address < end) keep.fill(1, address - constants.address, address - constants.address + size);
  }
  const moved = [];
  for (let from = 0, to; from < keep.length; from = to) {
    for (to = from + 1; to < keep.length && keep[to] === keep[from];) to++;
    if (!keep[from]) moved.push({ address: constants.address + from, bytes: constants.bytes.slice(from, to) });
  }
  return moved;
}
