// The manifest editor: CodeMirror in a shadow root, so that its rules live in one adopted style sheet and no policy is broken.
// It knows YAML's shape, nothing of Kubernetes: completions, errors and writers are told to it. Lines and columns count from 1,
// columns in characters. Whatever is a list may also come as JSON text.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { completionSource } from './completion.js';
import { errorLines, showErrors } from './errors.js';
import { korean } from './korean.js';
import { listed, offsetAt } from './place.js';
import { styles, tones } from './theme.js';
import { showWriters, writerGutter } from './writers.js';

/**
 * Puts an editor into `host`.
 *
 * options: text, label (its accessible name), readOnly, onChange(text), onApply() (Ctrl or Cmd with Enter),
 *   schema(question) → answer: apiVersion, kind and path (`spec/template`), a line each; a line for each name that may stand there,
 *   with tabs between it, its type and its shape (o an object, l a list), and `=Always` for each value. Without a kind: all kinds.
 *
 * The handle: text(), setText(text), setErrors([{ line, column, endLine, endColumn, message, help, severity }]),
 *   setWriters([{ line, writer, label }]), setReadOnly(bool), setLabel(label), in the page's language, reveal(line), focus(), destroy().
 */
export function mount(host, options) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const fixed = new Compartment();
  const words = new Compartment();
  const locked = (readOnly) => [EditorState.readOnly.of(!!readOnly), EditorView.editable.of(true)];
  const spoken = (label) => [
    EditorView.contentAttributes.of({ 'aria-label': label ?? '', autocapitalize: 'off', autocorrect: 'off', spellcheck: 'false' }),
    document.documentElement.lang === 'ko' ? EditorState.phrases.of(korean) : [],
  ];
  let telling = true;
  const state = EditorState.create({
    doc: options.text ?? '',
    extensions: [
      fixed.of(locked(options.readOnly)),
      words.of(spoken(options.label)),
      writerGutter, lineNumbers(), foldGutter(), highlightActiveLineGutter(), highlightActiveLine(), highlightSpecialChars(),
      history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightSelectionMatches(), search({ top: true }),
      yaml(), indentUnit.of('  '), EditorState.tabSize.of(2), syntaxHighlighting(tones), styles,
      errorLines,
      autocompletion({ override: options.schema ? [completionSource(options.schema)] : [], icons: false, activateOnTyping: true }),
      keymap.of([
        { key: 'Mod-Enter', run: () => (options.onApply?.(), true) },
        // Escape first leaves the trap that Tab would be; CodeMirror's own Ctrl-m does so, too.
        ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...foldKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab,
      ]),
      EditorView.updateListener.of((update) => { if (update.docChanged && telling) options.onChange?.(update.state.doc.toString()); }),
    ],
  });
  const view = new EditorView({ state, parent: root, root });
  return {
    text: () => view.state.doc.toString(),
    /** Replaces the text without telling onChange; one undo brings the old one back. */
    setText(text) {
      if (text === view.state.doc.toString()) return;
      telling = false;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, scrollIntoView: false });
      telling = true;
    },
    setErrors: (errors) => showErrors(view, listed(errors)),
    setWriters: (writers) => showWriters(view, listed(writers)),
    setReadOnly: (readOnly) => view.dispatch({ effects: fixed.reconfigure(locked(readOnly)) }),
    setLabel: (label) => view.dispatch({ effects: words.reconfigure(spoken(label)) }),
    reveal(line) {
      const at = offsetAt(view.state.doc, line, 1);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
