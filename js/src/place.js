// Lines and columns as people and the core count them, and CodeMirror's offsets. Columns are characters, offsets UTF-16 units.

/** What was given, or what its JSON text says; nothing is an empty list. */
export function listed(given) {
  if (given === null || given === undefined || given === '') return [];
  return typeof given === 'string' ? JSON.parse(given) : given;
}

/** The offset of a place in `doc`; a place outside of it becomes the nearest one inside. */
export function offsetAt(doc, line, column) {
  const at = doc.line(Math.min(Math.max(1, line), doc.lines));
  let offset = 0, left = Math.max(1, column) - 1;
  for (const character of at.text) {
    if (left-- <= 0) break;
    offset += character.length;
  }
  return at.from + offset;
}

/** Line and column of an offset. */
export function placeOf(doc, offset) {
  const at = doc.lineAt(offset);
  return { line: at.number, column: [...at.text.slice(0, offset - at.from)].length + 1 };
}

/** The range an error names: at least one visible character, the line's text if it names no column. */
export function rangeOf(doc, { line, column, endLine, endColumn }) {
  const first = doc.line(Math.min(Math.max(1, line), doc.lines));
  if (!column) return { from: first.from + (first.text.length - first.text.trimStart().length), to: first.to };
  const from = offsetAt(doc, line, column);
  const to = endColumn ? offsetAt(doc, endLine ?? line, endColumn) : from + (/^[^\s,\]}]+/.exec(first.text.slice(from - first.from))?.[0].length ?? 1);
  return { from, to: Math.min(Math.max(to, from + 1), Math.max(doc.length, from)) };
}
