// What the page asks of the main thread with 1,000 pods on the board: the longest task while a run goes on, and the work a frame
// while the timeline is scrubbed, both read from Chromium's own trace. `node benches/page.mjs [--json] [--dist dist] [--trace DIR]`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fresh, launch, open } from '../e2e/browser.mjs';
import { key, scenario, settled } from '../e2e/drive.mjs';
import { serve } from '../e2e/server.mjs';

const { values: said } = parseArgs({ options: { json: { type: 'boolean', default: false }, dist: { type: 'string', default: 'dist' }, trace: { type: 'string' } } });
const LONGEST_MS = 50;
const FRAME_MS = 12;
const SPEEDS = ['1x', '4x', '16x', 'max'];
const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel', ...(said.trace ? ['disabled-by-default-v8.cpu_profiler'] : [])];
/** The menu's place of the scenario with 1,000 pods. */
const BIG = 4;

/** Records what `deed` asks of the page's main thread: its tasks in order, and the times at which frames were handed on. */
async function traced(browser, page, name, deed) {
  await browser.startTracing(page, { categories: CATEGORIES });
  await deed();
  const buffer = await browser.stopTracing();
  if (said.trace) writeFileSync(join(said.trace, `${name}.json`), buffer);
  const { traceEvents: events } = JSON.parse(buffer);
  const began = events.find((e) => e.name === 'TracingStartedInBrowser');
  const frame = began.args.data.frames.find((f) => !f.parent);
  const main = events.find((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain' && e.pid === frame.processId);
  const own = events.filter((e) => e.pid === main.pid && e.tid === main.tid);
  const tasks = own.filter((e) => e.ph === 'X' && e.name === 'RunTask').map((e) => ({ at: e.ts, wall: e.dur / 1000, cpu: (e.tdur ?? e.dur) / 1000 }));
  const frames = own.filter((e) => e.name === 'Commit').map((e) => e.ts + e.dur);
  return { tasks: tasks.sort((a, b) => a.at - b.at), frames: frames.sort((a, b) => a - b) };
}

const most = (list) => list.reduce((a, b) => Math.max(a, b), 0);
const round = (ms) => Math.round(ms * 10) / 10;

function share(list, part) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

const longest = ({ tasks }) => ({ wall_ms: round(most(tasks.map((t) => t.wall))), cpu_ms: round(most(tasks.map((t) => t.cpu))), tasks: tasks.length });

/** The work that each frame took: of the tasks that began after the frame before it was handed on. */
function perFrame({ tasks, frames }, of) {
  const sums = frames.map(() => 0);
  let nth = 0;
  for (const task of tasks) {
    while (nth < frames.length && frames[nth] <= task.at) nth += 1;
    if (nth < frames.length) sums[nth] += task[of];
  }
  return { p50_ms: round(share(sums, 0.5)), p95_ms: round(share(sums, 0.95)), max_ms: round(most(sums)), frames: frames.length };
}

/** A run at the nth speed, from apply until everything is ready; slow speeds are watched for a while only. */
async function run(browser, site, nth) {
  const { page, context } = await fresh(browser, { reducedMotion: 'no-preference' });
  await open(page, `${site.url}?lang=en`);
  await scenario(page, BIG);
  await page.waitForTimeout(500);
  for (let i = 0; i < nth; i++) await page.evaluate(() => document.querySelector('.spd').click());
  const traceOf = () => traced(browser, page, `run-${SPEEDS[nth]}`, async () => {
    await key(page, 'Control+Enter');
    await key(page, 'Space');
    if (SPEEDS[nth] === 'max') await settled(page, 180_000);
    else await page.waitForTimeout(15_000);
  });
  const trace = await traceOf();
  return { page, context, trace };
}

/** Drags the head of the timeline to and fro, one move a frame. */
async function scrub(page) {
  const box = await page.locator('.tl .axis').boundingBox();
  const y = box.y + box.height / 2;
  const at = (part) => box.x + box.width * part;
  await page.mouse.move(at(0.7), y);
  await page.mouse.down();
  for (let i = 0; i <= 240; i++) await page.mouse.move(at(0.38 + 0.36 * Math.cos(i / 20)), y);
  await page.mouse.up();
  await key(page, 'Escape');
}

async function slide(page) {
  await page.locator('.tl [role=slider]').focus();
  for (let i = 0; i < 60; i++) await page.keyboard.press(i < 30 ? 'ArrowLeft' : 'ArrowRight');
  await key(page, 'Escape');
}

const site = await serve(said.dist);
const browser = await launch();
try {
  const report = { longest: {}, scrub: {} };
  for (const nth of [0, 2, 3]) {
    const { page, context, trace } = await run(browser, site, nth);
    report.longest[SPEEDS[nth]] = longest(trace);
    if (SPEEDS[nth] === 'max') {
      for (const [name, deed] of [['drag', scrub], ['keys', slide]]) {
        const scrubbed = await traced(browser, page, `scrub-${name}`, () => deed(page));
        report.scrub[name] = { wall: perFrame(scrubbed, 'wall'), cpu: perFrame(scrubbed, 'cpu') };
      }
      report.steps = await page.evaluate(() => Number(document.documentElement.dataset.step));
    }
    await context.close();
  }
  const holds = Object.values(report.longest).every((l) => l.cpu_ms <= LONGEST_MS) && Object.values(report.scrub).every((s) => s.cpu.p95_ms <= FRAME_MS);
  report.holds = holds;
  if (said.json) console.log(JSON.stringify(report));
  else {
    for (const [speed, l] of Object.entries(report.longest)) console.log(`running at ${speed.padEnd(4)} longest task ${l.wall_ms.toFixed(1).padStart(7)} ms, ${l.cpu_ms.toFixed(1)} of them CPU, of ${l.tasks}`);
    for (const [how, s] of Object.entries(report.scrub)) for (const of of ['wall', 'cpu']) console.log(`scrubbing by ${how.padEnd(4)} ${of.padEnd(4)} a frame: median ${s[of].p50_ms}, p95 ${s[of].p95_ms}, most ${s[of].max_ms} ms, of ${s[of].frames} frames`);
    console.log(holds ? 'holds' : `does not hold: ${LONGEST_MS} ms a task, ${FRAME_MS} ms a frame`);
  }
} finally {
  await browser.close();
  await site.close();
}
