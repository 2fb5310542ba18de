// The page in Chromium, which has both timers.
import {writeFileSync} from 'node:fs';
import {assert, check, until} from './checks.mjs';
import {emaCells, openPage, pageCalls} from './open.mjs';

const isTime = (cell) => /^[≈<]?\d/.test(cell);
const isBareZero = (cell) => /^0(\.0*)?$/.test(cell);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const accepted = (report) => sum(report.series.map((series) => series.accepted));
const rejected = (report) => sum(report.series.flatMap((series) => Object.values(series.rejected)));

async function bothFilled(page, count = 6) {
  for (const side of [0, 1]) {
    const cells = await emaCells(page, side);
    if (cells.length !== count || !cells.every(isTime)) return false;
  }
  return true;
}

// Both pictures of one frame as the browser shows them, and how far they are apart.
const comparePictures = (page) => page.evaluate(() => {
  const pixels = (id) => {
    const source = document.getElementById(id);
    const copy = new OffscreenCanvas(source.width, source.height);
    const context = copy.getContext('2d', {willReadFrequently: true});
    context.drawImage(source, 0, 0);
    return context.getImageData(0, 0, source.width, source.height).data;
  };
  // A canvas can be read only in the task that drew it.
  if (!passmeterPage._passmeter_page_draw(0)) throw new Error('WebGL2 drew nothing');
  const left = pixels('gl-canvas');
  if (!passmeterPage._passmeter_page_draw(1)) throw new Error('WebGPU drew nothing');
  const right = pixels('webgpu-canvas');
  let total = 0, far = 0, bright = 0;
  for (let i = 0; i < left.length; ++i) {
    const apart = Math.abs(left[i] - right[i]);
    total += apart;
    if (apart > 8) ++far;
    if (i % 4 !== 3) bright += left[i];
  }
  return {mean: total / left.length, far: far / left.length, bright: bright / left.length, size: left.length / 4};
});

export async function chromiumPage(browser, site, screenshots) {
  const began = Date.now();
  const {page, complaints} = await openPage(browser, site, {
    viewport: {width: 1280, height: 1000},
    before: () => {
      // The page's clock can be moved on, and it can be told that it is hidden.
      const real = performance.now.bind(performance);
      globalThis.jump_ms = 0;
      performance.now = () => real() + globalThis.jump_ms;
      globalThis.hide = (on) => {
        Object.defineProperty(document, 'hidden', {configurable: true, get: () => on});
        Object.defineProperty(document, 'visibilityState', {configurable: true, get: () => (on ? 'hidden' : 'visible')});
        document.dispatchEvent(new Event('visibilitychange'));
      };
      // Living objects are counted where they are made.
      globalThis.made = {queries: 0, buffers: 0, sets: 0};
      const count = (prototype, method, key) => {
        const original = prototype?.[method];
        if (original) prototype[method] = function (...args) { ++made[key]; return original.apply(this, args); };
      };
      count(globalThis.WebGL2RenderingContext?.prototype, 'createQuery', 'queries');
      count(globalThis.GPUDevice?.prototype, 'createBuffer', 'buffers');
      count(globalThis.GPUDevice?.prototype, 'createQuerySet', 'sets');
    },
  });

  await check('chromium: both columns of the table fill soon after loading', async () => {
    await pageCalls.started(page);
    await until('six times on each side', () => bothFilled(page));
    const loaded = await page.evaluate(() => performance.now() - jump_ms);
    console.log(`        filled within ${(loaded / 1000).toFixed(1)} s of opening the page, ${((Date.now() - began) / 1000).toFixed(1)} s with the tab`);
  });

  await check('chromium: WebGL2 is timed by elapsed time, WebGPU by timestamps, each with its resolution', async () => {
    await until('resolutions', async () => {
      const found = await Promise.all([0, 1].map((side) => pageCalls.report(page, side)));
      return found.every((report) => report.resolution_ns !== null && report.latency_frames !== null);
    });
    const [gl, gpu] = await Promise.all([0, 1].map((side) => pageCalls.report(page, side)));
    assert.equal(gl.source, 'time_elapsed');
    assert.equal(gpu.source, 'timestamp');
    assert.match(await page.$eval('#side-0 .badges', (list) => list.textContent), /GPU elapsed time.*resolution.*latency/);
    assert.match(await page.$eval('#side-1 .badges', (list) => list.textContent), /GPU timestamps.*resolution.*latency/);
  });

  await check('chromium: both canvases show the same picture', async () => {
    await pageCalls.call(page, 'pause', 1);
    const difference = await comparePictures(page);
    await pageCalls.call(page, 'pause', 0);
    assert.equal(difference.size, (await pageCalls.status(page)).size ** 2);
    assert.ok(difference.bright > 8, `the picture is black: ${JSON.stringify(difference)}`);
    assert.ok(difference.mean < 1 && difference.far < 0.01, `the pictures differ: ${JSON.stringify(difference)}`);
  });

  await check('chromium: 600 frames without a console message, a WebGL error or an uncaptured WebGPU error', async () => {
    const status = await until('600 frames', async () => {
      const now = await pageCalls.status(page);
      return now.sides[0].frames + now.sides[1].frames >= 600 ? now : null;
    }, 900);
    assert.deepEqual(status.sides.map((side) => side.errors), [0, 0]);
    assert.deepEqual(complaints, []);
    // Accepted, in flight, or rejected for a reason that has a name: every mark is accounted for.
    const comparison = await pageCalls.comparison(page);
    for (const report of [comparison.left, comparison.right]) {
      assert.ok(accepted(report) > 1500, `${report.backend}: ${accepted(report)} samples`);
      assert.ok(rejected(report) < 0.1 * accepted(report), `${report.backend}: ${rejected(report)} rejected`);
    }
  });

  await check('chromium: screenshots in light, in dark and on a phone', async () => {
    await screenshots.take(page, 'chromium-light');
    await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: 'dark'}]);
    await screenshots.take(page, 'chromium-dark');
    await page.setViewport({width: 390, height: 844, deviceScaleFactor: 2});
    await new Promise((done) => setTimeout(done, 400));
    await screenshots.take(page, 'chromium-phone-dark');
    await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: 'light'}]);
    await new Promise((done) => setTimeout(done, 200));
    await screenshots.take(page, 'chromium-phone-light');
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wider <= 0, `on a phone the page is ${wider} pixels wider than the screen`);
    await page.setViewport({width: 1280, height: 1000});
  });

  await check('chromium: a tab hidden for 30 s leaves no spike in the statistics, and nothing grows', async () => {
    const before = await pageCalls.comparison(page);
    const made = await page.evaluate(() => ({...globalThis.made}));
    const {sides} = await pageCalls.status(page);
    await page.evaluate(() => hide(true));
    const hiddenAt = (await pageCalls.status(page)).frame;
    await new Promise((done) => setTimeout(done, 500));
    assert.ok((await pageCalls.status(page)).frame - hiddenAt <= 1, 'a hidden page goes on drawing');
    await page.evaluate(() => { jump_ms += 30000; hide(false); });
    await until('60 more frames', async () => {
      const now = await pageCalls.status(page);
      return now.sides.every((side, i) => side.frames > sides[i].frames + 30);
    });
    const after = await pageCalls.comparison(page);
    for (const side of ['left', 'right']) {
      assert.ok(after[side].frame.cpu_interval_ms < 25000, `${side}: the interval's EMA is ${after[side].frame.cpu_interval_ms} ms`);
      assert.ok(after[side].frame.cpu_interval_p99_ms < 25000);
      for (const series of after[side].series) {
        if (series.accepted > 0) assert.ok(series.max < 25000, `${side} ${series.name}: ${series.max} ms`);
      }
      assert.ok(accepted(after[side]) > accepted(before[side]));
    }
    assert.deepEqual(await page.evaluate(() => ({...globalThis.made})), made, 'queries or buffers were made anew');
  });

  await check('chromium: after the WebGL context is lost and restored the numbers come back', async () => {
    const before = accepted(await pageCalls.report(page, 0));
    await page.click('#side-0 [data-lose]');
    await until('the loss', async () => (await pageCalls.status(page)).sides[0].lost);
    await until('the words for it', () => page.$eval('#side-0 [data-reason]', (p) => /lost/i.test(p.textContent)));
    assert.equal((await pageCalls.report(page, 0)).state, 'lost');
    await screenshots.take(page, 'chromium-context-lost');
    // The other side goes on meanwhile.
    const other = accepted(await pageCalls.report(page, 1));
    await until('WebGPU frames', async () => accepted(await pageCalls.report(page, 1)) > other + 12);
    await page.click('#side-0 [data-lose]');
    await until('new samples', async () => accepted(await pageCalls.report(page, 0)) > before + 60);
    assert.equal((await pageCalls.report(page, 0)).state, 'measuring');
    assert.equal((await pageCalls.status(page)).sides[0].errors, 0);
  });

  await check('chromium: after the WebGPU device is destroyed and made anew the numbers come back', async () => {
    const before = accepted(await pageCalls.report(page, 1));
    await page.click('#side-1 [data-lose]');
    await until('the loss', async () => (await pageCalls.status(page)).sides[1].lost);
    assert.equal((await pageCalls.report(page, 1)).state, 'lost');
    const other = accepted(await pageCalls.report(page, 0));
    await until('WebGL2 frames', async () => accepted(await pageCalls.report(page, 0)) > other + 12);
    await page.click('#side-1 [data-lose]');
    await until('new samples', async () => accepted(await pageCalls.report(page, 1)) > before + 60);
    assert.equal((await pageCalls.report(page, 1)).state, 'measuring');
    assert.equal((await pageCalls.status(page)).sides[1].errors, 0);
    await until('the curtain to rise', () => page.$eval('#side-1 .curtain', (curtain) => curtain.hidden));
  });

  await check('chromium: every control works by keyboard', async () => {
    const status = () => pageCalls.status(page);
    await page.focus('body');
    await page.keyboard.press('p');
    assert.equal((await status()).paused, true);
    await page.keyboard.press('p');
    assert.equal((await status()).paused, false);
    await page.keyboard.press('t');
    assert.equal((await status()).timer, false);
    await until('the words for it', () => page.$eval('#side-0 .badges', (list) => /timer off/.test(list.textContent)));
    await page.keyboard.press('t');
    assert.equal((await status()).timer, true);
    await page.focus('#passes');
    await page.keyboard.press('ArrowRight');
    assert.equal((await status()).passes, 7);
    await page.keyboard.press('End');
    assert.equal((await status()).passes, 24);
    await until('24 times on each side', () => bothFilled(page, 24), 120);
    await screenshots.take(page, 'chromium-24-passes');
    await page.keyboard.press('Home');
    assert.equal((await status()).passes, 6);
    await page.focus('#load');
    await page.keyboard.press('Home');
    assert.equal((await status()).load, 0);
    await page.focus('#side-0 [data-lose]');
    assert.equal(await page.evaluate(() => document.activeElement.matches('[data-lose]')), true);
  });

  await check('chromium: the report is copied as JSON with its schema and as CSV', async () => {
    await page.evaluate(() => {
      globalThis.copied = [];
      navigator.clipboard.writeText = async (words) => { copied.push(words); };
    });
    await until('times after the change of load', () => bothFilled(page));
    await page.keyboard.press('j');
    await page.keyboard.press('c');
    const [json, csv] = await until('two copies', () => page.evaluate(() => (copied.length === 2 ? copied : null)));
    const comparison = JSON.parse(json);
    assert.equal(comparison.schema, 'passmeter.comparison/1');
    assert.equal(comparison.left.schema, 'passmeter.report/1');
    assert.equal(comparison.rows.length >= 6, true);
    assert.match(csv, /shadow/);
    writeFileSync(`${screenshots.folder}/report.json`, json);
  });

  await check('chromium: a forced clock is used or refused with words, and nothing unknown reads as a number', async () => {
    const force = async (value) => {
      await page.select('#clock', String(value));
      await until('a timer on each side', async () => (await pageCalls.comparison(page)) !== null);
    };
    await force(3);  // fences
    await until('estimates on the WebGL2 side', async () => {
      const report = await pageCalls.report(page, 0);
      return report.source === 'fence' && accepted(report) > 30;
    });
    const fenceCells = await until('bounds or estimates', async () => {
      const cells = await emaCells(page, 0);
      return cells.every((cell) => /^[<≈]\d/.test(cell)) ? cells : null;
    });
    assert.equal(fenceCells.some(isBareZero), false, `a time under the resolution reads as zero: ${fenceCells}`);
    await until('whole-frame estimates on the WebGPU side', async () => (await pageCalls.report(page, 1)).source === 'fence');
    await until('unknown passes there', async () => (await emaCells(page, 1)).every((cell) => cell === 'unknown'));
    await screenshots.take(page, 'chromium-fences');
    await force(2);  // elapsed time: WebGPU has none
    await until('unknown', async () => (await emaCells(page, 1)).every((cell) => cell === 'unknown'));
    await until('the reason', () => page.$eval('#side-1 [data-reason]', (p) => /no elapsed-time/.test(p.textContent)));
    await force(4);  // none
    await until('unknown on both sides', async () => (await emaCells(page, 0)).concat(await emaCells(page, 1)).every((cell) => cell === 'unknown'));
    const everything = await page.$$eval('#rows td.num, .busy b', (cells) => cells.map((cell) => cell.textContent));
    assert.equal(everything.some(isBareZero), false, `unknown reads as zero: ${everything}`);
    await force(0);
    await until('times again', () => bothFilled(page));
  });

  await check('chromium: in the end there is still nothing in the console', async () => {
    const expected = /context.*lost|CONTEXT_LOST|device.*(lost|destroyed)|destroyed/i;  // two were lost on purpose
    assert.deepEqual(complaints.filter((line) => !expected.test(line)), []);
  });
  await page.close();
}
