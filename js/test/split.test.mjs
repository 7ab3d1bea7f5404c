// A program cut in two does what it did in one piece, whatever the record says, and has the rest fetched only when it is needed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import binaryen from 'binaryen';
import { functions, read } from '../split/ir.mjs';
import { kept, instrumented, written } from '../split/profile.mjs';
import { split } from '../split/split.mjs';

const TEXT = `(module
  (import "page" "loadRest" (func $loadRest))
  (memory 32)
  (table 2 funcref)
  (elem (i32.const 1) $odd)
  (data (i32.const 1048576) "abcdWXYZ")
  (global $count (mut i32) (i32.const 0))
  (export "memory" (memory 0))
  (export "pick" (func $pick))
  (export "warm" (func $warm))
  (func $warm (call $loadRest))
  (func $odd (param i32) (result i32) (i32.load8_u offset=1048580 (local.get 0)))
  (func $far (param i32) (result i64) (i64.extend_i32_u (i32.add (local.get 0) (i32.const 40))))
  (func $pick (param $n i32) (result i32) (local $x i32) (local $wide i64)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (local.set $x (i32.const 7))
    (block $out
      (if (i32.eqz (local.get $n)) (then (local.set $x (i32.load8_u (i32.const 1048576))) (br $out)))
      (if (i32.eq (local.get $n) (i32.const 1)) (then (return (call_indirect (param i32) (result i32) (i32.const 2) (i32.const 1)))))
      (if (i32.eq (local.get $n) (i32.const 2)) (then
        (local.set $wide (call $far (local.get $n)))
        (local.set $x (i32.add (i32.wrap_i64 (local.get $wide)) (i32.mul (local.get $x) (global.get $count))))))
      (if (i32.gt_u (local.get $n) (i32.const 8)) (then (drop (i32.add (local.get $x) (i32.const 1000000))) (unreachable))))
    (i32.add (local.get $x) (local.get $n))))`;

/** As Trunk leaves a program: binary, with the names of its functions. */
function whole() {
  const module = binaryen.parseText(TEXT);
  binaryen.setDebugInfo(true);
  const bytes = module.emitBinary();
  binaryen.setDebugInfo(false);
  return bytes;
}

const KNOWN = {
  segments: [{ address: 1048576, size: 8, bytes: Buffer.from('abcdWXYZ') }],
  symbols: [{ name: 'seen', address: 1048576, size: 4 }, { name: 'unseen', address: 1048580, size: 4 }],
  loose: new Set(), ended: new Set(), pointed: new Set([1048576, 1048580]), held: [],
};

/** The record of a run that calls `pick` with these numbers. */
function recorded(numbers) {
  const { bytes, rows, count } = instrumented(whole());
  const hits = new Uint8Array(count);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { page: { loadRest() {} }, './hit.js': { hit: (i) => { hits[i] = 1; } } });
  exports.warm();
  numbers.forEach((n) => exports.pick(n));
  return kept(written(rows, hits));
}

/** What `pick` says of each number, in one instance, and how often the rest was asked for. */
function played(parts, numbers) {
  let loads = 0;
  const loadRest = () => { loads++; new WebAssembly.Instance(new WebAssembly.Module(parts.rest), { first, page: { loadRest } }); first.here.value = 1; };
  const first = new WebAssembly.Instance(new WebAssembly.Module(parts.first), { page: { loadRest } }).exports;
  const said = numbers.map((n) => { try { return first.pick(n); } catch (error) { return error.constructor.name; } });
  return { said, loads };
}

const ALL = [0, 1, 2, 3, 2, 9, 0];
const single = new WebAssembly.Instance(new WebAssembly.Module(whole()), { page: { loadRest() {} } }).exports;
const EXPECTED = ALL.map((n) => { try { return single.pick(n); } catch (error) { return error.constructor.name; } });

for (const [name, seen, quiet] of [
  ['one way ran', [3], [3, 3]],
  ['two ways ran', [0, 3], [0, 3]],
  ['all but the trap ran', [0, 1, 2, 3], [3, 2, 1, 0]],
]) {
  test(`cut by a record in which ${name}, the program says the same`, () => {
    const parts = split(whole(), recorded(seen), KNOWN);
    assert.deepEqual(played(parts, ALL).said, EXPECTED);
    assert.equal(played(parts, quiet).loads, 0, 'what was recorded needs no rest');
  });
}

test('constants that only unseen code reads go with the rest', () => {
  const data = (bytes) => {
    const module = read(bytes);
    return Array.from({ length: module.getNumDataSegments() }, (_, i) => Buffer.from(module.getDataSegmentInfo(module.getDataSegmentByIndex(i)).data).toString()).join('');
  };
  const parts = split(whole(), recorded([0, 3]), KNOWN);
  assert.ok(data(parts.first).includes('abcd') && !data(parts.first).includes('WXYZ'));
  assert.equal(data(parts.rest), 'WXYZ');
});

test('a record of another program keeps everything in the first half', () => {
  const parts = split(whole(), new Map(), KNOWN);
  assert.equal(functions(read(parts.rest)).filter((f) => !f.module).length, 0);
  assert.deepEqual(played(parts, ALL), { said: EXPECTED, loads: 0 });
});
