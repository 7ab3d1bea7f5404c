// What the linker knew of the program's data: which symbols there are, where they lie in memory, and who points at them. It is in the
// file that cargo left, as the linker was told to keep its relocations; the format is WebAssembly's tool conventions ("Linking").
const DATA_SYMBOL = 1;
const UNDEFINED = 0x10;
/** Relocations that hold an address in memory, of 32 bits; all that have an addend. */
const ADDRESSES = new Set([3, 4, 5]);
const WITH_ADDEND = new Set([3, 4, 5, 8, 9, 11, 14, 15, 16, 17, 21, 22, 23, 24, 25]);

/** Reads LEB128 numbers and names from `bytes`. */
class Reader {
  constructor(bytes, at = 0) { this.bytes = bytes; this.at = at; }
  number(signed = false) {
    let value = 0, shift = 0, byte;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * 2 ** shift;
      shift += 7;
    } while (byte & 128);
    return signed && byte & 64 ? value - 2 ** shift : value;
  }
  name() {
    const length = this.number();
    this.at += length;
    return Buffer.from(this.bytes.subarray(this.at - length, this.at)).toString();
  }
}

function sections(bytes) {
  const found = [], reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const head = reader.at;
    const id = bytes[reader.at++], size = reader.number(), from = reader.at;
    const name = id ? undefined : reader.name();
    found.push({ id, name, head, from, start: reader.at, end: from + size });
    reader.at = from + size;
  }
  return found;
}

/** `bytes` without what the linker kept for tools: it is wrong once the program has been changed. */
export function bare(bytes) {
  const dropped = sections(bytes).filter(({ name }) => name === 'linking' || name?.startsWith('reloc.'));
  let at = 0;
  const kept = dropped.flatMap(({ head, end }) => { const part = bytes.subarray(at, head); at = end; return [part]; });
  return Buffer.concat([...kept, bytes.subarray(at)]);
}

/** The data segments, each with its address in memory and where its bytes begin within the section. */
function segments(bytes, section) {
  const reader = new Reader(bytes, section.start);
  return Array.from({ length: reader.number() }, () => {
    if (reader.number() !== 0 || bytes[reader.at++] !== 0x41) throw new Error('a data segment is not at a constant address');
    const address = reader.number(true);
    reader.at++; // `end`
    const size = reader.number(), at = reader.at;
    reader.at += size;
    return { address, size, at: at - section.from, bytes: bytes.subarray(at, at + size) };
  });
}

/** The symbol table of the linking section: data symbols have an address and a size, others are undefined. */
function symbols(bytes, section, segs) {
  const reader = new Reader(bytes, section.start);
  reader.number(); // the version
  while (reader.at < section.end) {
    const kind = bytes[reader.at++], size = reader.number(), next = reader.at + size;
    if (kind === 8) return Array.from({ length: reader.number() }, () => symbol(reader, segs));
    reader.at = next;
  }
  throw new Error('the linker left no table of symbols');
}

function symbol(reader, segs) {
  const kind = reader.bytes[reader.at++], flags = reader.number();
  if (kind === DATA_SYMBOL) {
    const name = reader.name();
    if (flags & UNDEFINED) return undefined;
    const segment = segs[reader.number()], offset = reader.number(), size = reader.number();
    return { name, address: segment.address + offset, size };
  }
  if (kind === 3) { reader.number(); return undefined; } // a section
  reader.number();
  if (!(flags & UNDEFINED) || flags & 0x40) reader.name();
  return undefined;
}

function relocations(bytes, section) {
  const reader = new Reader(bytes, section.start);
  reader.number(); // which section they are about
  return Array.from({ length: reader.number() }, () => {
    const type = bytes[reader.at++], at = reader.number(), index = reader.number();
    const addend = WITH_ADDEND.has(type) ? reader.number(true) : 0;
    return { type, at, index, addend };
  }).filter(({ type }) => ADDRESSES.has(type));
}

/**
 * What the linker knew: the data `segments`; the `symbols` in them with their addresses and sizes; those that something points outside of by
 * way of them (`loose`), or right behind (`ended`); every address that something points at (`pointed`); and where in the data an
 * address stands of what (`held`). Undefined where the linker kept nothing.
 */
export function linked(bytes) {
  const all = sections(bytes);
  const named = (name) => all.find((s) => s.name === name);
  const data = all.find((s) => s.id === 11), linking = named('linking');
  if (!linking) return undefined;
  const segs = segments(bytes, data);
  const table = symbols(bytes, linking, segs);
  const loose = new Set(), ended = new Set(), pointed = new Set(), held = [];
  for (const [name, inData] of [['reloc.CODE', false], ['reloc.DATA', true]]) {
    for (const { at, index, addend } of named(name) ? relocations(bytes, named(name)) : []) {
      const target = table[index];
      if (!target) continue;
      pointed.add(target.address + addend);
      if (addend === target.size) ended.add(target);
      if (addend < 0 || addend > target.size) loose.add(target);
      if (inData) {
        const segment = segs.find((s) => at >= s.at && at < s.at + s.size);
        held.push({ where: segment.address + at - segment.at, target });
      }
    }
  }
  return { segments: segs, symbols: table.filter((s) => s?.size), loose, ended, pointed, held };
}
