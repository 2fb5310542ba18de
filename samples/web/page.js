// The exported functions of passmeter_page (see page.cpp), for every part of the panel.
import createPage from './passmeter_page.js';

export const page = await createPage();
globalThis.passmeterPage = page;  // for the console, and for tests

export const call = (name, ...values) => page[`_passmeter_page_${name}`](...values);
export const readText = (name, ...values) => page.UTF8ToString(call(name, ...values));
export const readJson = (name, ...values) => JSON.parse(readText(name, ...values));

export const $ = (id) => document.getElementById(id);

let toastTimer = 0;
export function say(words) {
  $('toast').textContent = words;
  $('toast').classList.add('shown');
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => $('toast').classList.remove('shown'), 1800);
}
