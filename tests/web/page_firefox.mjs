// The page in Firefox: as it comes, without any timer; and with preferences that give it timers.
import {assert, check, until} from './checks.mjs';
import {emaCells, openPage, pageCalls} from './open.mjs';

const isBareZero = (cell) => /^0(\.0*)?$/.test(cell);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const accepted = (report) => sum(report.series.map((series) => series.accepted));

export async function firefoxWithoutTimers(browser, site, screenshots) {
  const {page, complaints} = await openPage(browser, site, {
    viewport: {width: 1280, height: 1000},
    before: () => {
      const real = performance.now.bind(performance);
      globalThis.jump_ms = 0;
      performance.now = () => real() + globalThis.jump_ms;
      globalThis.hide = (on) => {
        Object.defineProperty(document, 'hidden', {configurable: true, get: () => on});
        document.dispatchEvent(new Event('visibilitychange'));
      };
      // Case 10: without the extension no query function of the browser may be called.
      globalThis.query_calls = 0;
      for (const method of ['createQuery', 'beginQuery', 'endQuery', 'getQuery', 'getQueryParameter']) {
        const original = WebGL2RenderingContext.prototype[method];
        WebGL2RenderingContext.prototype[method] = function (...args) { ++query_calls; return original.apply(this, args); };
      }
    },
  });
  await check('firefox, case 2: without a timer the WebGL2 column says fence, why, and with which resolution', async () => {
    await pageCalls.started(page);
    await until('100 frames', async () => (await pageCalls.status(page)).sides[0].frames >= 100, 120);
    const report = await pageCalls.report(page, 0);
    assert.equal(report.source, 'fence');
    assert.match(report.reason, /EXT_disjoint_timer_query/);
    assert.ok(report.resolution_ns > 0, 'no resolution');
    assert.match(await page.$eval('#side-0 .badges', (list) => list.textContent), /fences: estimates.*resolution/);
    assert.match(await page.$eval('#side-0 [data-reason]', (p) => p.textContent), /timer_query.*estimate/is);
    assert.ok(report.frame.cpu_interval_ms > 0, 'the frame rate is not shown');
    assert.equal((await pageCalls.status(page)).sides[0].errors, 0);
    assert.deepEqual(complaints, []);
  });
  await check('firefox, case 2: nothing that is unknown reads as zero', async () => {
    const cells = await page.$$eval('#rows td.num, .busy b, #frame-rows td.num', (all) => all.map((cell) => cell.textContent));
    assert.ok(cells.length > 36);
    assert.equal(cells.some(isBareZero), false, cells.join(' '));
    assert.ok((await emaCells(page, 1)).every((cell) => cell === 'unknown'), 'the WebGPU column is not unknown');
    assert.match(await page.$eval('#side-1 [data-reason]', (p) => p.textContent), /no WebGPU adapter/);
    await screenshots.take(page, 'firefox-without-timers');
  });
  await check('firefox, case 10: without the extension no query function is called', async () => {
    assert.equal(await page.evaluate(() => query_calls), 0);
  });
  await check('firefox: a tab hidden for 30 s leaves no spike in the estimates', async () => {
    for (let round = 0; round < 4; ++round) {
      await page.evaluate(() => hide(true));
      await new Promise((done) => setTimeout(done, 100));
      const {sides} = await pageCalls.status(page);
      await page.evaluate(() => { jump_ms += 30000; hide(false); });
      await until('more frames', async () => (await pageCalls.status(page)).sides[0].frames > sides[0].frames + 10);
    }
    const report = await pageCalls.report(page, 0);
    assert.ok(report.frame.cpu_interval_p99_ms < 25000, `interval ${report.frame.cpu_interval_p99_ms} ms`);
    for (const series of report.series) {
      if (series.accepted > 0) assert.ok(series.max < 25000, `${series.name}: ${series.max} ms`);
    }
  });
  await page.close();
}

export async function firefoxWithTimers(browser, site, screenshots) {
  const {page, complaints} = await openPage(browser, site, {viewport: {width: 1280, height: 1000}});
  await check('firefox with timers: the old-named extension times WebGL2, timestamps time WebGPU', async () => {
    await pageCalls.started(page);
    await until('samples on both sides', async () => {
      const both = await pageCalls.comparison(page);
      return both && accepted(both.left) > 60 && accepted(both.right) > 60;
    }, 120);
    const {left, right} = await pageCalls.comparison(page);
    assert.match(left.source, /^(time_elapsed|timestamp)$/);
    assert.match(left.reason, /EXT_disjoint_timer_query(?!_webgl2)/);
    assert.equal(right.source, 'timestamp');
    assert.ok(left.series.filter((series) => series.ema > 0).length >= 6, 'WebGL2 has fewer than six times');
    assert.ok(right.series.filter((series) => series.ema > 0).length >= 6, 'WebGPU has fewer than six times');
    await screenshots.take(page, 'firefox-with-timers');
    assert.deepEqual((await pageCalls.status(page)).sides.map((side) => side.errors), [0, 0]);
    assert.deepEqual(complaints, []);
  });
  await page.close();
}
