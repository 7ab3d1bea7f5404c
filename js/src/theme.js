// The editor's looks. Every colour is one of the page's variables, which reach into a shadow root, so a change of theme needs nothing here.
// Syntax is weight and tone, never a hue: a hue names a writer.
import { HighlightStyle } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

export const tones = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--y-key, var(--ink-1))', fontWeight: '550' },
  { tag: [tags.string, tags.content, tags.number, tags.bool, tags.null, tags.attributeValue], color: 'var(--y-val, var(--ink-2))' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--y-com, var(--ink-3))', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace, tags.meta], color: 'var(--ink-3)' },
  { tag: [tags.labelName, tags.typeName, tags.keyword], color: 'var(--ink-2)', fontWeight: '550' },
]);

const floating = { background: 'var(--surface)', color: 'var(--ink-1)', border: '1px solid var(--line)', borderRadius: 'var(--r1)', boxShadow: 'var(--shadow-2)' };

export const styles = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink-1)', background: 'transparent', fontSize: 'inherit' },
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused .cm-content': { caretColor: 'var(--me)' },
  '.cm-scroller': { containerType: 'inline-size', fontFamily: 'var(--mono)', fontSize: 'var(--editor-size, .78125rem)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '9px 0' },
  '.cm-line': { padding: '0 8px 0 2px' },
  '.cm-gutters': { background: 'transparent', color: 'var(--ink-3)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '1.5rem', padding: '0 .25rem 0 .125rem', fontSize: 'var(--t-xs)', lineHeight: 'inherit', display: 'flex', alignItems: 'center', justifyContent: 'flex-end' },
  '.cm-foldGutter .cm-gutterElement': { width: '12px', color: 'var(--ink-3)' },
  '.cm-edges': { width: '3px' },
  '.cm-edge': { display: 'block', width: '3px', height: 'calc(100% - 4px)', margin: '2px 0', borderRadius: '0 2px 2px 0' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'color-mix(in srgb, var(--ink-1) 5%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--me)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'color-mix(in srgb, var(--me) 22%, transparent)' },
  '.cm-selectionMatch, .cm-searchMatch': { background: 'color-mix(in srgb, var(--ink-1) 12%, transparent)' },
  '.cm-searchMatch-selected': { background: 'color-mix(in srgb, var(--me) 30%, transparent)' },
  '&.cm-focused .cm-matchingBracket': { background: 'color-mix(in srgb, var(--ink-1) 14%, transparent)' },
  '.cm-foldPlaceholder': { background: 'var(--raised)', color: 'var(--ink-2)', border: '1px solid var(--line)' },
  '.cm-badLine': { background: 'var(--stuck-wash)' },
  '.cm-said': { fontFamily: 'var(--sans)', fontSize: 'var(--t-sm)', lineHeight: '1.45', color: 'var(--ink-1)', background: 'var(--stuck-wash)', padding: '3px 12px 8px 2px', position: 'sticky', left: '2.5rem', boxSizing: 'border-box', maxWidth: 'calc(100cqw - 2.75rem)', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '.cm-said code': { fontFamily: 'var(--mono)', color: 'var(--stuck)', fontWeight: '600' },
  '.cm-said p': { margin: '2px 0 0', color: 'var(--ink-2)' },
  '.cm-tooltip': floating,
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: 'var(--t-sm)', maxHeight: '14em' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--ink-1)', color: 'var(--on-ink)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--ink-3)', marginLeft: '1em' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-tooltip.cm-completionInfo': { ...floating, fontFamily: 'var(--sans)', fontSize: 'var(--t-sm)', lineHeight: '1.45', padding: '6px 8px', maxWidth: '28em' },
  '.cm-tooltip-lint': { fontSize: 'var(--t-sm)' },
  '.cm-diagnostic': { borderLeftWidth: '3px', padding: '3px 8px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--stuck)' },
  '.cm-panels': { background: 'var(--raised)', color: 'var(--ink-1)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { fontSize: 'var(--t-sm)', padding: '6px 28px 6px 8px' },
  '.cm-textfield': { background: 'var(--surface)', color: 'var(--ink-1)', border: '1px solid var(--line-strong)', borderRadius: 'var(--r1)' },
  '.cm-button': { background: 'var(--surface)', backgroundImage: 'none', color: 'var(--ink-1)', border: '1px solid var(--line-strong)', borderRadius: 'var(--r1)' },
  '.cm-panel.cm-search [name=close]': { color: 'var(--ink-2)' },
});
