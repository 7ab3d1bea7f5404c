// The page as a person drives it, by keyboard, so that it works in every language.

/** Presses a key of the page's own, with nothing focused that would take it. */
export async function key(page, name, times = 1) {
  await page.evaluate(() => document.activeElement?.blur());
  for (let i = 0; i < times; i++) await page.keyboard.press(name);
}

/** Waits until the page says that nothing is left to do: converged, or stuck. */
export function settled(page, timeout = 90_000) {
  const done = () => document.documentElement.dataset.settled === 'true' && Number(document.documentElement.dataset.step) > 0;
  return page.waitForFunction(done, null, { timeout }).then(() => true, () => false);
}

/** Runs as fast as the machine can. */
export async function fast(page) {
  for (let i = 0; i < 3; i++) await page.evaluate(() => document.querySelector('.spd').click());
}

/** Applies what is in the editor and runs until nothing is left to do. */
export async function converge(page, timeout) {
  if (!(await page.evaluate(() => 'ready' in document.documentElement.dataset))) return false;
  await key(page, 'Control+Enter');
  await key(page, 'Space');
  return settled(page, timeout);
}

/** Opens the nth scenario of the menu, counted from 0. */
export async function scenario(page, nth) {
  await page.locator('header [aria-haspopup="menu"]').first().click();
  await page.getByRole('menuitem').nth(nth).click();
}

/** One line at the kubectl prompt. */
export async function kubectl(page, line) {
  await key(page, '`');
  await page.waitForFunction(() => document.activeElement?.id === 'kubectl');
  await page.keyboard.type(line);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
}

/** The nth sheet of a phone; elsewhere everything is there already. */
export async function sheet(page, nth) {
  const tab = page.locator('.tabs button').nth(nth);
  if (await tab.isVisible()) await tab.click();
}

/** Force-deletes a pod in the nth scenario and loses on the wire what would be heard of it. */
async function lose(page, nth) {
  await scenario(page, nth);
  await page.locator('.pod button').first().click();
  await sheet(page, 3);
  await page.locator('.deeds button').nth(1).click();
  await sheet(page, 0);
  await page.locator('[data-loop=replicaset] .token').first().click();
  await page.locator('.tk .sw input').check();
  await page.locator('#lose + .two').click();
  await key(page, 's', 3);
}

/** The states that are looked at, by the names that the design's drawings give them: how a person gets there from a fresh page. */
export const STATES = {
  first: async () => {},
  half: async (page) => { await scenario(page, 1); await key(page, 'Control+Enter'); await key(page, 's', 6); },
  past: async (page) => { await STATES.half(page); await sheet(page, 4); await page.getByRole('slider').first().focus(); for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowLeft'); },
  stuck: async (page) => { await scenario(page, 3); await converge(page); },
  lost: (page) => lose(page, 2),
  edge: async (page) => {
    await lose(page, 5);
    await sheet(page, 3);
    await page.locator('.insp').getByRole('button', { name: /re-list/i }).click();
    await sheet(page, 0);
    await key(page, 's', 8);
  },
  big: async (page) => {
    await scenario(page, 4);
    await fast(page);
    await key(page, 'Control+Enter');
    await key(page, 'Space');
    await settled(page, 120_000);
  },
  error: async (page) => {
    await sheet(page, 2);
    await page.locator('.yamlw ol').click();
    const box = page.locator('.live .cm-content');
    await box.waitFor({ timeout: 5_000 });
    await box.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('a:\n\tb: 1\n');
    await page.keyboard.press('Control+Enter');
  },
};
