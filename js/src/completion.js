// Completions: the page knows the schema, this file where the cursor is and how YAML is written.
import { snippet } from '@codemirror/autocomplete';
import { where } from './where.js';

/** A completion source. `schema(question)` answers lines: see `options` of the editor. */
export function completionSource(schema) {
  return (context) => {
    const word = context.matchBefore(/[\w.\/-]*/);
    const doc = context.state.doc;
    const at = where(doc.sliceString(0, context.pos), doc.sliceString(context.pos));
    if (!at || (!context.explicit && !word?.text && !at.key)) return null;
    const options = at.key ? values(schema, at) : keys(schema, at);
    return options.length ? { from: context.pos - at.typed.length, options, validFor: /^[\w.\/-]*$/ } : null;
  };
}

const ask = (schema, ...question) => schema(question.join('\n')).split('\n').filter(Boolean).map((line) => line.split('\t'));

function values(schema, { apiVersion, kind, path, key }) {
  if (!path.length && key === 'apiVersion') return [...new Set(ask(schema, '', '', '').map((k) => k[1]))].map((label) => ({ label }));
  if (!path.length && key === 'kind') return ask(schema, '', '', '').filter((k) => !apiVersion || k[1] === apiVersion).map(([label, detail]) => ({ label, detail }));
  return ask(schema, apiVersion, kind, [...path, key].join('/')).filter(([label]) => label.startsWith('=')).map(([label]) => ({ label: label.slice(1) }));
}

function keys(schema, { apiVersion, kind, path, beside, dashed }) {
  const known = kind ? ask(schema, apiVersion, kind, path.join('/')) : path.length ? [] : [['apiVersion'], ['kind'], ['metadata', '', 'o'], ['spec', '', 'o']];
  const deeper = dashed ? '\n\t\t' : '\n\t';
  const text = { o: `:${deeper}#{}`, l: `:${deeper}- #{}` };
  return known.filter(([label]) => !label.startsWith('=') && !beside.includes(label) && (path.length || label !== 'status'))
    .map(([label, detail, shape]) => ({ label, detail, apply: snippet(label + (text[shape] ?? ': #{}')) }));
}
