// Pictures of every state × window × theme × language, to be looked at; beside the design's drawing of the same state when its
// lab.html is given. `node e2e/shots.mjs --out DIR [--mock PATH/lab.html] [--states first,half] [--sizes 390x844] [--themes dark]
// [--langs ko] [--dist dist] [--fixtures]`; --fixtures asks a development build for its drawn moments (`?fixture=`).
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { fresh, launch, open, sideways } from './browser.mjs';
import { STATES } from './drive.mjs';
import { serve } from './server.mjs';

const { values: said } = parseArgs({ options: {
  out: { type: 'string', default: 'shots' }, mock: { type: 'string' }, dist: { type: 'string', default: 'dist' },
  states: { type: 'string', default: Object.keys(STATES).join() }, sizes: { type: 'string', default: '1440x900,1024x768,390x844' },
  themes: { type: 'string', default: 'light,dark' }, langs: { type: 'string', default: 'en,ko' }, fixtures: { type: 'boolean', default: false },
} });

const site = await serve(said.dist);
const browser = await launch();
mkdirSync(said.out, { recursive: true });
let wrong = 0;

async function shot(state, width, height, theme, lang) {
  const name = `${state}-${width}x${height}-${theme}-${lang}`;
  const phone = width < 768 ? { hasTouch: true, isMobile: true, deviceScaleFactor: 2 } : {};
  const options = { viewport: { width, height }, colorScheme: theme, locale: lang === 'ko' ? 'ko-KR' : 'en-GB', ...phone };
  const query = new URLSearchParams({ lang, theme, ...(said.fixtures ? { fixture: state } : {}) });
  const { page, context, complaints } = await fresh(browser, options);
  try {
    await open(page, `${site.url}?${query}`);
    if (!said.fixtures) await STATES[state](page);
  } catch (e) {
    complaints.push(`not reached: ${e.message.split('\n')[0]}`);
  }
  await page.waitForTimeout(300);
  const own = join(said.out, `${name}.png`);
  await page.screenshot({ path: own });
  complaints.push(...(await sideways(page)).map((e) => `wider than the window: ${e}`));
  await context.close();
  for (const c of complaints) console.log(`${name}: ${c}`);
  wrong += complaints.length;
  if (said.mock) await beside(name, own, options, new URLSearchParams({ state, lang, theme }));
}

/** The drawing, and a picture of both, the drawing left. */
async function beside(name, own, options, query) {
  const drawn = join(said.out, `${name}-mock.png`);
  const { page, context } = await fresh(browser, options);
  await page.goto(`${pathToFileURL(resolve(said.mock)).href}?${query}`);
  await page.waitForTimeout(150);
  await page.screenshot({ path: drawn });
  const images = [drawn, own].map((path) => `<img src="data:image/png;base64,${readFileSync(path).toString('base64')}" style="width:${options.viewport.width}px">`);
  await page.setViewportSize({ width: options.viewport.width * 2 + 8, height: options.viewport.height });
  await page.setContent(`<body style="margin:0;display:flex;gap:8px;background:#888">${images.join('')}</body>`);
  await page.screenshot({ path: join(said.out, `${name}-pair.png`) });
  await context.close();
}

try {
  for (const state of said.states.split(',')) {
    for (const size of said.sizes.split(',')) {
      const [width, height] = size.split('x').map(Number);
      for (const theme of said.themes.split(',')) for (const lang of said.langs.split(',')) await shot(state, width, height, theme, lang);
    }
    console.log(`${state}: done`);
  }
  console.log(`pictures in ${resolve(said.out)}; ${wrong} complaints`);
} finally {
  await browser.close();
  await site.close();
}
