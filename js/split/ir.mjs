// The parts of WebAssembly's expressions that splitting looks at: what lies inside of what, and where the flow may leave.
import binaryen from 'binaryen';

const F = binaryen.Features;
/** What Rust's target uses today; the module's own section is gone by the time it is read again. */
export const FEATURES = F.MutableGlobals | F.BulkMemory | F.SignExt | F.NontrappingFPToInt | F.ReferenceTypes | F.Multivalue | F.BulkMemoryOpt | F.CallIndirectOverlong;

/** Names of the fields that hold an expression (or a list of them), in the order in which they are evaluated. */
const INSIDE = new Map(Object.entries({
  Nop: [], Block: ['children'], If: ['condition', 'ifTrue', 'ifFalse'], Loop: ['body'], Break: ['value', 'condition'], Switch: ['value', 'condition'],
  Call: ['operands'], CallIndirect: ['operands', 'target'], LocalGet: [], LocalSet: ['value'], GlobalGet: [], GlobalSet: ['value'], Load: ['ptr'],
  Store: ['ptr', 'value'], Const: [], Unary: ['value'], Binary: ['left', 'right'], Select: ['ifTrue', 'ifFalse', 'condition'], Drop: ['value'],
  Return: ['value'], MemorySize: [], MemoryGrow: ['delta'], Unreachable: [], MemoryCopy: ['dest', 'source', 'size'], MemoryFill: ['dest', 'value', 'size'],
  TableGet: ['index'], TableSet: ['index', 'value'], TableGrow: ['value', 'delta'], TableSize: [], TupleMake: ['operands'], TupleExtract: ['tuple'], RefNull: [], RefIsNull: ['value'],
}).map(([kind, fields]) => [binaryen[`${kind}Id`], fields]));

const BARE = new Set([binaryen.NopId, binaryen.UnreachableId, binaryen.RefNullId, binaryen.MemorySizeId]);
export const { BlockId, IfId, LoopId, BreakId, SwitchId, LocalGetId, LocalSetId, ReturnId, UnreachableId } = binaryen;

/** Reads a module as Trunk left it. */
export function read(bytes) {
  const module = binaryen.readBinary(bytes);
  module.setFeatures(FEATURES);
  return module;
}

/** The functions of `module`, imported ones among them. */
export function functions(module) {
  return Array.from({ length: module.getNumFunctions() }, (_, i) => binaryen.getFunctionInfo(module.getFunctionByIndex(i)));
}

/** An expression's fields with the expressions directly inside of it as `inside`; undefined for a kind that is not in the table. */
export function look(expression) {
  const id = binaryen.getExpressionId(expression);
  const fields = INSIDE.get(id);
  if (!fields) return undefined;
  // The library knows no fields of those that have none, and fails.
  if (BARE.has(id)) return { id, type: binaryen.getExpressionType(expression), inside: [] };
  const info = binaryen.getExpressionInfo(expression);
  info.inside = fields.flatMap((field) => info[field] || []).filter(Boolean);
  return info;
}

/** The labels that a jump may go to. */
export function targets(info) {
  if (info.id === BreakId) return [info.name];
  return info.id === SwitchId ? [...new Set([...info.names, info.defaultName])] : [];
}

/**
 * The places of a function's body that the flow may pass by: an arm of an `if`, or a block from its `at`-th child on when something before
 * it may leave the block. In a fixed order, with a hash of the body's shape, which does not depend on constants.
 * Undefined when the body holds something that is not understood.
 */
export function places(body) {
  const found = [];
  let hash = 0x811c9dc5;
  const mix = (n) => { hash = Math.imul(hash ^ n, 0x01000193) >>> 0; };
  const visit = (expression) => {
    const info = look(expression);
    if (!info) throw new UnknownKind();
    mix(info.id);
    mix(info.op ?? 0);
    const leaves = new Set(info.id === ReturnId || info.id === UnreachableId ? [''] : targets(info));
    const enter = (inner) => { for (const label of visit(inner)) leaves.add(label); };
    if (info.id === IfId) {
      enter(info.condition);
      for (const arm of ['ifTrue', 'ifFalse']) if (info[arm]) { found.push({ expression, arm }); enter(info[arm]); }
    } else if (info.id === BlockId) {
      info.children.forEach((child, at) => {
        const inner = visit(child);
        for (const label of inner) leaves.add(label);
        if (inner.size && at + 1 < info.children.length) found.push({ expression, at: at + 1 });
      });
    } else info.inside.forEach(enter);
    if (info.name && (info.id === BlockId || info.id === LoopId)) leaves.delete(info.name);
    return leaves;
  };
  try {
    visit(body);
  } catch (error) {
    if (error instanceof UnknownKind) return undefined;
    throw error;
  }
  return { found, shape: hash };
}

class UnknownKind extends Error {}
