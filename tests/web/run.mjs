// Everything that is tested in real browsers.
//
//   xvfb-run -a node run.mjs BUILD_FOLDER [NAME]
//
// BUILD_FOLDER is that of the preset `web`. NAME is a regular expression that picks checks. The last line is
// `N passed, N failed[, N skipped]`. Screenshots go to web-screenshots beside the build folder.
import {existsSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {serve} from '../../samples/web/serve.mjs';
import {chromium, firefox, firefox_with_timers} from './browsers.mjs';

const build = resolve(process.argv.splice(2, 1)[0] ?? 'build/web');
const {assert, check, group, summary, until} = await import('./checks.mjs');
const {chromiumPage} = await import('./page_chromium.mjs');
const {chromiumTroubles} = await import('./page_troubles.mjs');
const {firefoxWithoutTimers, firefoxWithTimers} = await import('./page_firefox.mjs');
const {chromiumCases, firefoxCases, quantized, webgpuResolution, webgpuWithoutFeature} = await import('./cases.mjs');
const {Screenshots, openPage} = await import('./open.mjs');
const {tabs} = await import('./tabs.mjs');

if (!existsSync(join(build, 'site', 'passmeter_page.wasm'))) {
  console.error(`${build} holds no built page`);
  process.exit(2);
}
const screenshots = new Screenshots(join(dirname(build), 'web-screenshots'));
const servers = {};
for (const [name, folder] of [['page', 'site'], ['cases', 'site-tests'], ['hello', 'samples/web_hello']]) {
  servers[name] = await serve(join(build, folder));
}

// One browser for a group of checks; closed whatever happens.
async function withBrowser(name, start, body) {
  await group(name, async () => {
    const browser = await start();
    try {
      console.log(`# ${name}: ${await browser.version()}`);
      await body(browser);
    } finally {
      await browser.close().catch(() => {});
    }
  });
}

await withBrowser('chromium', () => chromium(), async (browser) => {
  await chromiumPage(browser, servers.page.url, screenshots);
  await chromiumTroubles(browser, servers.page.url);
  await tabs(browser, servers.page.url, screenshots, 'chromium', [['time_elapsed'], ['timestamp']]);
  await chromiumCases(browser, servers.cases.url);
  await check('case 33: on a device whose adapter has no timestamp-query the reason is shown and the passes are unknown', () =>
    webgpuWithoutFeature(browser, servers.page.url));
  await check('case 33: the resolution is measured: 65,536 ns where stamps are rounded to that, finer where they are not', async () => {
    assert.equal(await webgpuResolution(browser, servers.page.url, quantized), 65536);
    assert.ok((await webgpuResolution(browser, servers.page.url)) < 65536);
  });
  await check('chromium: the starter prints its time', async () => {
    const {page, complaints} = await openPage(browser, servers.hello.url);
    const lines = [];
    page.on('console', (message) => lines.push(message.text()));
    await until('the time', () => lines.some((line) => /^clears: \d+\.\d+ ms, by time_elapsed/.test(line)), 120);
    assert.deepEqual(complaints, []);
    await page.close();
  });
});

await withBrowser('firefox without timers', () => firefox(), async (browser) => {
  await firefoxWithoutTimers(browser, servers.page.url, screenshots);
  await tabs(browser, servers.page.url, screenshots, 'firefox', [['fence']]);
  await firefoxCases(browser, servers.cases.url);
});

await withBrowser('firefox with timers', () => firefox({prefs: firefox_with_timers}), async (browser) => {
  await firefoxWithTimers(browser, servers.page.url, screenshots);
  // Firefox 153 ends when the particles' device is asked for again after it was destroyed.
  await tabs(browser, servers.page.url, screenshots, 'firefox with timers', [['time_elapsed', 'timestamp'], ['timestamp']], [0]);
});

for (const server of Object.values(servers)) server.close();
process.exit(summary() ? 0 : 1);
