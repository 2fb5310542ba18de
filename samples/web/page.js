// The exported functions of passmeter_page (see page.cpp), for every part of the panel.
import createPage from './passmeter_page.js';

export const $ = (id) => document.getElementById(id);

// Whatever stops the page is told on it, lest it look as if it had only just begun.
function tell(error) {
  $('fault').textContent = `The page has failed, and what it shows may be old: ${error?.message ?? error}`;
  $('fault').hidden = false;
}
globalThis.addEventListener('error', tell);
globalThis.addEventListener('unhandledrejection', ({reason}) => tell(reason));

export const page = await createPage().catch((error) => {
  tell(error);
  throw error;
});
globalThis.passmeterPage = page;  // for the console, and for tests

export const call = (name, ...values) => page[`_passmeter_page_${name}`](...values);
export const readText = (name, ...values) => page.UTF8ToString(call(name, ...values));
export const readJson = (name, ...values) => JSON.parse(readText(name, ...values));

let toastTimer = 0;
export function say(words) {
  $('toast').textContent = words;
  $('toast').classList.add('shown');
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => $('toast').classList.remove('shown'), 1800);
}
