// What was seen going wrong in the field, in real browsers. A case that needs an answer no browser gives on demand
// puts a method over the browser's own; all the rest stays real.
import {assert, check, skip, until} from './checks.mjs';
import {openPage} from './open.mjs';

async function open(browser, site, before) {
  const opened = await openPage(browser, `${site}cases.html`, {before});
  await opened.page.waitForFunction(() => globalThis.cases !== undefined, {timeout: 120000});
  return opened;
}

const make = (page, version = 2) => page.evaluate((which) => cases._cases_make(which), version);
const report = (page) => page.evaluate(() => JSON.parse(cases.UTF8ToString(cases._cases_report())));
const work = (found) => found.series.find((series) => series.name === 'work');

// One frame in each of so many animation frames.
const frames = (page, count, clears = 4) => page.evaluate(async (many, each) => {
  for (let i = 0; i < many; ++i) {
    await new Promise(requestAnimationFrame);
    cases._cases_frame(each);
  }
}, count, clears);

// Draws until what is in flight has come back.
const settle = (page) => page.evaluate(async () => {
  for (let i = 0; i < 30; ++i) {
    await new Promise(requestAnimationFrame);
    cases._cases_poll(1);
  }
});

const noExtension = () => {
  for (const type of [WebGLRenderingContext, WebGL2RenderingContext]) {
    const list = type.prototype.getSupportedExtensions;
    type.prototype.getSupportedExtensions = function () {
      return (list.call(this) ?? []).filter((name) => !/timer_query/.test(name));
    };
    const get = type.prototype.getExtension;
    type.prototype.getExtension = function (name) { return /timer_query/.test(name) ? null : get.call(this, name); };
  }
  globalThis.query_calls = 0;
  for (const method of ['createQuery', 'beginQuery', 'endQuery', 'getQuery', 'getQueryParameter']) {
    const original = WebGL2RenderingContext.prototype[method];
    WebGL2RenderingContext.prototype[method] = function (...args) { ++query_calls; return original.apply(this, args); };
  }
};

// Queries whose results the test decides: `answers` holds one a query, in the order in which they are read.
const scripted = () => {
  const prototype = WebGL2RenderingContext.prototype;
  globalThis.answers = [];
  globalThis.ready = true;
  globalThis.disjoint = false;
  globalThis.disjoint_reads = 0;
  globalThis.counter_calls = 0;
  const parameter = prototype.getQueryParameter;
  prototype.getQueryParameter = function (query, name) {
    if (name === 0x8867) return ready;
    if (name === 0x8866 && answers.length > 0) return answers.shift();
    return parameter.call(this, query, name);
  };
  const get = prototype.getParameter;
  prototype.getParameter = function (name) {
    if (name !== 0x8FBB) return get.call(this, name);
    ++disjoint_reads;
    const was = disjoint;
    disjoint = false;
    return was;
  };
  const extension = prototype.getExtension;
  prototype.getExtension = function (name) {
    const found = extension.call(this, name);
    if (!found || !/timer_query/.test(name)) return found;
    return new Proxy(found, {get: (target, key) => {
      if (key === 'queryCounterEXT') return () => { ++counter_calls; };
      const value = target[key];
      return typeof value === 'function' ? value.bind(target) : value;
    }});
  };
};

export async function chromiumCases(browser, site) {
  await check('case 1: a result never comes in the task that asked, spinning gets none, and a frame or so later it is there', async () => {
    const {page, complaints} = await open(browser, site);
    assert.equal(await make(page), 1);
    const spun = await page.evaluate(() => {
      cases._cases_frame(4);
      cases._cases_poll(1000);
      return JSON.parse(cases.UTF8ToString(cases._cases_report()));
    });
    assert.equal(work(spun).accepted, 0);
    assert.equal(work(spun).in_flight, 1);
    assert.equal(work(spun).ema, null);
    await settle(page);
    assert.equal(work(await report(page)).accepted, 1);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  await check('case 2: with the timer extension hidden the source is fence with a reason, and no GL error appears', async () => {
    const {page, complaints} = await open(browser, site, noExtension);
    assert.equal(await make(page), 1);
    await frames(page, 100);
    const found = await report(page);
    assert.equal(found.source, 'fence');
    assert.match(found.reason, /EXT_disjoint_timer_query/);
    assert.ok(found.frame.cpu_interval_ms > 0);
    assert.equal(await page.evaluate(() => cases._cases_gl_error()), 0);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  await check('case 2: on WebGL1 with the extension hidden there is no source; the time is unknown, the frame rate known', async () => {
    const {page, complaints} = await open(browser, site, noExtension);
    assert.equal(await make(page, 1), 1);
    await frames(page, 100);
    const found = await report(page);
    assert.equal(found.source, 'none');
    assert.ok(found.reason.length > 10);
    assert.equal(work(found).ema, null);
    assert.equal(found.frame.busy_ms, null);
    assert.ok(found.frame.cpu_interval_ms > 0);
    assert.equal(await page.evaluate(() => cases._cases_gl_error()), 0);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  await check('case 10: a full cycle on WebGL2 throws nothing, and without the extension no query function is called', async () => {
    const full = await open(browser, site);
    assert.equal(await make(full.page), 1);
    await frames(full.page, 20);
    await settle(full.page);
    const found = await report(full.page);
    assert.ok(work(found).accepted >= 10, `${work(found).accepted} of 20`);
    assert.equal(await full.page.evaluate(() => cases._cases_gl_error()), 0);
    assert.deepEqual(full.complaints, []);
    await full.page.close();

    const hidden = await open(browser, site, noExtension);
    assert.equal(await make(hidden.page), 1);
    await frames(hidden.page, 20);
    assert.equal(await hidden.page.evaluate(() => query_calls), 0);
    assert.deepEqual(hidden.complaints, []);
    await hidden.page.close();
  });

  await check("WebGL1: the extension's own suffixed entry points time a pass", async () => {
    const {page, complaints} = await open(browser, site);
    if ((await make(page, 1)) !== 1) skip('this browser has no WebGL1');
    const bits = await page.evaluate(() => [cases._cases_timestamp_bits(), cases._cases_elapsed_bits()]);
    if (bits[0] === 0 && bits[1] === 0) skip('this browser has no EXT_disjoint_timer_query on WebGL1');
    await frames(page, 30);
    await settle(page);
    const found = await report(page);
    assert.match(found.source, /^(time_elapsed|timestamp)$/);
    assert.ok(work(found).accepted > 10, `${work(found).accepted} of 30`);
    assert.equal(await page.evaluate(() => cases._cases_gl_error()), 0);
    assert.deepEqual(complaints, []);
    await page.close();
  });

  await check('case 11: results of 5,000,000,000 and 3,000,000,000 ns arrive as exactly those', async () => {
    const {page} = await open(browser, site, scripted);
    assert.equal(await make(page), 1);
    for (const ns of [5000000000, 3000000000]) {
      await page.evaluate((value) => { ready = false; answers = [value]; }, ns);
      await frames(page, 1);
      // Else a result longer than the time since its begin would be refused.
      await page.evaluate(() => { cases._cases_jump(10); ready = true; });
      await settle(page);
      assert.equal(work(await report(page)).last, ns / 1e6);
    }
    await page.close();
  });

  await check('case 13: with 0 counter bits for TIMESTAMP the source is elapsed time, without one timestamp asked for', async () => {
    const {page} = await open(browser, site, scripted);
    assert.equal(await make(page), 1);
    assert.equal(await page.evaluate(() => cases._cases_timestamp_bits()), 0);
    await page.evaluate(() => { ready = false; answers = [2000000]; });
    await frames(page, 1);
    await page.evaluate(() => { cases._cases_jump(1); ready = true; });
    await settle(page);
    const found = await report(page);
    assert.equal(found.source, 'time_elapsed');
    assert.equal(work(found).last, 2);
    assert.equal(await page.evaluate(() => counter_calls), 0);
    await page.close();
  });

  await check('case 14: one disjoint rejects the three in flight and nothing after; the flag is read once a poll', async () => {
    const {page} = await open(browser, site, scripted);
    assert.equal(await make(page), 1);
    await page.evaluate(() => { ready = false; });
    await frames(page, 3);
    // Now they are ready, and the clock was interrupted meanwhile.
    const reads = await page.evaluate(() => {
      ready = true;
      disjoint = true;
      answers = [];
      const before = disjoint_reads;
      cases._cases_poll(1);
      return disjoint_reads - before;
    });
    const disturbed = work(await report(page));
    assert.equal(reads, 1);
    assert.deepEqual([disturbed.accepted, disturbed.rejected.disjoint, disturbed.in_flight], [0, 3, 0]);
    await page.evaluate(() => { ready = false; answers = [1000000, 1000000, 1000000]; });
    await frames(page, 3);
    await page.evaluate(() => { cases._cases_jump(1); ready = true; });
    await settle(page);
    const clean = work(await report(page));
    assert.deepEqual([clean.accepted, clean.rejected.disjoint], [3, 3]);
    await page.close();
  });

  await check('a context lost without notice is noticed at the end of a frame, and restored it measures again', async () => {
    const {page} = await open(browser, site);
    assert.equal(await make(page), 1);
    await frames(page, 5);
    await page.evaluate(() => {
      globalThis.gl = document.querySelector('canvas').getContext('webgl2');
      globalThis.losable = gl.getExtension('WEBGL_lose_context');
      document.querySelector('canvas').addEventListener('webglcontextlost', (event) => event.preventDefault());
      losable.loseContext();
    });
    await frames(page, 3);
    assert.equal((await report(page)).state, 'lost');
    await page.evaluate(() => losable.restoreContext());
    await until('the context', () => page.evaluate(() => !gl.isContextLost()));
    await page.evaluate(() => cases._cases_restore());
    const before = work(await report(page)).accepted;
    await frames(page, 10);
    await settle(page);
    assert.equal((await report(page)).state, 'measuring');
    assert.ok(work(await report(page)).accepted > before);
    await page.close();
  });
}

// Case 33: the WebGPU side of the page with the feature, with a browser that refuses it, and with stamps rounded as
// browsers round them unless they were started for developers.
export async function webgpuResolution(browser, site, before) {
  const {pageCalls} = await import('./open.mjs');
  const {page} = await openPage(browser, site, {before});
  await pageCalls.started(page);
  const found = await until('a measured resolution', async () => {
    const now = await pageCalls.report(page, 1);
    return now?.resolution_ns && now.series.some((series) => series.accepted > 10) ? now : null;
  }, 120);
  await page.close();
  assert.equal(found.source, 'timestamp');
  return found.resolution_ns;
}

export const quantized = () => {
  const original = GPUBuffer.prototype.getMappedRange;
  GPUBuffer.prototype.getMappedRange = function (...args) {
    const range = original.apply(this, args);
    if (this.usage & GPUBufferUsage.MAP_READ) {
      const stamps = new BigUint64Array(range);
      stamps.forEach((stamp, i) => { stamps[i] = stamp & ~0xFFFFn; });
    }
    return range;
  };
};

export async function webgpuWithoutFeature(browser, site) {
  const {pageCalls, emaCells} = await import('./open.mjs');
  const {page, complaints} = await openPage(browser, site, {
    before: () => {
      const has = GPUSupportedFeatures.prototype.has;
      GPUSupportedFeatures.prototype.has = function (name) { return name !== 'timestamp-query' && has.call(this, name); };
    },
  });
  await pageCalls.started(page);
  const found = await until('frames', async () => {
    const now = await pageCalls.report(page, 1);
    return now && now.frames > 30 ? now : null;
  }, 120);
  assert.equal(found.source, 'fence');
  assert.match(found.reason, /timestamp-query/);
  await until('unknown passes', async () => {
    const cells = await emaCells(page, 1);
    return cells.length > 0 && cells.every((cell) => cell === 'unknown');
  });
  assert.equal((await pageCalls.status(page)).sides[1].errors, 0);
  // Without the fallback there is no source at all.
  await page.select('#clock', '1');
  const none = await until('a refusal', async () => {
    const now = await pageCalls.report(page, 1);
    return now?.source === 'none' ? now : null;
  });
  assert.ok(none.reason.length > 0);
  await until('its reason', () => page.$eval('#side-1 [data-reason]', (p) => /no timestamp-query/.test(p.textContent)));
  assert.deepEqual(complaints, []);
  await page.close();
}

export async function firefoxCases(browser, site) {
  await check('firefox, case 10: without the extension a WebGL2 cycle calls no query function and leaves no error', async () => {
    const {page, complaints} = await open(browser, site, noExtension);
    assert.equal(await make(page), 1);
    await frames(page, 100);
    const found = await report(page);
    assert.equal(found.source, 'fence');
    assert.equal(await page.evaluate(() => query_calls), 0);
    assert.equal(await page.evaluate(() => cases._cases_gl_error()), 0);
    assert.deepEqual(complaints, []);
    await page.close();
  });
  await check('firefox, case 2: WebGL1 has no timer and no fences, so no source', async () => {
    const {page} = await open(browser, site);
    if ((await make(page, 1)) !== 1) skip('this browser has no WebGL1');
    await frames(page, 100);
    const found = await report(page);
    assert.equal(found.source, 'none');
    assert.equal(work(found).ema, null);
    assert.ok(found.frame.cpu_interval_ms > 0);
    await page.close();
  });
}
