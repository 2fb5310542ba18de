// A panel over the exported functions of passmeter_page (see page.cpp): it reads reports as JSON and knows nothing
// else of what is inside. Take it as an example for your own.
import createPage from './passmeter_page.js';
import {Ring, drawStrip} from './chart.js';

const sideNames = ['WebGL2', 'WebGPU'];
const sideClasses = ['gl', 'webgpu'];
const tableEvery = 250;  // ms
const stripsEvery = 100;

const sourceWords = {
  timestamp: 'GPU timestamps',
  time_elapsed: 'GPU elapsed time',
  fence: 'fences: estimates',
  cpu: 'CPU clock',
  none: 'no GPU times',
};
const stateWords = {
  switched_off: 'timer off',
  unavailable: 'unavailable',
  degraded: 'clock unusable',
  lost: 'lost',
};
const rejectWords = {
  unwritten: 'the GPU wrote no stamp',
  negative: 'the end lay before the begin',
  implausible: 'longer than the time since it was begun',
  disjoint: "the GPU's clock was interrupted",
  lost: 'the context or device was lost before the result came',
  no_free_slot: 'all frames in flight were still pending',
  late: 'no result came in time',
  nonfinite: 'not a finite number',
  driver_error: 'the driver refused',
};

const $ = (id) => document.getElementById(id);
const page = await createPage();
const text = (pointer) => page.UTF8ToString(pointer);
const read = (pointer) => JSON.parse(text(pointer));
globalThis.passmeterPage = page;  // for the console, and for tests

let status = read(page._passmeter_page_status());
const rings = sideNames.map(() => status.pass_names.map(() => new Ring()));

// --- Numbers -----------------------------------------------------------------------------------------------------

const digits = (ms) => (ms >= 99.95 ? 1 : ms >= 9.995 ? 2 : 3);
const plain = (ms) => ms.toFixed(digits(ms));

// What stands for a time in one cell: never 0.000 for something unknown, and no digits that the clock does not have.
function timeText(ms, report) {
  if (ms === null || ms === undefined) return null;
  const resolution = report.resolution_ns === null ? 0 : report.resolution_ns * 1e-6;
  if (ms < resolution) return `<${plain(resolution)}`;
  if (report.source === 'fence') return `≈${plain(ms)}`;
  return plain(ms);
}

function resolutionText(ns) {
  if (ns === null) return 'measuring…';
  if (ns < 1e3) return `${Number(ns.toPrecision(3))} ns`;
  if (ns < 1e6) return `${Number((ns / 1e3).toPrecision(3))} µs`;
  return `${Number((ns / 1e6).toPrecision(3))} ms`;
}

const percent = (share) => (share === null || share === undefined ? '' : `${Math.round(100 * share)} %`);

// --- Rows --------------------------------------------------------------------------------------------------------

const rows = new Map();

function cell(row, classes) {
  const td = row.insertCell();
  td.className = classes;
  return td;
}

function timeCells(row) {
  return sideClasses.map((side) => ({
    ema: cell(row, `${side} num ema first`),
    p50: cell(row, `${side} num rest p50`),
    p95: cell(row, `${side} num rest p95`),
  }));
}

function header(row, name) {
  const th = document.createElement('th');
  th.scope = 'row';
  th.textContent = name;
  row.append(th);
}

function makeRow(name, index) {
  const row = document.createElement('tr');
  header(row, name);
  const strip = document.createElement('canvas');
  strip.setAttribute('role', 'img');
  cell(row, 'strip').append(strip);
  const times = timeCells(row);
  const ratio = cell(row, 'ratio');
  const share = cell(row, 'share');
  share.innerHTML = '<div class="bars"><i class="gl"></i><span></span><i class="webgpu"></i><span></span></div>';
  const bars = [...share.querySelectorAll('i')];
  const labels = [...share.querySelectorAll('span')];
  return {row, index, strip, times, ratio, bars, labels};
}

// Text only where it changed, so that a selection stays and assistive software is left in peace.
function put(element, value, title = '') {
  if (element.textContent !== value) element.textContent = value;
  if (element.title !== title) element.title = title;
}

function putTime(element, ms, report, words) {
  const shown = timeText(ms, report);
  element.classList.toggle('unknown', shown === null);
  put(element, shown ?? words, shown === null ? 'unknown' : '');
}

function fillTimes(cells, series, report) {
  if (!report || !series) {
    putTime(cells.ema, null, report, 'unknown');
    put(cells.p50, '');
    put(cells.p95, '');
    return;
  }
  // Fences seen in one look tell no more than that the pass was shorter than the time between two looks.
  const bound = series.below_resolution && report.source === 'fence';
  putTime(cells.ema, bound ? 0 : series.ema, report, 'unknown');
  // Below the resolution single values say little, but the mean of many is right, except with fences.
  if (series.below_resolution && report.source !== 'fence' && series.mean !== null) {
    const note = document.createElement('small');
    note.textContent = `mean ${plain(series.mean)}`;
    cells.ema.append(note);
    cells.ema.title = 'One value is below the resolution of the clock; the mean of all of them is not';
  }
  put(cells.p50, timeText(series.p50, report) ?? '–');
  put(cells.p95, timeText(series.p95, report) ?? '–');
}

const verdictWords = {same: 'the same', left_slower: 'WebGL2 slower', right_slower: 'WebGPU slower'};

function fillRatio(element, row) {
  const known = row && row.ratio !== null && row.verdict !== 'unknown';
  element.classList.toggle('unknown', !known);
  if (!known) {
    put(element, 'unknown');
    return;
  }
  const band = row.low !== null ? `${row.low.toFixed(2)} to ${row.high.toFixed(2)}` : '';
  const wanted = `${row.ratio.toFixed(2)}×${band}`;
  if (element.textContent === wanted) return;
  element.textContent = `${row.ratio.toFixed(2)}×`;
  const small = document.createElement('small');
  small.textContent = band;
  element.append(small);
  element.title = `${verdictWords[row.verdict]}; the 95 % band of the ratio`;
}

function fillRow(entry, name, reports, comparison) {
  reports.forEach((report, side) => {
    const series = report?.series.find((one) => one.name === name);
    fillTimes(entry.times[side], series, report);
    const share = series?.share ?? 0;
    entry.bars[side].style.setProperty('--part', share);
    put(entry.labels[side], percent(series?.share));
  });
  fillRatio(entry.ratio, comparison?.rows.find((one) => one.name === name));
  entry.strip.setAttribute('aria-label', `Last samples of ${name}`);
}

// The scene's order. A pass that is not drawn has no row.
function fillTable(reports, comparison) {
  const body = $('rows');
  status.pass_names.forEach((name, index) => {
    const shown = index < status.passes;
    let entry = rows.get(name);
    if (shown && !entry) {
      entry = makeRow(name, index);
      rows.set(name, entry);
      body.append(entry.row);
    } else if (!shown && entry) {
      entry.row.remove();
      rows.delete(name);
      rings.forEach((side) => side[index].clear());
      return;
    }
    if (shown) fillRow(entry, name, reports, comparison);
  });
}

const frameRows = [
  ['GPU busy', 'busy_ms', 'busy_p50_ms', 'busy_p95_ms', 'Union of the passes, so overlapping ones count once'],
  ['Frame to frame', 'cpu_interval_ms', 'cpu_interval_p50_ms', 'cpu_interval_p95_ms',
    'CPU clock; each canvas is drawn in every second animation frame at most'],
].map(([name, ema, p50, p95, title]) => {
  const row = $('frame-rows').insertRow();
  header(row, name);
  row.title = title;
  cell(row, 'strip');
  const times = timeCells(row);
  cell(row, 'ratio');
  cell(row, 'share');
  return {keys: {ema, p50, p95}, times};
});

function fillFrame(reports) {
  for (const {keys, times} of frameRows) {
    reports.forEach((report, side) => {
      const cpu = keys.ema === 'cpu_interval_ms';
      // The CPU's clock is fine enough; it needs no sign of being an estimate.
      const clock = cpu ? {source: 'cpu', resolution_ns: null} : report ?? {resolution_ns: null};
      for (const [place, key] of Object.entries(keys)) {
        const value = report ? report.frame[key] : null;
        if (place === 'ema') putTime(times[side].ema, value, clock, 'unknown');
        else put(times[side][place], timeText(value, clock) ?? '');
      }
    });
  }
}

// --- The two sides -----------------------------------------------------------------------------------------------

const views = sideNames.map((name, side) => {
  const root = $(`side-${side}`);
  const find = (selector) => root.querySelector(selector);
  const view = {
    name,
    curtain: find('.curtain'),
    busy: find('[data-busy]'),
    adapter: find('[data-adapter]'),
    badges: find('[data-badges]'),
    reason: find('[data-reason]'),
    lose: find('[data-lose]'),
    thing: side === 0 ? 'context' : 'device',
  };
  view.lose.addEventListener('click', () => {
    const lost = status.sides[side].lost;
    if (lost) page._passmeter_page_restore(side);
    else page._passmeter_page_lose(side);
    say(lost ? `The ${view.thing} is asked for again` : `The ${view.thing} is lost`);
  });
  return view;
});

function badge(list, classes, label, value, title = '') {
  const item = document.createElement('li');
  item.className = classes;
  item.title = title;
  item.append(label);
  if (value !== undefined) {
    const strong = document.createElement('b');
    strong.textContent = ` ${value}`;
    item.append(strong);
  }
  list.push(item);
}

function rejectedOf(report) {
  const sums = new Map();
  // WebGPU's fences know whole frames only: that passes go without is no news in each of them.
  const expected = report.backend === 'webgpu' && report.source === 'fence' ? 'unwritten' : '';
  for (const series of report.series) {
    for (const [why, count] of Object.entries(series.rejected)) if (why !== expected) sums.set(why, (sums.get(why) ?? 0) + count);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function fillBadges(view, report) {
  const list = [];
  if (report) {
    badge(list, `source${report.source === 'none' ? ' bad' : report.source === 'fence' ? ' warn' : ''}`,
      sourceWords[report.source] ?? report.source, undefined, report.reason);
    if (stateWords[report.state] && report.state !== 'unavailable') badge(list, 'bad', stateWords[report.state]);
    if (report.source !== 'none') {
      badge(list, '', 'resolution', resolutionText(report.resolution_ns), 'The smallest step of the clock, measured');
      badge(list, '', 'latency', report.latency_frames === null ? 'unknown' : `${report.latency_frames.toFixed(1)} frames`,
        'Frames between drawing and knowing');
    }
    const rejected = rejectedOf(report);
    if (rejected.length === 0) badge(list, '', 'rejected', '0', 'Samples that did not enter the statistics');
    for (const [why, count] of rejected) badge(list, 'warn', `rejected: ${why.replaceAll('_', ' ')}`, String(count), rejectWords[why] ?? why);
    if (report.backend === 'webgpu' && report.source === 'fence') badge(list, 'warn', 'passes unknown');
    if (report.frame.overlapping) badge(list, 'warn', 'passes overlap', undefined, 'Their sum is more than the frame');
  }
  const same = view.badges.children.length === list.length &&
    list.every((item, i) => item.isEqualNode(view.badges.children[i]));
  if (!same) view.badges.replaceChildren(...list);
}

function sentence(words) {
  const whole = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

function reasonFor(side, report) {
  const state = status.sides[side];
  if (state.why) return sentence(state.why);
  if (!report) return 'Starting.';
  // A wish that can't be met is answered by the choice; the timer only knows that it got nothing to work with.
  if (report.source === 'none' && state.choice_reason) return sentence(`No GPU times: ${state.choice_reason}`);
  const estimate = report.source === 'fence' ? ' Take the times as estimates.' : '';
  return sentence(report.reason) + estimate;
}

function fillSide(view, side, report) {
  const state = status.sides[side];
  const busy = report ? timeText(report.frame.busy_ms, report) : null;
  put(view.busy, busy === null ? 'unknown' : `${busy} ms`);
  put(view.adapter, report ? [report.adapter, report.driver].filter(Boolean).join(' · ') : '');
  view.adapter.title = view.adapter.textContent;
  fillBadges(view, report);
  put(view.reason, reasonFor(side, report));
  const hidden = state.ready && !state.lost;
  view.curtain.hidden = hidden;
  if (!hidden) put(view.curtain, sentence(state.why || 'Starting'));
  view.lose.hidden = !state.ready && !state.lost;
  put(view.lose, state.lost ? `Restore the ${view.thing}` : `Lose the ${view.thing}`);
  const others = state.errors > 0 ? `${state.errors} errors of the driver` : '';
  view.reason.dataset.errors = others;
}

// --- Looking at it all -------------------------------------------------------------------------------------------

function look() {
  if (document.hidden) return;
  status = read(page._passmeter_page_status());
  const comparison = read(page._passmeter_page_comparison());
  const reports = comparison ? [comparison.left, comparison.right]
    : sideNames.map((_, side) => read(page._passmeter_page_report(side)));
  fillTable(reports, comparison);
  fillFrame(reports);
  views.forEach((view, side) => fillSide(view, side, reports[side]));
  const hints = reports.flatMap((report, side) => (report?.hint ? [`${sideNames[side]}: ${report.hint}`] : []));
  $('hint').hidden = hints.length === 0;
  put($('hint'), hints.join(' '));
  $('pause').setAttribute('aria-pressed', status.paused);
  put($('pause'), status.paused ? 'Go on' : 'Pause', 'Pause or go on (P)');
  $('timer').setAttribute('aria-checked', status.timer);
}

function collectSamples() {
  sideNames.forEach((_, side) => {
    for (const frame of read(page._passmeter_page_samples(side))) {
      for (let pass = 0; pass < status.passes; ++pass) rings[side][pass].push(frame[pass] ?? null);
    }
  });
}

function drawStrips() {
  if (document.hidden) return;
  collectSamples();
  const style = getComputedStyle(document.documentElement);
  const colors = sideClasses.map((side) => style.getPropertyValue(`--${side}`));
  const line = style.getPropertyValue('--line');
  for (const {strip, index} of rows.values()) {
    drawStrip(strip, rings.map((side) => side[index]), colors, line);
  }
}

// --- Controls ----------------------------------------------------------------------------------------------------

let toastTimer = 0;
function say(words) {
  $('toast').textContent = words;
  $('toast').classList.add('shown');
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => $('toast').classList.remove('shown'), 1800);
}

async function copy(words, what) {
  try {
    await navigator.clipboard.writeText(words);
    say(`${what} copied`);
  } catch {
    // No permission for the clipboard: show it, to be copied by hand.
    const shown = globalThis.open('', '_blank');
    if (shown) shown.document.body.append(Object.assign(document.createElement('pre'), {textContent: words}));
    say(shown ? `${what} is in a new tab` : 'The browser allows neither the clipboard nor a new tab');
  }
}

function copyJson() {
  const comparison = text(page._passmeter_page_comparison());
  copy(comparison === 'null' ? text(page._passmeter_page_report(0)) : comparison, 'JSON');
}

function copyCsv() {
  const both = sideNames.map((name, side) => text(page._passmeter_page_csv(side))).filter((csv) => csv !== 'null');
  copy(both.join('\n'), 'CSV');
}

function clearRings() {
  rings.flat().forEach((ring) => ring.clear());
}

const actions = {
  pause: () => page._passmeter_page_pause(status.paused ? 0 : 1),
  timer: () => page._passmeter_page_timer(status.timer ? 0 : 1),
  'copy-json': copyJson,
  'copy-csv': copyCsv,
};
for (const [id, action] of Object.entries(actions)) {
  $(id).addEventListener('click', () => {
    action();
    look();
  });
}

$('load').addEventListener('input', ({target}) => {
  put(document.querySelector('output[for=load]'), `${Number(target.value)}×`);
  page._passmeter_page_load(Number(target.value));
  clearRings();
});
$('passes').addEventListener('input', ({target}) => {
  put(document.querySelector('output[for=passes]'), target.value);
  page._passmeter_page_passes(Number(target.value));
  clearRings();
  look();
});
$('clock').addEventListener('change', ({target}) => {
  page._passmeter_page_force(Number(target.value));
  clearRings();
  look();
});

const keys = {p: 'pause', t: 'timer', j: 'copy-json', c: 'copy-csv'};
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('select, input')) return;
  const id = keys[event.key.toLowerCase()];
  if (id) $(id).click();
});

look();
setInterval(look, tableEvery);
setInterval(drawStrips, stripsEvery);
document.addEventListener('visibilitychange', look);
