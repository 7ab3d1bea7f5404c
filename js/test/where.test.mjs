import assert from 'node:assert/strict';
import { test } from 'node:test';
import { where } from '../src/where.js';

const HEAD = 'apiVersion: apps/v1\nkind: Deployment\n';
const rows = [
  ['top', `${HEAD}sp`, [], undefined, 'sp'],
  ['a field', `${HEAD}spec:\n  rep`, ['spec'], undefined, 'rep'],
  ['after a deeper block', `${HEAD}spec:\n  selector:\n    matchLabels:\n      app: a\n  te`, ['spec'], undefined, 'te'],
  ['an item', `${HEAD}spec:\n  template:\n    spec:\n      containers:\n      - na`, ['spec', 'template', 'spec', 'containers'], undefined, 'na'],
  ['an item further in', `${HEAD}spec:\n  template:\n    spec:\n      containers:\n        - name: a\n          im`, ['spec', 'template', 'spec', 'containers'], undefined, 'im'],
  ['beside a list', `${HEAD}spec:\n  template:\n    spec:\n      containers:\n      - name: a\n        image: b\n      vol`, ['spec', 'template', 'spec'], undefined, 'vol'],
  ['within an item', `${HEAD}spec:\n  template:\n    spec:\n      containers:\n      - name: a\n        resources:\n          req`, ['spec', 'template', 'spec', 'containers', 'resources'], undefined, 'req'],
  ['a value', `${HEAD}spec:\n  template:\n    spec:\n      containers:\n      - name: a\n        imagePullPolicy: Al`, ['spec', 'template', 'spec', 'containers'], 'imagePullPolicy', 'Al'],
];
for (const [name, text, path, key, typed] of rows) {
  test(`the place is known: ${name}`, () => {
    const at = where(text);
    assert.deepEqual([at.apiVersion, at.kind, at.path, at.key, at.typed], ['apps/v1', 'Deployment', path, key, typed]);
  });
}

test('each document has its own kind', () => {
  assert.equal(where(`${HEAD}---\nkind: Service\nspec:\n  po`).kind, 'Service');
  assert.equal(where('sp', `\nkind: Service\n---\n${HEAD}`).kind, 'Service');
});

test('keys that are there are told', () => {
  assert.deepEqual(where(`${HEAD}spec:\n  replicas: 3\n  s`, '\n  template: {}\n').beside, ['replicas', 'template']);
});

test('inside a flow value there is nothing to offer', () => assert.equal(where('a: {b'), null));
