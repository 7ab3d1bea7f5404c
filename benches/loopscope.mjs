// One Deployment of N replicas from apply to all Ready, in this process: `node benches/loopscope.mjs N` prints one JSON line.
import { performance } from 'node:perf_hooks';
import { core, said } from './core.mjs';

const replicas = Number(process.argv[2] ?? 1000);
const nodes = Math.max(3, Math.ceil(replicas / 100));
const { bench_boot, bench_up, memory } = await core();
// The peer's boot is a phase of its own, too, and is not measured either.
bench_boot(nodes);
const cpu = process.cpuUsage();
const wall = performance.now();
try {
  const ran = JSON.parse(bench_up(replicas));
  const used = process.cpuUsage(cpu);
  const row = {
    replicas, nodes, cpu_s: (used.user + used.system) / 1e6, wall_s: (performance.now() - wall) / 1e3,
    wasm_mb: memory.buffer.byteLength / 1e6, peak_rss_mb: process.resourceUsage().maxRSS / 1e3, ...ran,
  };
  if (row.ready !== replicas) throw new Error(`only ${row.ready} of ${replicas} became Ready`);
  console.log(JSON.stringify(row));
} catch (error) {
  console.error(`bench: ${said(error)}`);
  process.exitCode = 1;
}
