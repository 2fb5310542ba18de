// The page where something is missing, in the way, or done twice.
import {assert, check, until} from './checks.mjs';
import {emaCells, openPage, pageCalls} from './open.mjs';

const {call, report, status} = pageCalls;

const frames = async (page) => (await status(page)).sides.map((side) => side.frames);
const moreFrames = async (page, sides, many = 3) => {
  const before = await frames(page);
  await until('more frames', async () => {
    const now = await frames(page);
    return sides.every((side) => now[side] >= before[side] + many);
  }, 120);
};
const samples = async (page, side, pass) => (await report(page, side))?.series.find((one) => one.name === pass)?.accepted ?? 0;

async function open(browser, site, before, sides = [0, 1]) {
  const opened = await openPage(browser, site, {before, viewport: {width: 1280, height: 900}});
  await pageCalls.started(opened.page);
  await opened.page.evaluate(() => {
    globalThis.copied = [];
    navigator.clipboard.writeText = async (words) => { copied.push(words); };
  });
  if (sides.length > 0) await moreFrames(opened.page, sides);
  return opened;
}

const copied = async (page, key) => {
  await page.keyboard.press(key);
  return page.evaluate(() => copied.splice(0));
};

const noWebgl2 = () => {
  const original = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind === 'webgl2' ? null : original.call(this, kind, ...rest);
  };
};

const firstContextIsLost = () => {
  const original = HTMLCanvasElement.prototype.getContext;
  globalThis.webgl = [];
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    const context = original.call(this, kind, ...rest);
    if (kind === 'webgl2' && !webgl.includes(context)) {
      webgl.push(context);
      if (webgl.length === 1) context.getExtension('WEBGL_lose_context').loseContext();
    }
    return context;
  };
};

const countDevices = () => {
  globalThis.living = 0;
  const original = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...rest) {
    const device = await original.apply(this, rest);
    ++living;
    device.lost.then(() => { --living; });
    return device;
  };
};

// From unanswer() to answer() WebGPU's queue does not say that it is done.
const unansweredWork = () => {
  let held = null;
  const original = GPUQueue.prototype.onSubmittedWorkDone;
  GPUQueue.prototype.onSubmittedWorkDone = async function () {
    await original.call(this);
    if (held) await new Promise((resolve) => { held.push(resolve); });
  };
  globalThis.unanswer = () => { held = []; };
  globalThis.answer = () => { held.splice(0).forEach((resolve) => resolve()); held = null; };
};

// 300 ns and a little for every pass.
const tinyTimes = () => {
  let turn = 0;
  const original = WebGL2RenderingContext.prototype.getQueryParameter;
  WebGL2RenderingContext.prototype.getQueryParameter = function (query, name) {
    const value = original.call(this, query, name);
    return name === 0x8866 ? 300 + (++turn % 50) : value;
  };
};

// As a browser does that comes back to a page or loads it again.
const keepControls = () => {
  new MutationObserver((_, observer) => {
    const [load, passes, clock] = ['load', 'passes', 'clock'].map((id) => document.getElementById(id));
    if (!load || !passes || !clock || clock.options.length < 5) return;
    observer.disconnect();
    Object.assign(load, {value: '2.5'});
    Object.assign(passes, {value: '9'});
    Object.assign(clock, {value: '3'});
  }).observe(document, {childList: true, subtree: true});
};

async function loses(browser, site) {
  const {page, complaints} = await open(browser, site, countDevices);

  await check('chromium: a context lost twice at once is lost once, and the clock chosen meanwhile is the one it gets', async () => {
    for (const [clock, source] of [[3, 'fence'], [0, 'time_elapsed']]) {
      await page.evaluate(() => [0, 0].forEach((side) => passmeterPage._passmeter_page_lose(side)));
      await until('the loss', async () => (await status(page)).sides[0].lost);
      await page.select('#clock', String(clock));
      await call(page, 'restore', 0);
      await until('frames', async () => (await status(page)).sides[0].ready);
      assert.equal((await report(page, 0)).source, source);
      assert.equal((await status(page)).sides[0].choice, source);
      await moreFrames(page, [0]);
    }
    assert.deepEqual(complaints.filter((line) => !/context.*lost$|CONTEXT_LOST_WEBGL/i.test(line)), []);
  });

  await check('chromium: a clock chosen in the task in which the context goes is the one that is said and used', async () => {
    for (const [clock, source] of [[3, 'fence'], [0, 'time_elapsed']]) {
      await page.evaluate((which) => {
        passmeterPage._passmeter_page_lose(0);
        passmeterPage._passmeter_page_force(which);
      }, clock);
      await until('the loss', async () => (await status(page)).sides[0].lost);
      await call(page, 'restore', 0);
      await until('frames', async () => (await status(page)).sides[0].ready);
      await moreFrames(page, [0]);
      assert.deepEqual([(await status(page)).sides[0].choice, (await report(page, 0)).source], [source, source]);
    }
  });

  await check('chromium: clocks chosen faster than devices come leave one device', async () => {
    for (const clock of [1, 2, 3, 4, 0, 3, 0, 4, 0]) await page.select('#clock', String(clock));
    await moreFrames(page, [0, 1]);
    await until('one device', () => page.evaluate(() => living === 1));
  });

  await check('chromium: a lost device that is not given back can be asked for again, and what is waited for is told', async () => {
    const why = async () => (await status(page)).sides[1].why;
    await call(page, 'lose', 1);
    await until('the loss', async () => (await status(page)).sides[1].lost);
    const offered = () => until('the button', () => page.$eval('#side-1 [data-lose]',
      (button) => button.checkVisibility() && /Restore/.test(button.textContent)));
    await offered();
    await page.evaluate(() => {
      globalThis.given = GPU.prototype.requestAdapter;
      GPU.prototype.requestAdapter = async () => null;
    });
    await page.click('#side-1 [data-lose]');
    await until('the refusal', async () => /gives no WebGPU adapter/.test(await why()));
    await page.evaluate(() => {
      GPU.prototype.requestAdapter = given;
      const original = GPUAdapter.prototype.requestDevice;
      const allowed = new Promise((resolve) => { globalThis.allow = resolve; });
      GPUAdapter.prototype.requestDevice = async function (...rest) {
        await allowed;
        return original.apply(this, rest);
      };
    });
    await offered();
    await page.click('#side-1 [data-lose]');
    await until('what it waits for', async () => /Waiting for a WebGPU device/.test(await why()));
    await page.evaluate(() => allow());
    await moreFrames(page, [1]);
    assert.equal((await status(page)).sides[1].lost, false);
  });

  await check('chromium: with a new load no frame of the old one counts', async () => {
    await call(page, 'load', 0);
    await moreFrames(page, [0, 1], 5);
    await call(page, 'load', 8);
    await until('samples', async () => (await samples(page, 0, 'ssao')) >= 3 && (await samples(page, 1, 'ssao')) >= 3, 120);
    for (const side of [0, 1]) {
      const {min, p50} = (await report(page, side)).series.find((one) => one.name === 'ssao');
      assert.ok(min > 0.2 * p50, `side ${side}: at least ${min} ms, median ${p50} ms`);
    }
  });
  await page.close();
}

// Texts that stand out from their background by less than the 4.5 to 1 that WCAG asks for.
const paleTexts = (page) => page.evaluate(() => {
  const numbers = (color) => color.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = numbers(color).map((part) => (part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return numbers(color)[3] === 0 && element.parentElement ? background(element.parentElement) : color;
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  return [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility() && hasText(element)).flatMap((element) => {
    const [dark, bright] = [getComputedStyle(element).color, background(element)].map(light).sort((a, b) => a - b);
    const contrast = (bright + 0.05) / (dark + 0.05);
    return contrast < 4.5 ? [`${contrast.toFixed(2)}: ${element.textContent.trim()}`] : [];
  });
});

async function keys(browser, site) {
  const {page, complaints} = await open(browser, site);

  await check('chromium: a key held acts once, a key without a name not at all, and a slider leaves letters alone', async () => {
    const paused = async () => (await status(page)).paused;
    await page.focus('#load');
    for (const times of [1, 2, 3]) {
      await page.keyboard.down('p');
      assert.equal(await paused(), true, `pressed ${times} times`);
    }
    await page.keyboard.up('p');
    assert.equal(await page.$eval('#pause', (button) => button.textContent + button.getAttribute('aria-pressed')), 'Go onnull');
    await page.keyboard.press('p');
    assert.equal(await paused(), false);
    await page.evaluate(() => document.body.dispatchEvent(new Event('keydown', {bubbles: true})));
    assert.deepEqual(complaints, []);
  });

  await check('chromium: the CSV is one table with one header', async () => {
    const [csv] = await copied(page, 'c');
    const lines = csv.trimEnd().split('\n');
    assert.equal(lines.filter((line) => line.startsWith('name,')).length, 1);
    const widths = new Set(lines.map((line) => line.replaceAll(/"[^"]*"/g, '').split(',').length));
    assert.equal(widths.size, 1, `rows of ${[...widths]} fields`);
    for (const backend of ['gl', 'webgpu']) assert.ok(lines.some((line) => line.split(',').includes(backend)), backend);
  });

  await check('chromium: all texts of all tabs stand out from their background, by day and by night', async () => {
    for (const value of ['light', 'dark']) {
      await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value}, {name: 'prefers-reduced-motion', value: 'reduce'}]);
      for (const tab of ['occlusion', 'particles', 'deferred']) {
        await page.click(`#tab-${tab}`);
        await until('its badges', () => page.$eval(`#panel-${tab}`, (panel) => panel.querySelectorAll('.badges .source').length === 2));
        assert.deepEqual(await paleTexts(page), [], `${tab}, ${value}`);
      }
    }
  });

  await check('chromium: no tab is wider than a screen of 320 pixels', async () => {
    await page.setViewport({width: 320, height: 700});
    for (const tab of ['occlusion', 'particles', 'deferred']) {
      await page.click(`#tab-${tab}`);
      await until('the tab', () => page.$eval(`#panel-${tab}`, (panel) => !panel.hidden && panel.offsetHeight > 0));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${tab}: ${wide} pixels too wide`);
    }
  });
  await page.close();
}

export async function chromiumTroubles(browser, site) {
  await loses(browser, site);
  await keys(browser, site);

  await check('chromium: without WebGL2 the report of WebGPU is what is copied', async () => {
    const {page} = await open(browser, site, noWebgl2, [1]);
    assert.equal(JSON.parse((await copied(page, 'j'))[0]).backend, 'webgpu');
    await page.close();
  });

  await check('chromium: without WebGL2 and WebGPU nothing is copied, with words', async () => {
    // The clock stands still, so what is shown was not waited for.
    const before = `(${noWebgl2})(); GPU.prototype.requestAdapter = async () => null; performance.now = () => 100;`;
    const {page} = await open(browser, site, before, []);
    await until('both answers', () => page.$$eval('#deferred-stage .curtain', (all) => all.every((one) => /gives no/.test(one.textContent))));
    for (const key of ['j', 'c']) {
      assert.deepEqual(await copied(page, key), []);
      assert.match(await page.$eval('#toast', (toast) => toast.textContent), /nothing to copy/);
    }
    await page.close();
  });

  await check('chromium: a WebGL2 that is not even null is none, and WebGPU is drawn', async () => {
    const {page} = await open(browser, site, `(${noWebgl2.toString().replace('null', 'undefined')})()`, [1]);
    assert.match((await status(page)).sides[0].why, /gives no WebGL2 context/);
    assert.equal(await page.$eval('#fault', (fault) => fault.hidden), true);
    await page.close();
  });

  await check('chromium: a context lost before the page took it is not drawn on, another is', async () => {
    const {page} = await open(browser, site, firstContextIsLost);
    assert.deepEqual(await page.evaluate(() => webgl.map((context) => context.isContextLost())), [true, false]);
    const {alpha, antialias, depth, stencil} = await page.evaluate(() => webgl[1].getContextAttributes());
    assert.deepEqual([alpha, antialias, depth, stencil], [false, false, false, false]);
    await page.close();
  });

  await check('chromium: times below a microsecond keep two digits, and so do the ratios', async () => {
    const {page} = await open(browser, site, tinyTimes);
    const cells = await until('times', async () => {
      const now = await emaCells(page, 0);
      return now.length === 6 && now.every((cell) => cell !== 'unknown') ? now : null;
    });
    for (const cell of cells) assert.match(cell, /^0\.0003\d$/);
    await until('ratios', () => page.$$eval('#rows td.ratio', (list) => list.every((cell) => /^0\.00*[1-9]/.test(cell.textContent))), 120);
    await page.close();
  });

  await check('chromium: controls that the browser kept as they were are what is drawn', async () => {
    const {page} = await open(browser, site, keepControls);
    const {load, passes, force} = await status(page);
    assert.deepEqual([load, passes, force], [2.5, 9, 3]);
    assert.deepEqual(await page.$$eval('output', (list) => list.map((output) => output.textContent)), ['2.5×', '9']);
    await page.close();
  });

  await check('chromium: a GPU that does not finish is told, and when it does the page goes on', async () => {
    const {page} = await open(browser, site, unansweredWork);
    const words = () => page.$eval('#stuck', (stuck) => (stuck.hidden ? '' : stuck.textContent));
    assert.equal(await words(), '');
    await page.evaluate(() => unanswer());
    await until('the words', async () => /has not finished a frame for \d+ s/.test(await words()));
    await page.evaluate(() => answer());
    await until('no words', async () => await words() === '');
    await moreFrames(page, [0, 1]);
    await page.close();
  });

  await check('chromium: what stops the page is told on it', async () => {
    const {page} = await openPage(browser, site, {before: () => {
      WebGL2RenderingContext.prototype.beginQuery = () => { throw new Error('no queries today'); };
    }});
    await until('the words', () => page.$eval('#fault', (fault) => !fault.hidden && /no queries today/.test(fault.textContent)));
    await page.close();
  });
}
