// A panel over the exported functions of passmeter_page (see page.cpp): it reads reports as JSON and knows nothing
// else of what is inside. Take it as an example for your own. Here is what all tabs share; each has a file.
import {$, call, readJson, say} from './page.js';
import {deferred} from './deferred.js';
import {occlusion} from './occlusion.js';
import {particles} from './particles.js';
import {startTabs} from './tabs.js';
import {put} from './words.js';

const tableEvery = 250;  // ms
const tableEveryAtFirst = 50;  // until there is something to read
const first = 4000;  // ms
const firstFrameBy = 2000;  // ms
const stuckAfter = 5000;  // ms

// In the order of passmeter_page_show().
const tabs = [deferred, occlusion, particles];
const begun = new Set();
let shown = null;

function show(index) {
  const tab = tabs[index];
  if (!begun.has(tab)) tab.prepare();
  call('show', index);
  if (!begun.has(tab)) tab.begin();
  begun.add(tab);
  shown = tab;
  look();
}

function look() {
  if (document.hidden) return;
  shown.look();
  const {paused, timer, unfinished_ms: unfinished} = readJson('status');
  $('stuck').hidden = unfinished < stuckAfter;
  const seconds = Math.floor(unfinished / 1000);
  if (!$('stuck').hidden) put($('stuck'), `The GPU has not finished a frame for ${seconds} s. Nothing is drawn until it has.`);
  $('pause').classList.toggle('on', paused);
  put($('pause'), paused ? 'Go on' : 'Pause', 'Pause or go on (P)');
  $('timer').setAttribute('aria-checked', timer);
  for (const element of [$('copy-csv'), document.querySelector('[data-csv]')]) element.hidden = shown.csv === null;
}

// Until a frame is drawn there is nothing to read, and painting keeps a GPU busy that has shaders to compile.
function waitsForFirstFrame() {
  if (shown !== deferred || performance.now() >= firstFrameBy) return false;
  const {paused, sides} = readJson('status');
  return !paused && sides.every(({frames, ready, asking}) => frames === 0 && (ready || asking));
}

async function copy(words, what) {
  if (words === '') {
    say('There is nothing to copy');
    return;
  }
  try {
    await navigator.clipboard.writeText(words);
    say(`${what} copied`);
  } catch {
    // No permission for the clipboard: show it, to be copied by hand.
    const window = globalThis.open('', '_blank');
    if (window) window.document.body.append(Object.assign(document.createElement('pre'), {textContent: words}));
    say(window ? `${what} is in a new tab` : 'The browser allows neither the clipboard nor a new tab');
  }
}

const actions = {
  pause: () => call('pause', readJson('status').paused ? 0 : 1),
  timer: () => call('timer', readJson('status').timer ? 0 : 1),
  'copy-json': () => copy(shown.json(), 'JSON'),
  'copy-csv': () => copy(shown.csv(), 'CSV'),
};
for (const [id, action] of Object.entries(actions)) {
  $(id).addEventListener('click', () => {
    action();
    look();
  });
}

const keys = {p: 'pause', t: 'timer', j: 'copy-json', c: 'copy-csv'};
document.addEventListener('keydown', (event) => {
  // A list takes letters itself; a filled-in form sends keys without names.
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest('select')) return;
  const id = keys[event.key?.toLowerCase()];
  if (id && !$(id).hidden) $(id).click();
});

startTabs(show);
(function keepLooking() {
  if (!waitsForFirstFrame()) look();
  setTimeout(keepLooking, performance.now() < first ? tableEveryAtFirst : tableEvery);
})();
document.addEventListener('visibilitychange', look);
