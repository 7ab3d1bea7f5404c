// The policy that is written into the page.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { finished, inlineScripts } from '../finish.mjs';

const page = (script) => `<!doctype html><meta charset=utf-8><title>x</title>${script}<body></body>`;

test('inline scripts are found exactly as written, others are left out', () => {
  const html = page('<script type=module>\nimport a from "./a.js";\n</script><script src="b.js"></script><SCRIPT>c()</SCRIPT>');
  assert.deepEqual(inlineScripts(html), ['\nimport a from "./a.js";\n', 'c()']);
});

test('the policy comes right after the character set and names each hash', () => {
  const html = finished(page('<script>a()</script>'), 'editor-1.js');
  const hash = createHash('sha256').update('a()').digest('base64');
  assert.match(html, /^<!doctype html><meta charset=utf-8><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-/);
  assert.ok(html.includes(`'sha256-${hash}'`));
  assert.ok(html.includes('<meta name="loopscope-editor" content="editor-1">'));
  assert.ok(!html.includes('loopscope-rest'));
});

test('a release names its second module, too', () => {
  const html = finished(page(''), 'editor-1.js', 'loopscope-1_rest.wasm');
  assert.ok(html.includes('<meta name="loopscope-rest" content="loopscope-1_rest">'));
});

test("the reload script's address is the page's own, and is hashed as such", () => {
  const html = finished(page("<script>const a = '{{__TRUNK_ADDRESS__}}', b = '{{__TRUNK_WS_BASE__}}';</script>"), 'e.js');
  const script = "const a = location.host, b = '/';";
  assert.ok(html.includes(script));
  assert.ok(html.includes(createHash('sha256').update(script).digest('base64')));
});

test('a page without a character set is refused', () => {
  assert.throws(() => finished('<!doctype html><title>x</title>', 'e.js'), /meta charset/);
});
