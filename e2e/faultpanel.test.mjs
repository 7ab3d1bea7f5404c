// The Faults tab: a fault is put in by the form, stands in the list with what it did, and ends; by mouse, by keyboard, by touch.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, fresh, launch, open, sideways } from './browser.mjs';
import { key, scenario, settled, sheet } from './drive.mjs';
import { serve } from './server.mjs';

let browser, site;
before(async () => { browser = await launch(); site = await serve('dist'); });
after(async () => { await browser?.close(); await site?.close(); });

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
const ready = async (page) => (await page.locator('.rd strong').innerText()).replace(/\s/g, '');

/** Chooses a fault in the form by its name. */
async function choose(page, name) {
  await page.locator('#fault').selectOption({ label: name });
  await page.waitForFunction((n) => document.querySelector('#fault').selectedOptions[0].textContent === n, name);
}

/** The Faults tab, wherever it is. */
async function tab(page) {
  await sheet(page, 2);
  await page.locator('#tab-ed\\.faults').click();
  await page.locator('.putin').waitFor();
}

for (const [name, options] of [['mouse', {}], ['touch', PHONE]]) {
  test(`a stale cache, by ${name}: put in, seen in the list and on the timeline, ended, and the board heals`, async () => {
    const { page, context, complaints } = await fresh(browser, options);
    await open(page, site.url);
    await scenario(page, 2);
    await tab(page);
    assert.equal(await page.locator('.flts li').count(), 0);
    await choose(page, 'stale cache');
    assert.deepEqual(await page.locator('.putin label select').evaluateAll((all) => all.slice(1).map((s) => s.value)), ['kube-controller-manager', 'pods']);
    await page.getByRole('button', { name: 'Put in' }).click();
    const row = page.locator('.flts li');
    await row.waitFor();
    assert.match(await row.innerText(), /stale cache[^]*kube-controller-manager · pods[^]*since [\d.]+s/);
    assert.deepEqual(JSON.parse(await row.locator('input').inputValue()), { freeze: 'kube-controller-manager', kind: 'pods' });
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(await sideways(page), []);
    await sheet(page, 0);
    await page.locator('.pod button').first().click();
    await sheet(page, 3);
    await page.getByRole('button', { name: 'Force delete' }).click();
    await sheet(page, 0);
    await key(page, 'Space');
    assert.ok(await settled(page));
    assert.equal(await ready(page), '2/3', 'nobody hears of it');
    await tab(page);
    assert.match(await row.innerText(), /acted \d+ time/);
    await row.getByRole('button', { name: /^End it/ }).click();
    await page.waitForFunction(() => !document.querySelector('.flts'));
    assert.match((await page.locator('.tl table.vh tr').allTextContents()).join('\n'), /fault ends: freeze[^]*fault begins: freeze/);
    await key(page, 'Space');
    assert.ok(await settled(page));
    assert.equal(await ready(page), '3/3');
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test('each fault asks for what it needs, says what happens, and what is refused is said in the world’s own words', async () => {
  const { page, context, complaints } = await fresh(browser, { viewport: { width: 1024, height: 768 } });
  await open(page, site.url);
  await scenario(page, 2);
  await tab(page);
  const names = await page.locator('#fault option').allTextContents();
  assert.ok(names.length >= 20, `${names.length} faults`);
  for (const name of names) {
    await choose(page, name);
    assert.ok((await page.locator('.putin .mid').innerText()).length > 30, name);
    assert.deepEqual(await sideways(page), [], name);
  }
  await choose(page, 'stale cache');
  await page.locator('.putin [name=for]').fill('soon');
  await page.keyboard.press('Enter');
  await page.locator('.putin .bad').waitFor();
  assert.match(await page.locator('.putin .bad').innerText(), /freeze: "for" wants a number of seconds/);
  await page.locator('.putin [name=for]').fill('2');
  await page.keyboard.press('Enter');
  await page.locator('.flts li').waitFor();
  assert.equal(await page.locator('.putin .bad').count(), 0);
  assert.match(await page.locator('.flts li').innerText(), /ends by itself at [\d.]+s/);
  await choose(page, '409 Conflict');
  await page.getByRole('button', { name: 'Put in' }).click();
  await page.locator('.flts li').nth(1).waitFor();
  await page.getByRole('button', { name: 'End all lasting faults' }).click();
  await page.waitForFunction(() => !document.querySelector('.flts'));
  assert.deepEqual(complaints, []);
  await context.close();
});

test('two leaders: the cards of the loops that run twice say so, and no longer when it has ended', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  await scenario(page, 2);
  await tab(page);
  await choose(page, 'two leaders');
  await page.getByRole('button', { name: 'Put in' }).click();
  await page.locator('[data-loop=replicaset] .pill', { hasText: '×2' }).waitFor();
  assert.equal(await page.locator('[data-loop=replicaset]').count(), 1);
  await page.locator('.more').click();
  const quiet = await page.locator('.lanes.folded > *').evaluateAll((all) => all.map((e) => e.dataset.loop));
  assert.equal(new Set(quiet).size, quiet.length, 'one card a loop');
  await page.locator('.dep button').first().click();
  await page.getByRole('button', { name: 'scale to 4' }).click();
  await key(page, 'Space');
  assert.ok(await settled(page));
  await page.getByRole('button', { name: /^End it/ }).click();
  await page.waitForFunction(() => !document.querySelector('[data-loop=replicaset] .pill').textContent.includes('×'));
  await key(page, 'Space');
  assert.ok(await settled(page));
  assert.equal(await ready(page), '4/4');
  assert.deepEqual(complaints, []);
  await context.close();
});
