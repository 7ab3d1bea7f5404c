// Speed beside the peer, on the same machine in the same run: what is compared is the ratio of CPU seconds, never one side's seconds.
// Each measurement has a process of its own. --quick leaves the peer out; --json prints one line.
import { spawnSync } from 'node:child_process';

const json = process.argv.includes('--json');
const quick = process.argv.includes('--quick');
const say = (text) => console.error(`bench: ${text}`);

function lines(words, cwd) {
  const ran = spawnSync(process.execPath, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 26 });
  if (ran.status !== 0) throw new Error(`node ${words.join(' ')} failed`);
  return ran.stdout.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}

const own = (replicas) => lines(['benches/loopscope.mjs', String(replicas)])[0];

/** The run in the middle of three by CPU time. */
const middle = (replicas) => [own(replicas), own(replicas), own(replicas)].sort((a, b) => a.cpu_s - b.cpu_s)[1];

function peer(replicas) {
  say(`webernetes, ${replicas} replicas (about a minute and a half of CPU)`);
  lines(['build.mjs'], 'benches/webernetes');
  const up = lines(['bench.mjs', String(replicas), '--phases=up', '--maxcpu=600'], 'benches/webernetes').find((row) => row.phase === 'up' && !row.failed);
  if (!up?.ok) throw new Error('webernetes did not bring all pods up');
  return up;
}

try {
  say('loopscope, 1,000 replicas, three times');
  const small = middle(1000);
  say('loopscope, 10,000 replicas');
  const large = own(10_000);
  const other = quick ? null : peer(1000);
  const report = {
    ratio_1000: other && Math.round((other.cpu_s / small.cpu_s) * 10) / 10,
    per_pod_10000_over_1000: Math.round((large.cpu_s / 10_000 / (small.cpu_s / 1000)) * 100) / 100,
    peak_mb_1000: Math.round(small.wasm_mb * 10) / 10,
    writes_1000: small.writes,
    cpu_s_1000: small.cpu_s, cpu_s_10000: large.cpu_s, peak_mb_10000: Math.round(large.wasm_mb * 10) / 10, writes_10000: large.writes,
    events_1000: small.events, simulated_s_1000: small.simulated_ms / 1000, process_mb_1000: Math.round(small.peak_rss_mb),
    peer: other && { name: 'webernetes 0.3.5', cpu_s: other.cpu_s, writes: other.writes, peak_rss_mb: other.peak_rss_mb },
  };
  if (json) console.log(JSON.stringify(report));
  else {
    const side = (name, cpu, writes, mb) => console.log(`${name.padEnd(24)} ${cpu.toFixed(2).padStart(9)} CPU s ${String(writes).padStart(8)} writes ${mb.toFixed(0).padStart(6)} MB`);
    side('loopscope, 1,000', small.cpu_s, small.writes, small.wasm_mb);
    side('loopscope, 10,000', large.cpu_s, large.writes, large.wasm_mb);
    if (other) side('webernetes, 1,000', other.cpu_s, other.writes, other.peak_rss_mb);
    if (other) console.log(`${report.ratio_1000} times less CPU than the peer at 1,000`);
    console.log(`${report.per_pod_10000_over_1000} times the cost per pod at 10,000`);
  }
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
