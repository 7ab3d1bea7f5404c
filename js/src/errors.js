// Errors: an underline where they are, and their words under the line, verbatim first. The old object stays, so nothing is modal.
import { setDiagnostics } from '@codemirror/lint';
import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';
import { rangeOf } from './place.js';

const told = StateEffect.define();

class Words extends WidgetType {
  constructor(message, help) { super(); this.message = message; this.help = help ?? ''; }
  eq(other) { return other.message === this.message && other.help === this.help; }
  toDOM() {
    const box = document.createElement('div');
    box.className = 'cm-said';
    box.setAttribute('role', 'alert');
    box.append(Object.assign(document.createElement('code'), { textContent: this.message }));
    if (this.help) box.append(Object.assign(document.createElement('p'), { textContent: this.help }));
    return box;
  }
}

/** Keeps each error under its line while one types. */
export const errorLines = StateField.define({
  create: () => Decoration.none,
  update(lines, transaction) {
    lines = lines.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(told)) lines = effect.value;
    return lines;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Replaces what is shown. */
export function showErrors(view, errors) {
  const doc = view.state.doc;
  const diagnostics = errors.map((error) => ({ ...rangeOf(doc, error), severity: error.severity ?? 'error', message: error.message }));
  const lines = errors.flatMap((error) => {
    const line = doc.line(Math.min(Math.max(1, error.line), doc.lines));
    return [
      Decoration.line({ class: 'cm-badLine' }).range(line.from),
      Decoration.widget({ widget: new Words(error.message, error.help), block: true, side: 1 }).range(line.to),
    ];
  });
  const shown = diagnostics.length ? [EditorView.scrollIntoView(diagnostics[0].from, { y: 'nearest', yMargin: 60 })] : [];
  view.dispatch({ effects: [told.of(Decoration.set(lines, true)), ...shown] }, setDiagnostics(view.state, diagnostics));
}
