// The tabs: one panel shown at a time, by click, arrow keys, or the address's hash.
import {$} from './page.js';

const names = ['deferred', 'occlusion', 'particles'];
const tabs = names.map((name) => $(`tab-${name}`));

let shown = -1;

const fromHash = () => Math.max(names.indexOf(location.hash.slice(1)), 0);

function select(index, onShow) {
  if (index === shown) return;
  shown = index;
  tabs.forEach((tab, i) => {
    tab.setAttribute('aria-selected', i === index);
    tab.tabIndex = i === index ? 0 : -1;
    $(`panel-${names[i]}`).hidden = i !== index;
  });
  onShow(index);
}

// A tab's own address, so that a link opens it and the back button works.
function go(index) {
  if (fromHash() !== index) location.hash = names[index];
}

const steps = {
  ArrowRight: (at) => (at + 1) % tabs.length,
  ArrowLeft: (at) => (at + tabs.length - 1) % tabs.length,
  Home: () => 0,
  End: () => tabs.length - 1,
};

// `onShow` is called with the number of the tab that is shown from now on.
export function startTabs(onShow) {
  tabs.forEach((tab, index) => {
    tab.addEventListener('click', () => go(index));
    tab.addEventListener('keydown', (event) => {
      const step = steps[event.key];
      if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const next = step(index);
      tabs[next].focus();
      go(next);
    });
  });
  globalThis.addEventListener('hashchange', () => select(fromHash(), onShow));
  select(fromHash(), onShow);
}
