// Opens pages with everything they complain about written down.
import {mkdirSync} from 'node:fs';

export async function openPage(browser, url, {before, viewport} = {}) {
  const page = await browser.newPage();
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warn', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`page error: ${error.message}`));
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  if (viewport) await page.setViewport(viewport);
  if (before) await page.evaluateOnNewDocument(before);
  await page.goto(url, {waitUntil: 'load'});
  return {page, complaints};
}

export class Screenshots {
  constructor(folder) {
    this.folder = folder;
    mkdirSync(folder, {recursive: true});
  }
  take(page, name) {
    return page.screenshot({path: `${this.folder}/${name}.png`, fullPage: true});
  }
}

// The page's own exported functions, from outside.
export const pageCalls = {
  status: (page) => page.evaluate(() => JSON.parse(passmeterPage.UTF8ToString(passmeterPage._passmeter_page_status()))),
  report: (page, side) => page.evaluate(
    (which) => JSON.parse(passmeterPage.UTF8ToString(passmeterPage._passmeter_page_report(which))), side),
  comparison: (page) => page.evaluate(
    () => JSON.parse(passmeterPage.UTF8ToString(passmeterPage._passmeter_page_comparison()))),
  call: (page, name, ...values) => page.evaluate(
    (which, args) => passmeterPage[`_passmeter_page_${which}`](...args), name, values),
  started: (page) => page.waitForFunction(() => globalThis.passmeterPage !== undefined, {timeout: 120000}),
};

// A cell's text as a person sees it, or [] before there is a row.
export const emaCells = (page, side) => page.evaluate(
  (which) => [...document.querySelectorAll(`#rows td.${which}.ema`)].map((cell) => cell.textContent),
  side === 0 ? 'gl' : 'webgpu');
