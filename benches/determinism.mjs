// The same runs by the native program and by the page's wasm: every scenario of tests/scenarios and N random ones (--runs N, 100 by default).
// Each side gives a digest of all its records; --json prints {"runs":…,"identical":…}.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { core, said } from './core.mjs';

const SEED = 1;
const json = process.argv.includes('--json');
const at = process.argv.indexOf('--runs');
const random = at > 0 ? Number(process.argv[at + 1]) : 100;
const folders = readdirSync('tests/scenarios', { withFileTypes: true }).filter((e) => e.isDirectory()).map((e) => e.name).sort();

/** name → digest, as the native program prints them. */
function native() {
  return new Promise((done, fail) => {
    const words = ['digest', ...folders.map((f) => join('tests/scenarios', f)), '--random', String(random), '--seed', String(SEED)];
    const child = spawn(process.env.LOOPSCOPE ?? 'target/debug/loopscope', words, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (part) => { text += part; });
    child.on('error', fail);
    child.on('close', (code) => (code === 0 ? done(new Map(text.trim().split('\n').map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]))) : fail(new Error(`loopscope digest: exit ${code}`))));
  });
}

function filesOf(folder) {
  const names = readdirSync(join('tests/scenarios', folder)).filter((name) => /\.(yaml|json)$/.test(name));
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, readFileSync(join('tests/scenarios', folder, name), 'utf8')])));
}

/** The same by the page's wasm. What it refuses is an answer; what traps gets a new instance for the next run. */
async function wasm() {
  let instance = await core();
  const digests = new Map();
  const one = async (name, run) => {
    try {
      digests.set(name, run(instance));
    } catch (error) {
      digests.set(name, typeof error === 'string' ? `refused: ${error}` : `trapped: ${said(error)}`);
      if (typeof error !== 'string') instance = await core();
    }
    await new Promise(setImmediate);
  };
  for (const folder of folders) await one(folder, (c) => c.run_digest(filesOf(folder), BigInt(SEED)));
  for (let n = 0; n < random; n++) await one(`random-${SEED + n}`, (c) => c.random_digest(BigInt(SEED + n)));
  return digests;
}

try {
  const [ours, theirs] = await Promise.all([native(), wasm()]);
  const names = [...ours.keys()];
  // A run that neither side can play proves nothing and is not counted.
  const played = names.filter((name) => !(ours.get(name).startsWith('refused:') && theirs.get(name)?.startsWith('refused:')));
  const differ = played.filter((name) => ours.get(name) !== theirs.get(name));
  for (const name of differ) console.error(`determinism: ${name}: native ${ours.get(name)}, wasm ${theirs.get(name)}`);
  const unplayed = names.filter((name) => !played.includes(name));
  if (unplayed.length) console.error(`determinism: not played: ${unplayed.length <= 12 ? unplayed.join(', ') : `${unplayed.length} of ${names.length}`} (${ours.get(unplayed[0])})`);
  const report = { runs: played.length, identical: played.length - differ.length };
  console.log(json ? JSON.stringify(report) : `${report.identical} of ${report.runs} runs are identical, native and wasm`);
  if (differ.length || !played.length) process.exitCode = 1;
} catch (error) {
  console.error(`determinism: ${said(error)}`);
  process.exitCode = 1;
}
