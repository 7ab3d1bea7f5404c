// The gutter's edge: who last wrote the field of a line. The hue is the page's own (`--de`, `--rs`, …), the words are on hover and for ears.
import { RangeSet, StateEffect, StateField } from '@codemirror/state';
import { gutter, GutterMarker } from '@codemirror/view';

const told = StateEffect.define();

class Edge extends GutterMarker {
  constructor(writer, label) { super(); this.writer = writer; this.label = label ?? ''; }
  eq(other) { return other.writer === this.writer && other.label === this.label; }
  toDOM() {
    const edge = document.createElement('span');
    edge.className = 'cm-edge';
    edge.style.background = `var(--${this.writer.replace(/[^a-z]/g, '')}, currentColor)`;
    edge.title = this.label;
    return edge;
  }
}

const edges = StateField.define({
  create: () => RangeSet.empty,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(told)) marks = effect.value;
    return marks;
  },
});

/** The gutter itself, left of the line numbers. */
export const writerGutter = [edges, gutter({ class: 'cm-edges', markers: (view) => view.state.field(edges) })];

/** Replaces the marks: `[{ line, writer, label }]`. */
export function showWriters(view, writers) {
  const doc = view.state.doc;
  const marks = writers.filter((w) => w.line >= 1 && w.line <= doc.lines).map((w) => new Edge(w.writer, w.label).range(doc.line(w.line).from));
  view.dispatch({ effects: told.of(RangeSet.of(marks, true)) });
}
