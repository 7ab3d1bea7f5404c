// Lost events, stopped loops: by mouse, by keyboard, by touch. What was lost stays to be seen until something makes it good, and the
// page says what did.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fresh, launch, open, sideways } from './browser.mjs';
import { converge, key, kubectl, scenario, settled } from './drive.mjs';
import { serve } from './server.mjs';

let browser, site;
before(async () => { browser = await launch(); site = await serve('dist'); });
after(async () => { await browser?.close(); await site?.close(); });

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** How a person of each kind presses things, and finds them: a phone has sheets. */
function hands(page, touch) {
  const press = (l) => (touch ? l.tap() : l.click());
  const sheet = (nth) => (touch ? page.locator('.tabs button').nth(nth).tap() : Promise.resolve());
  return { press, board: () => sheet(0), loops: () => sheet(1), yaml: () => sheet(2), inspect: () => sheet(3), step: () => press(page.locator('.tp .main:visible')) };
}

async function ready(page) {
  return (await page.locator('.rd strong').innerText()).replace(/\s/g, '');
}

/** Three pods run; the first one is deleted by force, so that its events wait on the wires. */
async function deleted(page, hand) {
  await open(page, site.url);
  await scenario(page, 2);
  await hand.press(page.locator('.pod button').first());
  await hand.inspect();
  await hand.press(page.getByRole('button', { name: 'Force delete' }));
  await hand.board();
  await hand.press(page.locator('[data-loop=replicaset] .token').first());
  await page.locator('.tk .sw input').check();
}

/** Steps until the page says what made a loss good. */
async function healed(page, hand, by) {
  const said = page.locator('.sh .loss', { hasText: `Healed by: ${by}` });
  for (let i = 0; i < 6 && !(await said.count()); i++) {
    const at = await page.evaluate(() => document.documentElement.dataset.step);
    await hand.step();
    await page.waitForFunction((n) => document.documentElement.dataset.step !== n, at);
  }
  assert.match(await page.locator('.sh .loss').innerText(), new RegExp(`Healed by: ${by}`));
}

/** Steps until nobody moves. */
async function rest(page, hand) {
  for (let i = 0; i < 25 && (await page.evaluate(() => document.documentElement.dataset.settled)) !== 'true'; i++) {
    const at = await page.evaluate(() => document.documentElement.dataset.step);
    await hand.step();
    await page.waitForFunction((n) => document.documentElement.dataset.step !== n, at);
  }
}

for (const [name, options] of [['mouse', {}], ['touch', PHONE]]) {
  test(`a lost wake-up, by ${name}: the cache knows, nobody moves, a resync heals it`, async () => {
    const { page, context, complaints } = await fresh(browser, options);
    const hand = hands(page, name === 'touch');
    await deleted(page, hand);
    await hand.press(page.getByRole('button', { name: /Lose the wake-up only/ }));
    await rest(page, hand);
    assert.equal(await ready(page), '2/3');
    assert.match(await page.locator('.lane[data-loop=replicaset] .lostt').innerText(), /wake-up lost/);
    assert.match(await page.locator('.sh .loss').innerText(), /Wake-up lost: .*ReplicaSet loop.*Its next turn heals it/);
    await hand.inspect();
    assert.match(await page.locator('.why').innerText(), /The cache knows[^]*cache says 2[^]*board says 2/);
    assert.deepEqual(await sideways(page), []);
    await hand.press(page.getByRole('button', { name: 'Resync now' }));
    await hand.board();
    await healed(page, hand, 'a resync');
    await rest(page, hand);
    assert.equal(await ready(page), '3/3');
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test(`lost on the wire, by ${name}: the gap stays through resync and reconnect, and a re-list closes it`, async () => {
    const { page, context, complaints } = await fresh(browser, options);
    const hand = hands(page, name === 'touch');
    await deleted(page, hand);
    await hand.press(page.getByRole('button', { name: /Lose it on the wire/ }));
    await rest(page, hand);
    assert.equal(await ready(page), '2/3');
    assert.match(await page.locator('.lane[data-loop=replicaset] .lostt').first().innerText(), /lost on the wire/);
    await hand.inspect();
    assert.match(await page.locator('.why').innerText(), /cache says 3[^]*board says 2/);
    for (const what of [/Pod: Resync/, /Pod: Cut the watch connection/]) {
      await hand.loops();
      await hand.press(page.locator('[data-loop=replicaset]').getByRole('button', { name: 'Add a fault' }));
      await hand.press(page.locator('[data-loop=replicaset]').getByRole('button', { name: what }));
      await hand.board();
      await rest(page, hand);
      assert.equal(await ready(page), '2/3', `${what} heals nothing`);
      assert.match(await page.locator('.sh .loss').innerText(), /Only a re-list or a restart heals it/);
    }
    await hand.inspect();
    await hand.press(page.getByRole('button', { name: 'Re-list now' }));
    await hand.board();
    await healed(page, hand, 'a re-list');
    await rest(page, hand);
    assert.equal(await ready(page), '3/3');
    assert.deepEqual(complaints, []);
    await context.close();
  });

  test(`the Deployment loop stopped, by ${name}: the ReplicaSet loop still heals, the scale waits, after the start it catches up`, async () => {
    const { page, context, complaints } = await fresh(browser, options);
    const hand = hands(page, name === 'touch');
    await open(page, site.url);
    await scenario(page, 2);
    await hand.loops();
    await hand.press(page.locator('[data-loop=deployment]').getByRole('button', { name: 'Stop this loop' }));
    await hand.board();
    await hand.press(page.locator('.dep [role=treeitem], .dep button').first());
    await hand.inspect();
    await hand.press(page.getByRole('button', { name: 'scale to 4' }));
    await hand.board();
    await hand.press(page.locator('.pod button').first());
    await hand.inspect();
    await hand.press(page.getByRole('button', { name: 'Force delete' }));
    await hand.board();
    await rest(page, hand);
    assert.equal(await page.locator('.pod:not(.want) button').count(), 3, 'healed to what the ReplicaSet wants');
    await hand.loops();
    await hand.press(page.locator('[data-loop=deployment]').getByRole('button', { name: 'Start again' }));
    await hand.board();
    await rest(page, hand);
    assert.equal(await ready(page), '4/4');
    assert.deepEqual(complaints, []);
    await context.close();
  });
}

test('by keyboard: D on an event asks which way to lose it, arrows choose, X stops a loop', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  await scenario(page, 2);
  const pod = (await page.locator('.pod button').first().innerText()).split('\n').find((t) => /^[a-z0-9]{5}$/.test(t));
  const name = await page.evaluate(() => document.querySelector('.rsrow .nm').textContent);
  await kubectl(page, `kubectl delete pod ${name}-${pod} --force --grace-period=0 --wait=false`);
  await page.locator('[data-loop=replicaset] .token').first().focus();
  await page.keyboard.press('d');
  await page.waitForFunction(() => document.activeElement?.id === 'lose');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.locator('.lane[data-loop=replicaset] .lostt').first().waitFor();
  await key(page, '1');
  await page.waitForFunction(() => document.activeElement?.closest('[data-loop=deployment]'));
  await page.keyboard.press('x');
  await page.locator('.lane.off[data-loop=deployment]').waitFor();
  await key(page, 'b', 2);
  await page.waitForFunction(() => !document.querySelector('.lostt, .lane.off'));
  assert.deepEqual(complaints, []);
  await context.close();
});

test('requests that fail, a node that goes down, a container that is killed', async () => {
  const { page, context, complaints } = await fresh(browser);
  await open(page, site.url);
  for (let i = 0; i < 3; i++) await page.locator('.spd').click();
  assert.ok(await converge(page));
  const menu = async (loop, name) => {
    await page.locator(`[data-loop=${loop}]`).getByRole('button', { name: 'Add a fault' }).click();
    await page.locator(`[data-loop=${loop}]`).getByRole('menuitem', { name }).click();
  };
  for (const name of ['409 on the next write', '500 on the next write', 'Timeout on the next write']) await menu('replicaset', name);
  await page.locator('#tab-ed\\.faults').click();
  assert.equal(await page.locator('.flts li').count(), 3);
  await page.locator('.dep button').first().click();
  await page.getByRole('button', { name: 'scale to 4' }).click();
  await key(page, 'Space');
  assert.ok(await settled(page));
  assert.equal(await ready(page), '4/4', 'it tries again until it is done');
  await page.locator('.pod button').first().click();
  await page.getByRole('button', { name: /Kill container/ }).click();
  await key(page, 'Space');
  assert.ok(await settled(page));
  assert.match(await page.locator('.insp').innerText(), /restarts\s*1/);
  await page.locator('.nlist button').first().click();
  await page.getByRole('button', { name: 'Take a node down' }).click();
  await page.locator('.nlist li.down').waitFor();
  await page.getByRole('button', { name: 'Bring the node up' }).click();
  await page.waitForFunction(() => !document.querySelector('.nlist li.down'));
  assert.deepEqual(complaints, []);
  await context.close();
});

test('more events than fit open as a stack', async () => {
  const { page, context } = await fresh(browser);
  await open(page, site.url);
  await key(page, 'Control+Enter');
  await key(page, 's', 2);
  const more = page.locator('.token.rest').first();
  await more.waitFor();
  const lane = page.locator('.lane', { has: more }).first();
  const before = await lane.locator('.tokw').count();
  await more.click();
  assert.ok((await lane.locator('.tokw').count()) > before);
  await context.close();
});

test('the next event of a wire is lost though none waits yet; a re-list makes it good', async () => {
  const { page, context, complaints } = await fresh(browser, { viewport: { width: 1024, height: 768 } });
  const hand = hands(page, false);
  await open(page, site.url);
  await scenario(page, 2);
  const wire = async (name) => {
    await page.locator('[data-loop=deployment]').getByRole('button', { name: 'Add a fault' }).click();
    await page.locator('[data-loop=deployment]').getByRole('button', { name }).click();
  };
  await wire('Deployment: Drop the next event');
  assert.equal(await page.locator('.notice').count(), 0);
  await page.locator('#tab-ed\\.faults').click();
  assert.match(await page.locator('.flts').innerText(), /the next event will be lost/);
  await page.locator('.dep button').first().click();
  await page.getByRole('button', { name: 'scale to 4' }).click();
  await page.locator('.lane[data-loop=deployment] .lostt').first().waitFor();
  assert.deepEqual(await page.locator('.lostt .ob').evaluateAll((all) => all.map((e) => e.scrollWidth > e.clientWidth)), [false], 'its name is whole');
  await rest(page, hand);
  assert.equal(await ready(page), '3/4');
  await wire('Deployment: Re-list: read from the server');
  await healed(page, hand, 'a re-list');
  await rest(page, hand);
  assert.equal(await ready(page), '4/4');
  assert.deepEqual(complaints, []);
  await context.close();
});
