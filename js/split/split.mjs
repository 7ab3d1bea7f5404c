// Cuts the program in two by what a first visit runs: the first module holds that, the rest is fetched when the flow gets there.
//
// Both share memory, table and globals. A function that never ran leaves a stub which asks for the rest and calls through the table; so does
// a place that never ran in a function that did. Nothing is lost when the record of the first visit is old: the rest is fetched sooner.
import binaryen from 'binaryen';
import { divide } from './data.mjs';
import { functions, read } from './ir.mjs';
import { Outliner } from './outline.mjs';
import { surveyed } from './profile.mjs';

const ENSURE = '$ensure';
const HERE = '$here';

/** The module and the import that fetches the rest, found by the name of the function in js/src/rest.js. */
function prepared(bytes) {
  const module = read(bytes);
  const load = functions(module).find((f) => f.module && /^(__wbg_)?loadRest/.test(f.base));
  if (!load) throw new Error('the program does not import loadRest');
  module.addGlobal(HERE, binaryen.i32, true, module.i32.const(0));
  module.addFunction(ENSURE, binaryen.none, binaryen.none, [], module.if(module.i32.eqz(module.global.get(HERE, binaryen.i32)), module.call(load.name, [], binaryen.none)));
  return module;
}

function tables(module) {
  return Array.from({ length: module.getNumTables() }, (_, i) => binaryen.getTableInfo(module.getTableByIndex(i)));
}

function segments(module) {
  return Array.from({ length: module.getNumElementSegments() }, (_, i) => {
    const segment = binaryen.getElementSegmentInfo(module.getElementSegmentByIndex(i));
    return { ...segment, offset: binaryen.getExpressionInfo(segment.offset).value };
  });
}

/** Takes what never ran out of the functions that did. Returns the bytes, the made functions by slot, and the table's new size. */
function outlined(bytes, profile) {
  const module = prepared(bytes);
  const [table] = tables(module);
  let next = table.initial;
  const outliner = new Outliner(module, { ensure: ENSURE, table: table.name, slot: () => next++ });
  const cold = [];
  for (const f of surveyed(module)) {
    if (f.name === ENSURE || !profile.has(f.key)) continue;
    const ran = profile.get(f.key);
    if (!ran) cold.push(f.name);
    else if (f.places && f.places.shape === ran.shape) outliner.run(f, ran.ran);
  }
  if (!module.validate()) throw new Error('what was taken out does not validate');
  return { bytes: named(module), taken: outliner.taken, cold, size: next };
}

/**
 * The two modules of the program `bytes`, by the record `profile` (see profile.mjs); `known` is what the
 * linker knew (see linked.mjs).
 */
export function split(bytes, profile, known) {
  const out = outlined(bytes, profile);
  const first = read(out.bytes), rest = read(out.bytes);
  const all = functions(first);
  const slots = new Map(out.taken.map(({ name, slot }) => [name, slot]));
  const cold = new Map(all.filter((f) => slots.has(f.name) || out.cold.includes(f.name)).map((f) => [f.name, f]));
  const [table, ...others] = tables(first);
  const elements = segments(first);
  // What goes into the table when the rest is there, as [slot, function].
  const filled = [...slots].map(([name, slot]) => [slot, name]);
  for (const { data, offset } of elements) {
    data.forEach((name, i) => {
      if (!cold.has(name)) return;
      filled.push([offset + i, name]);
      if (!slots.has(name)) slots.set(name, offset + i);
    });
  }
  const needed = strip(rest, all, cold, elements, table.name);
  for (const f of needed) first.addFunctionExport(f.name, f.short);
  const size = stubs(first, cold, slots, filled, table, out.size);
  first.removeTable(table.name);
  first.addTable(table.name, size, size);
  for (const { name, data, offset } of elements) {
    first.removeElementSegment(name);
    first.addActiveElementSegment(table.name, name, data, first.i32.const(offset));
  }
  rest.removeTable(table.name);
  rest.addTable(table.name, size, size);
  share(first, rest, [table, ...others]);
  filled.sort((a, b) => a[0] - b[0]);
  for (let from = 0, to; from < filled.length; from = to) {
    for (to = from + 1; to < filled.length && filled[to][0] === filled[to - 1][0] + 1;) to++;
    rest.addActiveElementSegment(table.name, `from.${from}`, filled.slice(from, to).map(([, name]) => name), rest.i32.const(filled[from][0]));
  }
  optimised(first);
  optimised(rest);
  const moved = divide(first, known);
  place(first, rest, moved);
  return { first: first.emitBinary(), rest: rest.emitBinary(), taken: out.taken.length, cold: out.cold.length };
}

/** Leaves in `rest` the cold functions alone; returns what they need of the others, which become imports. */
function strip(rest, all, cold, elements, table) {
  for (let i = rest.getNumExports() - 1; i >= 0; i--) rest.removeExport(binaryen.getExportInfo(rest.getExportByIndex(i)).name);
  for (const { name } of elements) rest.removeElementSegment(name);
  const imported = (f, name) => { rest.removeFunction(f.name); rest.addFunctionImport(f.name, 'first', name, f.params, f.results); };
  for (const f of all) if (!cold.has(f.name)) imported(f, f.name);
  rest.addActiveElementSegment(table, 'roots', [...cold.keys()], rest.i32.const(0));
  rest.runPasses(['remove-unused-module-elements']);
  rest.removeElementSegment('roots');
  const needed = functions(rest).filter((f) => f.module);
  return needed.map((f, i) => { const short = `f${i.toString(36)}`; imported(f, short); return { name: f.name, short }; });
}

/** Puts stubs in the place of cold functions and drops what nothing calls; returns the table's size. */
function stubs(first, cold, slots, filled, table, size) {
  const body = (f, slot) => first.block(null, [
    first.call(ENSURE, [], binaryen.none),
    first.call_indirect(table.name, first.i32.const(slot), binaryen.expandType(f.params).map((type, i) => first.local.get(i, type)), f.params, f.results),
  ], f.results);
  for (const f of cold.values()) {
    first.removeFunction(f.name);
    first.addFunction(f.name, f.params, f.results, [], body(f, slots.get(f.name) ?? 0));
  }
  first.addFunctionExport(ENSURE, 'ensure');
  first.runPasses(['remove-unused-module-elements']);
  const left = new Set(functions(first).map((f) => f.name));
  for (const f of cold.values()) {
    if (slots.has(f.name) || !left.has(f.name)) continue;
    filled.push([size, f.name]);
    binaryen.Function(first.getFunction(f.name)).body = body(f, size);
    size++;
  }
  return size;
}

/** Gives `rest` the tables and the variables of `first`. */
function share(first, rest, shared) {
  shared.forEach(({ name }, i) => { rest.addTableImport(name, 'first', `t${i}`); first.addTableExport(name, `t${i}`); });
  for (let i = rest.getNumGlobals() - 1; i >= 0; i--) {
    const { name, mutable, module, type } = binaryen.getGlobalInfo(rest.getGlobalByIndex(i));
    if (!mutable || module) continue;
    rest.removeGlobal(name);
    rest.addGlobalImport(name, 'first', `g${i}`, type, true);
    first.addGlobalExport(name, `g${i}`);
  }
  first.addGlobalExport(HERE, 'here');
}

/** The bytes of `module` with its names, by which both parts find their functions. */
function named(module) {
  binaryen.setDebugInfo(true);
  try {
    return module.emitBinary();
  } finally {
    binaryen.setDebugInfo(false);
  }
}

/** Gives `rest` the memory of `first`, and the constants `moved` with it; all other data are in memory already, and have changed since. */
function place(first, rest, moved) {
  const { initial } = first.getMemoryInfo();
  const all = Array.from({ length: first.getNumDataSegments() }, (_, i) => first.getDataSegmentInfo(first.getDataSegmentByIndex(i)));
  const kept = all.map((segment) => ({ address: Number(segment.offset), bytes: new Uint8Array(segment.data) }));
  for (const { address, bytes } of moved) {
    for (const k of kept) {
      const from = Math.max(address, k.address), to = Math.min(address + bytes.length, k.address + k.bytes.length);
      if (from < to) k.bytes.fill(0, from - k.address, to - k.address);
    }
  }
  const active = (module, list) => list.map(({ address, bytes }, i) => ({ name: `d${i}`, offset: module.i32.const(address), data: bytes, passive: false }));
  first.setMemory(initial, -1, null, active(first, kept), false, false, '0');
  rest.setMemory(initial, -1, null, active(rest, moved), false, false, '0');
  rest.addMemoryImport('0', 'first', 'memory');
}

function optimised(module) {
  module.runPasses(['coalesce-locals', 'vacuum', 'merge-blocks', 'remove-unused-brs', 'remove-unused-names', 'vacuum', 'reorder-locals', 'remove-unused-module-elements']);
  if (!module.validate()) throw new Error('a part does not validate');
}
