// The tab "Deferred frame": every pass of one frame on both sides, with strips of the last samples.
import {$, call, readJson, readText} from './page.js';
import {Ring, drawStrip} from './chart.js';
import {SideView, makeArticle} from './side_view.js';
import {percent, plain, put, ratioText, sideClasses, sideNames, timeText} from './words.js';

const stripsEvery = 100;  // ms

let status = null;
let rings = [];
let views = [];
let stripsShown = false;  // from the first sample on: until then the browser has enough to do
const rows = new Map();

// --- Rows --------------------------------------------------------------------------------------------------------

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
  const band = row.low !== null ? `${ratioText(row.low)} to ${ratioText(row.high)}` : '';
  const wanted = `${ratioText(row.ratio)}×${band}`;
  if (element.textContent === wanted) return;
  element.textContent = `${ratioText(row.ratio)}×`;
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

function collectSamples() {
  sideNames.forEach((_, side) => {
    for (const frame of readJson('samples', side)) {
      for (let pass = 0; pass < status.passes; ++pass) rings[side][pass].push(frame[pass] ?? null);
    }
  });
}

function drawStrips() {
  if (document.hidden || $('panel-deferred').hidden) return;
  collectSamples();
  if (!stripsShown && rings.flat().every((ring) => ring.values.length === 0)) return;
  stripsShown = true;
  const style = getComputedStyle(document.documentElement);
  const colors = sideClasses.map((side) => style.getPropertyValue(`--${side}`));
  const line = style.getPropertyValue('--line');
  for (const {strip, index} of rows.values()) {
    drawStrip(strip, rings.map((side) => side[index]), colors, line);
  }
}

// --- The tab -----------------------------------------------------------------------------------------------------

function clearRings() {
  rings.flat().forEach((ring) => ring.clear());
}

const apply = {
  load(value) {
    put(document.querySelector('output[for=load]'), `${value}×`);
    call('load', value);
  },
  passes(value) {
    put(document.querySelector('output[for=passes]'), String(value));
    call('passes', value);
  },
  clock: (value) => call('force', value),
};
for (const [id, change] of Object.entries(apply)) {
  $(id).addEventListener('input', ({target}) => {
    change(Number(target.value));
    clearRings();
    deferred.look();
  });
}

// A browser may have kept the controls as they were.
function applyKept() {
  for (const [id, change] of Object.entries(apply)) {
    const initial = $(id).defaultValue ?? '0';  // a list has none
    if ($(id).value !== initial) change(Number($(id).value));
  }
}

const ofBothSides = (name) => sideNames.map((_, side) => readText(name, side));

export const deferred = {
  // Before the tab is shown first: the canvases must be there.
  prepare() {
    const stage = $('deferred-stage');
    stage.append(makeArticle(0, 'side-0', 'gl-canvas', 'The scene'),
      makeArticle(1, 'side-1', 'webgpu-canvas', 'The scene'));
  },
  begin() {
    status = readJson('status');
    rings = sideNames.map(() => status.pass_names.map(() => new Ring()));
    views = sideNames.map((_, side) => new SideView($(`side-${side}`), side));
    applyKept();
    setInterval(drawStrips, stripsEvery);
  },
  look() {
    status = readJson('status');
    const comparison = readJson('comparison');
    const reports = comparison ? [comparison.left, comparison.right]
      : sideNames.map((_, side) => readJson('report', side));
    fillTable(reports, comparison);
    fillFrame(reports);
    views.forEach((view, side) => view.fill(status.sides[side], reports[side] ? [reports[side]] : []));
    const hints = reports.flatMap((report, side) => (report?.hint ? [`${sideNames[side]}: ${report.hint}`] : []));
    $('hint').hidden = hints.length === 0;
    put($('hint'), hints.join(' '));
  },
  // Both sides compared, or the one there is.
  json() {
    const found = [readText('comparison'), ...ofBothSides('report')];
    return found.find((text) => text !== 'null') ?? '';
  },
  // One table: its column `backend` tells the sides apart, so that one header is enough.
  csv() {
    const tables = ofBothSides('csv').filter((csv) => csv !== 'null');
    return tables.map((csv, i) => (i === 0 ? csv : csv.slice(csv.indexOf('\n') + 1))).join('');
  },
};
