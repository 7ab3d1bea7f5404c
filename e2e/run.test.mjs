// One Deployment from apply to Ready, as its users get there: by keyboard on a desktop, by touch on a phone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, fresh, launch, open, sideways } from './browser.mjs';
import { converge, key, kubectl, scenario, settled } from './drive.mjs';
import { serve } from './server.mjs';

let browser, site;
before(async () => { browser = await launch(); site = await serve('dist'); });
after(async () => { await browser?.close(); await site?.close(); });

const step = (page) => page.evaluate(() => Number(document.documentElement.dataset.step));

test('the manifest converges by keyboard alone, and nothing complains', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  assert.ok(await converge(page, 60_000), 'it settles');
  assert.match(await page.locator('body').innerText(), /3\s*\/\s*3/);
  assert.deepEqual(complaints, []);
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(await sideways(page), []);
  await context.close();
});

test('apply stores and nothing else moves; each step is one more; back takes it back', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  await key(page, 'Control+Enter');
  await page.waitForFunction(() => Number(document.documentElement.dataset.step) === 1);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.settled), 'false');
  const before = await page.locator('#board').innerText();
  await key(page, 's');
  await page.waitForFunction(() => Number(document.documentElement.dataset.step) === 2);
  assert.notEqual(await page.locator('#board').innerText(), before, 'the Deployment loop has made a ReplicaSet');
  await key(page, 'b');
  await page.waitForFunction(() => Number(document.documentElement.dataset.step) === 1);
  assert.equal(await page.locator('#board').innerText(), before);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('on a phone one tap applies and each tap after it is a step', async () => {
  const { page, context, complaints } = await fresh(browser, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  await open(page, site.url);
  await page.locator('.tp .btn.write').tap();
  await page.waitForFunction(() => Number(document.documentElement.dataset.step) === 1);
  for (let taps = 2; taps < 6; taps++) {
    await page.locator('.tp .btn.time').tap();
    await page.waitForFunction((n) => Number(document.documentElement.dataset.step) === n, taps);
  }
  assert.deepEqual(await sideways(page), []);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('the same moment is there after a reload', async () => {
  const { page, context } = await fresh(browser);
  await open(page, site.url);
  await key(page, 'Control+Enter');
  await key(page, 's', 3);
  await page.waitForFunction(() => Number(document.documentElement.dataset.step) === 4);
  const board = await page.locator('#board').innerText();
  await page.reload();
  await page.waitForFunction(() => 'ready' in document.documentElement.dataset);
  assert.equal(await step(page), 4);
  assert.equal(await page.locator('#board').innerText(), board);
  await context.close();
});

test('a pod that no node has room for ends in a settled world that says where it is stuck', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  await scenario(page, 3);
  assert.ok(await converge(page, 90_000), 'it settles');
  await kubectl(page, 'kubectl get events');
  assert.match(await page.locator('body').innerText(), /Insufficient cpu/);
  assert.ok(await settled(page, 1_000));
  assert.deepEqual(complaints, []);
  await context.close();
});

test('with hundreds of pods a bar says how many are in which state', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  await scenario(page, 4);
  for (let i = 0; i < 3; i++) await page.locator('.spd').click();
  await key(page, 'Control+Enter');
  await key(page, 'Space');
  await page.locator('.bigbar').waitFor({ timeout: 60_000 });
  assert.match(await page.locator('.bigbar').innerText(), /\d+\s+(Pending|ContainerCreating|Running)/);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a key brings the prompt up in a narrow window, too; one Escape puts its output away', async () => {
  const { page, context, complaints } = await fresh(browser, { viewport: { width: 390, height: 844 } });
  await open(page, site.url);
  await key(page, 'Control+Enter');
  await key(page, '`');
  await page.waitForFunction(() => document.activeElement?.id === 'kubectl');
  await page.keyboard.type('kubectl get deployments');
  await page.keyboard.press('Enter');
  await page.locator('.kout', { hasText: 'UP-TO-DATE' }).waitFor();
  assert.deepEqual(await sideways(page), []);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('.kout'));
  assert.deepEqual(complaints, []);
  await context.close();
});

test('what was refused in the past is said there and forgotten on the way back', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  await key(page, 'Control+Enter');
  await key(page, 's', 4);
  await page.getByRole('slider').first().focus();
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowLeft');
  await page.waitForFunction(() => document.documentElement.dataset.step === '3');
  await key(page, 'Control+Enter');
  assert.match(await page.locator('.notice').innerText(), /You cannot edit the past/);
  await key(page, 'Escape');
  await page.waitForFunction(() => document.documentElement.dataset.step === '5' && !document.querySelector('.notice'));
  assert.deepEqual(complaints, []);
  await context.close();
});

test('on a phone the link and the help are in the sheet of the history', async () => {
  const { page, context, complaints } = await fresh(browser, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, permissions: ['clipboard-read', 'clipboard-write'] });
  await open(page, site.url);
  await page.locator('.tp .btn.write').tap();
  await page.locator('.tabs button').nth(4).tap();
  assert.deepEqual(await sideways(page), []);
  await page.getByRole('button', { name: 'Share this moment' }).tap();
  assert.match(await page.locator('.shr input[readonly]').inputValue(), /#r=/);
  assert.deepEqual(await sideways(page), []);
  await page.getByRole('button', { name: 'Help' }).tap();
  assert.match(await page.locator('.menu.help').innerText(), /A colour is a writer/);
  assert.deepEqual(await sideways(page), []);
  assert.deepEqual(complaints, []);
  await context.close();
});
