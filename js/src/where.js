// Where in a manifest the cursor stands: the kind of its document, the path to the place, and whether a key or a value is due.

const KEY = /^(\s*(?:- +)*)("[^"]*"|[\w.\/-]+):(?=\s|$)/;

/** The column from which an ancestor counts: a list's owner may stand as far right as its dash. */
function bound(lead) {
  const dash = lead.indexOf('-');
  return dash < 0 ? lead.length : dash + 1;
}

/**
 * `before` is the text up to the cursor, `after` the rest. Returns { apiVersion, kind, path, key, typed, dashed, beside }: `key` is
 * the key whose value is due, none where a key is due; `beside` the keys that are there already. Null where neither is due.
 */
export function where(before, after = '') {
  const lines = before.split('\n');
  const here = lines.pop();
  const at = /^(\s*(?:- +)*)(?:([\w.\/-]+):\s+)?([\w.\/-]*)$/.exec(here);
  if (!at) return null;
  const from = lines.findLastIndex((l) => /^---\s*$/.test(l)) + 1;
  const rest = after.split('\n').slice(1);
  const end = rest.findIndex((l) => /^---\s*$/.test(l));
  const below = end < 0 ? rest : rest.slice(0, end);
  const above = lines.slice(from);
  const top = (name) => [...above, here, ...below].map((l) => new RegExp(`^${name}:\\s*["']?([\\w./-]+)`).exec(l)?.[1]).find(Boolean) ?? '';
  const path = [], beside = [];
  let level = at[1].length, need = bound(at[1]), mine = !at[1].includes('-');
  for (let i = above.length - 1; i >= 0; i--) {
    const key = KEY.exec(above[i]);
    if (!key) continue;
    const column = key[1].length;
    if (mine && !path.length && column === level) beside.push(key[2]);
    if (column === level && key[1].includes('-')) { need = Math.min(need, bound(key[1])); mine = false; }
    if (column >= need) continue;
    path.unshift(key[2]);
    level = column;
    need = bound(key[1]);
    mine = false;
  }
  for (const line of below) {
    const key = KEY.exec(line);
    if (!key) continue;
    if (key[1].length < at[1].length || key[1].includes('-')) break;
    if (key[1].length === at[1].length) beside.push(key[2]);
  }
  return { apiVersion: top('apiVersion'), kind: top('kind'), path, key: at[2], typed: at[3], dashed: at[1].includes('-'), beside };
}
