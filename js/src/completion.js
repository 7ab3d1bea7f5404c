// Completions come from the page, which knows the schema; here they only get their place.
import { snippet } from '@codemirror/autocomplete';
import { offsetAt, placeOf } from './place.js';

/** A completion source that asks `complete(text, line, column)`. */
export function completionSource(complete) {
  return (context) => {
    const word = context.matchBefore(/[\w.\/-]*/);
    if (!context.explicit && !word?.text) return null;
    const doc = context.state.doc;
    const { line, column } = placeOf(doc, context.pos);
    let said = complete(doc.toString(), line, column);
    if (typeof said === 'string') said = said ? JSON.parse(said) : null;
    if (!said?.options?.length) return null;
    return {
      from: said.from ? offsetAt(doc, line, said.from) : (word?.from ?? context.pos),
      options: said.options.map(({ insert, ...option }) => ({ ...option, apply: applied(insert) })),
      validFor: /^[\w.\/-]*$/,
    };
  };
}

// `#{}` marks where the cursor goes on; a text without one is put in as it is.
function applied(insert) {
  return insert?.includes('#{') ? snippet(insert) : insert;
}
