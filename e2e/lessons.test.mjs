// Lessons, as a reader takes them: the first one from the page alone, by what its own texts name.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, fresh, launch, open, sideways } from './browser.mjs';
import { serve } from './server.mjs';

let browser, site;
before(async () => { browser = await launch(); site = await serve('dist'); });
after(async () => { await browser?.close(); await site?.close(); });

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** What the panel says of itself: the step from 1, goals reached, whether all is done. */
const at = (page) => page.locator('.task').evaluate((e) => [e.dataset.at, e.dataset.reached, e.dataset.done].join());
const reached = (page, what) => page.locator(`.task[data-at="${what[0]}"][data-reached="${what[1]}"]`).waitFor({ state: 'attached', timeout: 60_000 });

async function begin(page, nth) {
  await page.getByRole('button', { name: 'Lesson' }).first().click();
  await page.locator('.lmenu .lz').nth(nth).click();
  await page.locator('.task').waitFor();
}

test('the first lesson is finished from the page alone', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  await begin(page, 0);
  assert.deepEqual(await axe(page), []);
  assert.equal(await at(page), '1,0,false');
  assert.ok(await page.locator('.go .btn').isDisabled(), 'the prediction comes first');
  await page.locator('[data-answer=three]').click();
  await page.locator('.go').getByRole('button', { name: 'Apply' }).click();
  await reached(page, [1, 2]);
  assert.match(await page.locator('.ht').innerText(), /“stored”, not “running”/);
  await page.getByRole('button', { name: 'Next', exact: true }).click();

  await page.locator('[data-answer=replicaset]').click();
  await page.getByRole('button', { name: 'Step S' }).click();
  await reached(page, [2, 1]);
  for (let i = 0; i < 4 && (await at(page)) !== '2,2,false'; i++) await page.getByRole('button', { name: 'Step S' }).click();
  await reached(page, [2, 2]);
  await page.getByRole('button', { name: 'Next', exact: true }).click();

  await page.locator('[data-answer=scheduler]').click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await reached(page, [3, 2]);
  await page.getByRole('button', { name: 'Next', exact: true }).click();

  await page.locator('[data-answer=other]').click();
  await page.locator('.pod button').first().click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await reached(page, [4, 2]);
  assert.equal(await at(page), '4,2,true');
  assert.match(await page.locator('.code').innerText(), /[0-9A-Z]{4}-[0-9A-Z]{4}/);
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(await sideways(page), []);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a reload keeps how far one is, and a step can be begun again without losing those before it', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  await begin(page, 1);
  await page.locator('[data-answer=stay]').click();
  await page.locator('[data-loop=replicaset]').getByRole('button', { name: 'Stop this loop' }).click();
  await reached(page, [1, 2]);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page.locator('[data-answer=v1]').click();
  await page.locator('.go').getByRole('button', { name: 'Apply' }).click();
  await reached(page, [2, 1]);
  await page.waitForFunction(() => JSON.parse(localStorage.getItem('loopscope.lessons') ?? '[]')[0]?.run.includes('NextStep'));
  await page.reload();
  await page.locator('.task[data-at="2"][data-reached="1"]').waitFor();
  await page.getByRole('button', { name: 'Reset to step 2' }).last().click();
  await page.locator('.task[data-at="2"][data-reached="0"]').waitFor();
  assert.match(await page.locator('[data-loop=replicaset]').innerText(), /stopped/, 'the first step stays done');
  await page.getByRole('button', { name: 'Lesson' }).first().click();
  assert.match(await page.locator('.lmenu .lz').nth(1).innerText(), /step 2 of 4/);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('on a phone one line above the board leads to the lesson, and Step stays in reach', async () => {
  const { page, context, complaints } = await fresh(browser, PHONE);
  await open(page, site.url);
  await page.getByRole('button', { name: 'Lesson' }).first().tap();
  assert.deepEqual(await sideways(page), []);
  await page.locator('.lmenu .lz').first().tap();
  await page.locator('[data-answer=none]').tap();
  await page.locator('.tp .btn.write').tap();
  await reached(page, [1, 2]);
  assert.deepEqual(await axe(page), []);
  await page.locator('.tabs button').first().tap();
  const line = page.locator('.lline');
  assert.match(await line.innerText(), /1 of 4/);
  assert.ok(await page.locator('.tp .main').last().isVisible());
  assert.deepEqual([await axe(page), await sideways(page)], [[], []]);
  await line.tap();
  await page.locator('.task').waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a file opens as a lesson; one that is none says why, with its line', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  const text = `lesson: mine
title: {ko: 내 것, en: Mine}
about: {ko: 하나, en: One}
start: {scenario: first}
steps:
- title: {ko: 하나, en: One}
  text: {ko: 하나, en: One}
  goals:
  - {text: {ko: 이름, en: Name}, type: [kubelet], solution: [{answer: kubelet}]}
  hints: {nudge: {ko: 가, en: a}, where: {ko: 나, en: b}, do: {ko: 다, en: c}}
  after: {ko: 끝, en: The end}
`;
  const choose = async (body) => {
    await page.getByRole('button', { name: 'Lesson' }).first().click();
    await page.locator('.lmenu input').setInputFiles({ name: 'mine.yaml', mimeType: 'text/yaml', buffer: Buffer.from(body) });
  };
  await choose(text.replace('about:', 'colour: red\nabout:'));
  await page.locator('.notice', { hasText: 'line 3: colour: unknown field' }).waitFor();
  await choose(text);
  await page.locator('.task[data-lesson=mine]').waitFor();
  await page.locator('.type input').fill('KUBELET');
  await page.keyboard.press('Enter');
  await page.locator('.task[data-done=true]').waitFor();
  assert.match(await page.locator('.ht').innerText(), /The end/);
  await page.goto(`${site.url}#lesson=AAAA`);
  await page.locator('.notice').waitFor();
  await page.goto(`${site.url}#lesson=where-is-it-stuck`);
  await page.locator('.task[data-lesson=where-is-it-stuck]').waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});
