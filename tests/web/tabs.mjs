// The tabs "Occlusion" and "Particles", in every browser alike.
import {assert, check, until} from './checks.mjs';
import {openPage, pageCalls} from './open.mjs';

const passes = {occlusion: ['gbuffer', 'bounds', 'lighting'], particles: ['simulate', 'draw']};
const canvases = {occlusion: ['occlusion-gl-canvas', 'occlusion-webgpu-canvas'], particles: ['particles-gl-canvas', 'particles-webgpu-canvas']};
const names = ['WebGL2', 'WebGPU'];

export const read = (page, name) => page.evaluate(
  (which) => JSON.parse(passmeterPage.UTF8ToString(passmeterPage[`_passmeter_page_${which}`]())), name);

const series = (report, name) => report.series.find((one) => one.name === name);

// A row of a facts table as a person sees it: [{text, note, unknown}, one a side].
export const factRow = (page, body, name) => page.evaluate((id, wanted) => {
  const row = [...document.querySelectorAll(`#${id} tr`)].find((one) => one.cells[0].textContent === wanted);
  return [...row.cells].slice(1).map((cell) => ({
    text: cell.firstChild.textContent, note: cell.lastChild.textContent, unknown: cell.classList.contains('unknown'),
  }));
}, body, name);

const allFacts = (page, body) => page.$$eval(`#${body} td`, (cells) => cells.map((cell) => ({
  text: cell.firstChild.textContent, note: cell.lastChild.textContent, unknown: cell.classList.contains('unknown'),
})));

// A time, a limit of a time or a count is a number; whatever is unknown is a dash with a reason.
async function checkFacts(page, body, least) {
  const facts = await allFacts(page, body);
  assert.ok(facts.length >= least, `only ${facts.length} cells`);
  for (const {text, note, unknown} of facts) {
    assert.doesNotMatch(text, /^[≈<]?0\.0*( ms)?$/, 'a time reads as zero');
    if (unknown) assert.ok(text === '–' && note.length > 5, `unknown is shown as "${text}" with the reason "${note}"`);
    else assert.match(text, /^[≈<]?\d/);
  }
}

// What the canvas shows of a frame drawn now: a canvas can be read only in the task that drew it.
const drawAndRead = (page, side, canvas) => page.evaluate((which, id) => {
  if (!passmeterPage._passmeter_page_draw(which)) throw new Error(`${id}: nothing was drawn`);
  const source = document.getElementById(id);
  const copy = new OffscreenCanvas(source.width, source.height);
  const context = copy.getContext('2d', {willReadFrequently: true});
  context.drawImage(source, 0, 0);
  const {data} = context.getImageData(0, 0, source.width, source.height);
  const colors = new Set();
  for (let i = 0; i < data.length; i += 4) colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return {pixels: [...data], colors: colors.size};
}, side, canvas);

function apart(a, b) {
  let far = 0;
  for (let i = 0; i < a.length; ++i) if (Math.abs(a[i] - b[i]) > 8) ++far;
  return far / a.length;
}

const frames = async (page, tab, side) => (await read(page, tab)).sides[side].frames;

const errorsOf = async (page, tab, sides) => {
  const state = await read(page, tab);
  return sides.map((side) => state.sides[side].errors);
};

async function pausedPictures(page, tab, sides) {
  await pageCalls.call(page, 'pause', 1);
  const found = [];
  for (const side of sides) found.push(await drawAndRead(page, side, canvases[tab][side]));
  await pageCalls.call(page, 'pause', 0);
  for (const [place, side] of sides.entries()) {
    assert.ok(found[place].colors >= 8, `${names[side]}: a picture of ${found[place].colors} colours`);
  }
  return found.map((one) => one.pixels);
}

// --- Occlusion ---------------------------------------------------------------------------------------------------

async function occlusionAtRest(page, sides) {
  const state = await until('100 frames and all objects tested', async () => {
    const now = await read(page, 'occlusion');
    return sides.every((side) => now.sides[side].frames >= 100 && now.sides[side].counts?.tested > 0) ? now : null;
  }, 300);
  for (const side of sides) {
    const {in_view, drawn, hidden, culling} = state.sides[side].counts;
    assert.equal(culling, true);
    assert.ok(in_view >= 50, `${names[side]}: ${in_view} objects in view`);
    assert.ok(drawn > 0 && drawn <= 0.4 * in_view, `${names[side]}: ${drawn} of ${in_view} drawn`);
    assert.ok(hidden >= in_view - drawn, `${names[side]}: ${hidden} hidden`);
    const latency = series(state.sides[side].on, 'occlusion latency');
    assert.ok(latency.accepted > 500 && latency.min >= 1, `${names[side]}: ${JSON.stringify(latency)}`);
    for (const report of [state.sides[side].on, state.sides[side].off]) {
      assert.ok(series(report, 'gbuffer').accepted >= 10, `${names[side]}: too few samples`);
    }
  }
  return state;
}

// At rest culling may not change a pixel, however many objects it leaves out.
async function cullingChangesNothing(page, sides) {
  const on = await pausedPictures(page, 'occlusion', sides);
  await page.click('#culling');
  await until('frames without culling', async () => {
    const now = await read(page, 'occlusion');
    return sides.every((side) => now.sides[side].counts.culling === false);
  });
  for (const side of sides) {
    const {in_view, drawn} = (await read(page, 'occlusion')).sides[side].counts;
    assert.equal(drawn, in_view, `${names[side]}: not all drawn without culling`);
  }
  const off = await pausedPictures(page, 'occlusion', sides);
  sides.forEach((side, place) => assert.equal(apart(on[place], off[place]), 0, `${names[side]}: culling shows`));
  await until('the dash', async () => (await factRow(page, 'occlusion-rows', 'Tested'))[sides[0]].unknown);
  await page.click('#culling');
  return on;
}

async function occlusionMoving(page, sides) {
  const before = await read(page, 'occlusion');
  await page.click('#moving');
  const after = await until('100 frames of a walk', async () => {
    const now = await read(page, 'occlusion');
    return sides.every((side) => now.sides[side].frames >= before.sides[side].frames + 100) ? now : null;
  }, 300);
  assert.ok(after.camera <= before.camera - 50, `the camera went from ${before.camera} to ${after.camera}`);
  assert.deepEqual(await errorsOf(page, 'occlusion', sides), sides.map(() => 0));
}

// --- Particles ---------------------------------------------------------------------------------------------------

async function countsEqualReplay(page, sides, least) {
  const state = await until(`${least} counts`, async () => {
    const now = await read(page, 'particles');
    return sides.every((side) => now.sides[side].count?.compared >= least) ? now : null;
  }, 300);
  for (const side of sides) {
    const {count, counts_alive} = state.sides[side];
    assert.equal(count.different, 0, `${names[side]}: ${count.different} of ${count.compared} counts differ`);
    assert.equal(count.value, count.replay);
    assert.equal(count.equal, true);
    assert.ok(count.value > 0 && count.age >= 1, `${names[side]}: ${JSON.stringify(count)}`);
    assert.equal(counts_alive, side === 1, 'WebGL2 counts what was drawn, WebGPU the living');
  }
  return state;
}

async function withoutRoom(page, sides) {
  await page.select('#room', '3000');
  await until('the new room', async () => (await read(page, 'particles')).capacity === 3000);
  const state = await countsEqualReplay(page, sides, 60);
  for (const side of sides) {
    assert.ok(state.sides[side].overflowed_frames > 20, `${names[side]}: ${state.sides[side].overflowed_frames} frames without room`);
    assert.ok(state.sides[side].count.value <= 3000);
  }
  await page.select('#room', '65536');
}

// Each tab has a WebGL2 context of its own, and frames pending in it when another one becomes the current one.
// Ends with the tab "Occlusion".
const switchWithFramesInFlight = (page) => page.evaluate(async () => {
  for (let round = 0; round < 40; ++round) {
    for (const tab of [1, 2]) {
      passmeterPage._passmeter_page_show(tab);
      passmeterPage._passmeter_page_draw(0);
    }
    passmeterPage._passmeter_page_show(1);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }
});

// --- Both --------------------------------------------------------------------------------------------------------

async function loseAndRestore(page, tab, side) {
  const state = async () => (await read(page, tab)).sides[side];
  await page.click(`#${tab}-side-${side} [data-lose]`);
  await until('the loss', async () => (await state()).lost);
  await until('the words for it', () => page.$eval(`#${tab}-side-${side} .curtain`, (p) => !p.hidden && /lost/i.test(p.textContent)));
  const body = tab === 'occlusion' ? 'occlusion-rows' : 'particle-rows';
  const last = passes[tab].at(-1);
  const row = tab === 'occlusion' ? 'bounds pass' : `${last} pass`;
  await until('dashes', async () => (await factRow(page, body, row))[side].unknown);
  const before = (await state()).frames;
  await page.click(`#${tab}-side-${side} [data-lose]`);
  await until('new frames', async () => {
    const now = await state();
    return now.ready && now.frames > before + 12;
  }, 120);
  await until('times again', async () => !(await factRow(page, body, row))[side].unknown);
  assert.equal((await state()).errors, 0);
}

const made = () => {
  globalThis.contexts = new Set();
  globalThis.devices = 0;
  const getContext = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
    const context = getContext.call(this, kind, ...more);
    if (kind === 'webgl2') contexts.add(context);
    return context;
  };
  const request = globalThis.GPUAdapter?.prototype.requestDevice;
  if (request) {
    GPUAdapter.prototype.requestDevice = function (...more) {
      ++devices;
      return request.apply(this, more);
    };
  }
};
const counted = (page) => page.evaluate(() => [contexts.size, devices]);
const shownPanels = (page) => page.$$eval('[role=tabpanel]', (all) => all.filter((one) => one.checkVisibility()).map((one) => one.id));
const selected = (page) => page.$$eval('[role=tab]', (all) => all.filter((one) => one.ariaSelected === 'true').map((one) => one.id));

// The badge says by what the side is timed, with the reason as its title.
async function checkSource(page, tab, sides, sources) {
  const state = await read(page, tab);
  for (const side of sides) {
    const report = state.sides[side].on ?? state.sides[side].report;
    assert.ok(sources[side].includes(report.source), `${names[side]}: ${report.source}`);
    const [words, reason] = await page.$eval(`#${tab}-side-${side} .badges .source`, (one) => [one.textContent, one.title]);
    assert.match(words, {time_elapsed: /elapsed time/, timestamp: /timestamps/, fence: /fences: estimates/}[report.source]);
    assert.equal(reason, report.reason);
  }
}

// `sources`: by what each side that the browser has may be timed. `losable`: the sides that it survives losing.
export async function tabs(browser, site, screenshots, name, sources, losable = [...sources.keys()]) {
  const sides = [...sources.keys()];
  const {page, complaints} = await openPage(browser, `${site}#occlusion`, {
    viewport: {width: 1280, height: 1000}, before: made,
  });
  const devices = sides.length - 1;
  await pageCalls.started(page);

  await check(`${name}: a link opens its tab, and only that one has contexts and devices`, async () => {
    await until('frames', async () => (await frames(page, 'occlusion', sides[0])) >= 3, 120);
    await until('a device', async () => (await counted(page))[1] === devices);
    assert.deepEqual(await shownPanels(page), ['panel-occlusion']);
    assert.deepEqual(await counted(page), [1, devices]);
    assert.deepEqual([await read(page, 'particles'), await pageCalls.report(page, 0)], [null, null]);
  });

  await check(`${name}, occlusion: with culling at least 60 % fewer objects are drawn than are in view`, async () => {
    await occlusionAtRest(page, sides);
    await checkFacts(page, 'occlusion-rows', 20);
    await checkSource(page, 'occlusion', sides, sources);
    await screenshots.take(page, `${name}-occlusion`.replaceAll(' ', '-'));
    assert.deepEqual(await errorsOf(page, 'occlusion', sides), sides.map(() => 0));
    assert.deepEqual(complaints, []);
  });

  await check(`${name}, occlusion: at rest culling changes no pixel, and both canvases show the same`, async () => {
    const pictures = await cullingChangesNothing(page, sides);
    if (sides.length === 2) assert.ok(apart(...pictures) < 0.01, `${apart(...pictures)} of the pixels differ`);
  });

  await check(`${name}, occlusion: while the camera moves nothing is wrong`, async () => {
    await occlusionMoving(page, sides);
    await screenshots.take(page, `${name}-occlusion-moving`.replaceAll(' ', '-'));
    assert.deepEqual(complaints, []);
  });

  await check(`${name}: the arrow keys change tabs, the address follows, and what is not shown does not draw`, async () => {
    await page.focus('#tab-occlusion');
    await page.keyboard.press('ArrowRight');
    await until('the particles', async () => (await selected(page))[0] === 'tab-particles');
    assert.deepEqual(await shownPanels(page), ['panel-particles']);
    assert.equal(await page.evaluate(() => location.hash), '#particles');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-particles');
    const resting = await frames(page, 'occlusion', sides[0]);
    await until('frames of particles', async () => (await frames(page, 'particles', sides[0])) >= 20, 120);
    assert.equal(await frames(page, 'occlusion', sides[0]), resting);
    assert.deepEqual(await counted(page), [2, 2 * devices]);
  });

  await check(`${name}, particles: every count that comes back equals the replay on the CPU`, async () => {
    await countsEqualReplay(page, sides, 150);
    await until('times', async () => (await factRow(page, 'particle-rows', 'draw pass'))[sides[0]].unknown === false);
    await checkFacts(page, 'particle-rows', 14);
    await checkSource(page, 'particles', sides, sources);
    await screenshots.take(page, `${name}-particles`.replaceAll(' ', '-'));
    await pausedPictures(page, 'particles', sides);
    assert.match(await page.$eval('#panel-particles .explain', (p) => p.textContent), /WebGL2 has no geometry shader.*counts only what was drawn/s);
    assert.deepEqual(await errorsOf(page, 'particles', sides), sides.map(() => 0));
  });

  await check(`${name}, particles: too little room is reported, and the counts are right all the same`, async () => {
    await withoutRoom(page, sides);
    assert.deepEqual(complaints, []);
  });

  await check(`${name}: in and out of the tabs nothing is mixed up`, async () => {
    await page.keyboard.press('Home');
    await until('the deferred frame', async () => (await selected(page))[0] === 'tab-deferred');
    await until('its frames', async () => (await pageCalls.status(page)).sides?.[0].frames >= 12, 120);
    for (const tab of ['particles', 'occlusion']) {
      const before = (await read(page, tab)).sides[sides[0]].frames;
      await page.click(`#tab-${tab}`);
      await until(`more frames of ${tab}`, async () => (await frames(page, tab, sides[0])) >= before + 20, 120);
    }
    await switchWithFramesInFlight(page);
    const {sides: city} = await read(page, 'occlusion');
    for (const side of sides) assert.deepEqual(Object.keys(city[side].on.diagnostics), [], JSON.stringify(city[side].on.diagnostics));
    assert.deepEqual((await read(page, 'particles')).sides.map((side) => side.count?.different ?? 0), [0, 0]);
    assert.deepEqual(complaints, []);
  });

  await check(`${name}: with the timer off the times are dashes with a reason, and the counts go on`, async () => {
    await page.click('#timer');
    await until('dashes', async () => (await factRow(page, 'occlusion-rows', 'bounds pass'))[sides[0]].unknown);
    await checkFacts(page, 'occlusion-rows', 20);
    assert.equal((await factRow(page, 'occlusion-rows', 'Drawn'))[sides[0]].unknown, false);
    await page.click('#timer');
    await until('times', async () => !(await factRow(page, 'occlusion-rows', 'bounds pass'))[sides[0]].unknown);
  });

  for (const tab of ['occlusion', 'particles']) {
    for (const side of losable) {
      await check(`${name}, ${tab}: ${names[side]} is lost, says so, and comes back`, async () => {
        await page.click(`#tab-${tab}`);
        await until('its frames', async () => (await read(page, tab)).sides[side].ready);
        await loseAndRestore(page, tab, side);
      });
    }
  }

  await check(`${name}: the tabs fit a phone, in the dark as well`, async () => {
    await page.setViewport({width: 390, height: 844});
    await page.emulateMediaFeatures?.([{name: 'prefers-color-scheme', value: 'dark'}]).catch(() => {});  // Firefox has no say
    for (const tab of ['particles', 'occlusion']) {
      await page.click(`#tab-${tab}`);
      await until('the tab', async () => (await selected(page))[0] === `tab-${tab}`);
      await until('its table', async () => !(await allFacts(page, tab === 'occlusion' ? 'occlusion-rows' : 'particle-rows'))[sides[0]].unknown);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${tab}: ${wide} pixels too wide`);
      await screenshots.take(page, `${name}-${tab}-phone`.replaceAll(' ', '-'));
    }
  });

  await check(`${name}: after all tabs there is nothing in the console`, async () => {
    const expected = /context.*lost|CONTEXT_LOST|device.*(lost|destroyed)|destroyed/i;  // they were lost on purpose
    assert.deepEqual(complaints.filter((line) => !expected.test(line)), []);
  });
  await page.close();
}
