// Chromium for tests and measurements, and everything that a page may complain of.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Debian's Chromium, or the one in CHROMIUM; as root it runs without its sandbox by itself. */
export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium' });
}

/**
 * A fresh page in a context of its own. `complaints` fills with whatever goes wrong: violations of the policy, console errors
 * and warnings, uncaught exceptions, failed requests, answers from 400 on.
 */
export async function fresh(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', reducedMotion: 'reduce', ...options });
  const complaints = [];
  await context.exposeBinding('__violation', (_, text) => complaints.push(`policy: ${text}`));
  await context.addInitScript(() => document.addEventListener('securitypolicyviolation', (e) => window.__violation(`${e.effectiveDirective} refused ${e.blockedURI || 'inline'}`)));
  const page = await context.newPage();
  page.on('console', (m) => { if (['error', 'warning'].includes(m.type())) complaints.push(`console ${m.type()}: ${m.text()}`); });
  page.on('pageerror', (e) => complaints.push(`exception: ${e.message}`));
  page.on('requestfailed', (r) => complaints.push(`request failed: ${r.url()} ${r.failure()?.errorText}`));
  page.on('response', (r) => { if (r.status() >= 400) complaints.push(`answer ${r.status()}: ${r.url()}`); });
  return { page, context, complaints };
}

/** Opens `url` and waits until the program has drawn something. */
export async function open(page, url) {
  await page.goto(url);
  await page.waitForFunction(() => 'ready' in document.documentElement.dataset);
  return page;
}

/** What axe-core finds, one line a rule; it sees into the editor's shadow root. Evaluated, not added as a script, which the policy refuses. */
export async function axe(page) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map((v) => `${v.id}: ${v.help} (${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join('; ')})`);
}

/** Whether the page can be scrolled sideways, and by what. */
export function sideways(page) {
  return page.evaluate(() => {
    const wide = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= wide) return [];
    return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > wide + 1).slice(0, 5).map((e) => `${e.tagName.toLowerCase()}.${e.className}`);
  });
}
