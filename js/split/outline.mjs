// Takes the places that never ran out of the functions that did: each becomes a function of its own, called through the table.
//
// What the place reads comes in as parameters. What it leaves in locals comes back through globals, as does the way on: the fall-through,
// one of the labels outside that it may jump to, or a return.
import binaryen from 'binaryen';
import { BlockId, BreakId, IfId, LocalGetId, LocalSetId, LoopId, ReturnId, UnreachableId, look, targets } from './ir.mjs';

/** The types that can be carried back; a reference cannot. */
const CARRIED = new Map([[binaryen.i32, 'i32'], [binaryen.i64, 'i64'], [binaryen.f32, 'f32'], [binaryen.f64, 'f64']]);
/** Bytes that taking out must save to be worth a function. */
const WORTH = 2;
/** Bytes that go with an address: what it points at is then no part of the first module either (see data.mjs). */
const POINTED = 6;
/** Where the linker puts data: behind the stack's megabyte. */
const DATA = { from: 0x100000, to: 0x160000 };

/** Takes places out of one function after the other; `taken` lists what was made. */
export class Outliner {
  constructor(module, { ensure, table, slot }) {
    Object.assign(this, { module, ensure, table, slot, taken: [], carriers: new Map(), doors: new Map() });
    this.way = '$way';
    module.addGlobal(this.way, binaryen.i32, true, module.i32.const(0));
  }

  /** The `nth` global that carries a value of `type` back. */
  carrier(type, nth) {
    const kind = CARRIED.get(type);
    const name = `$${kind}.${nth}`;
    if (!this.carriers.has(name)) {
      const zero = kind === 'i64' ? this.module.i64.const(0n) : this.module[kind].const(0);
      this.module.addGlobal(name, type, true, zero);
      this.carriers.set(name, type);
    }
    return name;
  }

  /** Looks through `f`, whose places `ran` tells about. */
  run(f, ran) {
    const cold = new Map();
    f.places.found.forEach((place, i) => {
      if (ran(i)) return;
      const id = place.expression;
      if (!cold.has(id)) cold.set(id, {});
      const of = cold.get(id);
      if (place.arm) of[place.arm] = true;
      else of.at = Math.min(of.at ?? Infinity, place.at);
    });
    if (!cold.size) return;
    const types = [...binaryen.expandType(f.params), ...f.vars];
    const whole = survey([f.body]);
    this.f = { name: f.name, params: binaryen.expandType(f.params).length, results: f.results, types, whole, loops: whole.loops > 0 };
    this.visit(f.body, cold);
  }

  visit(expression, cold) {
    const info = look(expression);
    const of = cold.get(expression) ?? {};
    if (info.id === IfId) {
      this.visit(info.condition, cold);
      for (const arm of ['ifTrue', 'ifFalse']) {
        if (!info[arm]) continue;
        const call = of[arm] && this.take([info[arm]], binaryen.getExpressionType(info[arm]));
        if (call) binaryen.If(expression)[arm] = call;
        else this.visit(info[arm], cold);
      }
      return;
    }
    if (info.id === BlockId && of.at !== undefined) {
      const tail = info.children.slice(of.at);
      const call = this.take(tail, binaryen.getExpressionType(tail.at(-1)));
      if (call) {
        const block = binaryen.Block(expression);
        for (let i = info.children.length - 1; i > of.at; i--) block.removeChildAt(i);
        block.setChildAt(of.at, call);
        info.children.slice(0, of.at).forEach((child) => this.visit(child, cold));
        return;
      }
    }
    info.inside.forEach((inner) => this.visit(inner, cold));
  }

  /** The call that stands for `list`, whose last expression has `type`; undefined when it cannot or need not be taken out. */
  take(list, type) {
    const { module: m, f } = this;
    if (type !== binaryen.none && type !== binaryen.unreachable && !CARRIED.has(type)) return undefined;
    const here = survey(list);
    if (!here || here.carries) return undefined;
    const plan = this.plan(here, type !== binaryen.unreachable);
    if (!plan) return undefined;
    const ways = [...here.outward, ...(here.returns ? [''] : [])];
    const falls = type !== binaryen.unreachable;
    const price = 6 + 2 * plan.into.length + 4 * plan.back.length + 6 * ways.length + (falls && type !== binaryen.none ? 4 : 0);
    if (here.bytes < price + WORTH) return undefined;
    const slot = this.slot();
    const name = `$cold.${this.taken.length}`;
    this.make(name, list, type, here, plan, ways);
    this.taken.push({ name, slot });
    const call = m.call(this.door(plan), [...plan.into.map((i) => m.local.get(i, f.types[i])), m.i32.const(slot)], binaryen.none);
    return this.site(call, type, plan, ways);
  }

  /** The function that has the rest and goes on to a slot with what places of this signature read. */
  door(plan) {
    const { module: m, f } = this;
    const types = plan.into.map((i) => f.types[i]);
    const name = `$door.${types.join('.')}`;
    if (!this.doors.has(name)) {
      const read = types.map((type, i) => m.local.get(i, type));
      const go = m.call_indirect(this.table, m.local.get(types.length, binaryen.i32), read, this.signature(plan), binaryen.none);
      m.addFunction(name, binaryen.createType([...types, binaryen.i32]), binaryen.none, [], m.block(null, [m.call(this.ensure, [], binaryen.none), go]));
      this.doors.set(name, true);
    }
    return name;
  }

  signature(plan) {
    return binaryen.createType(plan.into.map((i) => this.f.types[i]));
  }

  /** Which locals go in and which come back; undefined when one of them cannot be carried. */
  plan(here, falls) {
    const { f } = this;
    const outside = (what, i) => (f.whole[what].get(i) ?? 0) - (here[what].get(i) ?? 0);
    // A local that nothing but this place sets still keeps its value from one turn of a loop around it to the next.
    const comes = (i) => i < f.params || outside('sets', i) > 0 || (f.loops && here.sets.has(i));
    // Locals die where nothing follows but a return.
    const stays = falls || here.outward.size > 0;
    const back = !stays ? [] : [...here.sets.keys()].filter((i) => outside('gets', i) > 0 || (f.loops && here.exposed.has(i)));
    if (back.some((i) => !CARRIED.has(f.types[i]))) return undefined;
    const into = [...new Set([...here.exposed, ...back.filter((i) => !here.certain.has(i))])].filter(comes);
    const order = (a, b) => f.types[a] - f.types[b] || a - b;
    return { into: into.sort(order), back: back.sort(order) };
  }

  /** The globals that bring `plan.back`, in its order. */
  carriersOf(plan) {
    const counts = new Map();
    return plan.back.map((i) => {
      const type = this.f.types[i];
      const nth = counts.get(type) ?? 0;
      counts.set(type, nth + 1);
      return this.carrier(type, nth + 1);
    });
  }

  make(name, list, type, here, plan, ways) {
    const { module: m, f } = this;
    const own = new Map(plan.into.map((i, n) => [i, n]));
    const vars = [];
    const numbered = (i) => {
      if (!own.has(i)) { own.set(i, plan.into.length + vars.length); vars.push(f.types[i]); }
      return own.get(i);
    };
    for (const [node, kind, index] of here.locals) (kind === LocalGetId ? binaryen.LocalGet(node) : binaryen.LocalSet(node)).index = numbered(index);
    const carriers = this.carriersOf(plan);
    const leave = (way, label) => [
      ...(label === '' ? [] : plan.back).map((i, n) => m.global.set(carriers[n], m.local.get(numbered(i), f.types[i]))),
      ...(ways.length + (type === binaryen.unreachable ? 0 : 1) > 1 ? [m.global.set(this.way, m.i32.const(way))] : []),
      m.return(),
    ];
    this.returned(here);
    const value = type !== binaryen.none && type !== binaryen.unreachable;
    const last = value ? m.global.set(this.carrier(type, 0), m.block(null, list, type)) : m.block(null, list, type);
    let body = m.block(null, type === binaryen.unreachable ? [last] : [last, ...leave(0)], binaryen.unreachable);
    ways.forEach((label, n) => { body = m.block(null, [m.block(label || '$returned', [body], binaryen.none), ...leave(n + 1, label)], binaryen.unreachable); });
    m.addFunction(name, this.signature(plan), binaryen.none, vars, body);
  }

  /** Every return of the place becomes a jump; its value waits in the carrier. */
  returned(here) {
    const { module: m, f } = this;
    for (const { node, parent } of here.returns ? here.returned : []) {
      const { value } = look(node);
      const jump = m.break('$returned');
      const instead = value ? m.block(null, [m.global.set(this.carrier(f.results, 0), value), jump], binaryen.unreachable) : jump;
      if (parent === undefined) { here.list[here.list.indexOf(node)] = instead; continue; }
      const info = look(parent);
      if (info.id === BlockId) binaryen.Block(parent).setChildAt(info.children.indexOf(node), instead);
      else if (info.id === LoopId) binaryen.Loop(parent).body = instead;
      else binaryen.If(parent)[info.ifTrue === node ? 'ifTrue' : 'ifFalse'] = instead;
    }
  }

  /** What stands where the place was. */
  site(call, type, plan, ways) {
    const { module: m, f } = this;
    const carriers = this.carriersOf(plan);
    const falls = type !== binaryen.unreachable;
    const list = [call, ...plan.back.map((i, n) => m.local.set(i, m.global.get(carriers[n], f.types[i])))];
    ways.forEach((label, n) => {
      const sole = !falls && n === ways.length - 1;
      const taken = () => m.i32.eq(m.global.get(this.way, binaryen.i32), m.i32.const(n + 1));
      const leave = label ? m.break(label, sole ? undefined : taken()) : m.return(f.results === binaryen.none ? undefined : m.global.get(this.carrier(f.results, 0), f.results));
      list.push(label || sole ? leave : m.if(taken(), leave));
    });
    if (!falls && !ways.length) list.push(m.unreachable());
    if (falls && type !== binaryen.none) list.push(m.global.get(this.carrier(type, 0), type));
    return m.block(null, list, type);
  }
}

/** What `list` reads, sets and may do, and about how long it is; undefined when it holds something that is not understood. */
function survey(list) {
  const at = {
    list, gets: new Map(), sets: new Map(), locals: [], exposed: new Set(), certain: new Set(), outward: new Set(), returned: [],
    returns: false, carries: false, loops: 0, bytes: 0,
  };
  const inner = new Set();
  const visit = (expression, parent, set) => {
    const info = look(expression);
    at.bytes += weight(info);
    if (info.id === LoopId) at.loops++;
    if (info.name && (info.id === BlockId || info.id === LoopId)) inner.add(info.name);
    if (info.id === IfId) {
      visit(info.condition, expression, set);
      for (const arm of [info.ifTrue, info.ifFalse]) if (arm) visit(arm, expression, new Set(set));
      return;
    }
    // What a block with a label sets may have been jumped over at its end.
    const within = info.name && (info.id === BlockId || info.id === LoopId) ? new Set(set) : set;
    for (const child of info.inside) visit(child, expression, within);
    if (info.id === LocalGetId) {
      count(at.gets, info.index);
      at.locals.push([expression, info.id, info.index]);
      if (!set.has(info.index)) at.exposed.add(info.index);
    } else if (info.id === LocalSetId) {
      count(at.sets, info.index);
      at.locals.push([expression, info.id, info.index]);
      set.add(info.index);
    } else if (info.id === ReturnId) {
      at.returns = true;
      at.returned.push({ node: expression, parent });
      const above = parent === undefined ? BlockId : look(parent).id;
      if (above !== BlockId && above !== IfId && above !== LoopId) at.carries = true;
    }
    for (const label of targets(info)) if (!inner.has(label)) { at.outward.add(label); if (info.value) at.carries = true; }
  };
  for (const expression of list) visit(expression, undefined, at.certain);
  // A jump out may come before a local is set.
  if (at.outward.size || at.returns) at.certain = new Set();
  return at;
}

const count = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);

/** About the bytes of an expression without what is inside of it. */
function weight(info) {
  if (info.id === binaryen.ConstId) {
    if (typeof info.value === 'number' && Math.abs(info.value) < 64) return 2;
    return info.value > DATA.from && info.value < DATA.to ? 4 + POINTED : 4;
  }
  if (info.id === BlockId) return info.name ? 3 : 0;
  if (info.id === UnreachableId || info.id === binaryen.UnaryId || info.id === binaryen.BinaryId || info.id === binaryen.DropId) return 1;
  if (info.id === binaryen.LoadId || info.id === binaryen.StoreId || info.id === binaryen.CallId || info.id === IfId) return 3;
  return info.id === binaryen.CallIndirectId ? 4 : 2;
}
