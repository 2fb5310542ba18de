// A table of facts, one column a side, in which what is unknown is a dash with its reason.
import {plain, put, sideClasses, timeText} from './words.js';

export const unknown = (why) => ({text: '–', note: why, unknown: true});
// A count, with words below it.
export const count = (value, note = '') => ({text: Math.round(value).toLocaleString('en'), note});

// What a pass takes in a report, or why that is unknown.
export function passTime(name, side, report) {
  if (!side.ready || side.lost) return unknown(side.why || 'not started yet');
  if (!report) return unknown('not drawn yet');
  if (report.source === 'none') return unknown(report.reason);
  if (report.state === 'switched_off') return unknown('the timer is off');
  if (report.backend === 'webgpu' && report.source === 'fence') {
    return unknown('without timestamps only whole frames are timed');
  }
  const series = report.series.find((one) => one.name === name);
  if (!series || series.accepted === 0) return unknown('no sample yet');
  // Fences seen in one look tell no more than that the pass was shorter than the time between two looks.
  const bound = series.below_resolution && report.source === 'fence';
  return {text: `${timeText(bound ? 0 : series.ema, report)} ms`, note: noteOf(series, report)};
}

function noteOf(series, report) {
  // Below the resolution single values say little, but the mean of many is right, except with fences.
  if (!series.below_resolution) return `median ${timeText(series.p50, report)}`;
  return report.source === 'fence' ? 'shorter than fences can tell' : `mean ${plain(series.mean)}`;
}

function putFact(cell, fact) {
  cell.classList.toggle('unknown', fact.unknown === true);
  cell.classList.toggle('good', fact.good === true);
  cell.classList.toggle('bad', fact.bad === true);
  put(cell.firstChild, fact.text);
  put(cell.lastChild, fact.note ?? '');
}

function factCell(row, classes) {
  const cell = row.insertCell();
  cell.className = classes;
  cell.append(document.createElement('b'), document.createElement('small'));
  return cell;
}

export class FactsTable {
  // `body`: a tbody. `rows`: [[name, title, (side's state, its number) => fact], ...]
  constructor(body, rows) {
    this.rows = rows.map(([name, title, fact]) => {
      const row = body.insertRow();
      const th = document.createElement('th');
      Object.assign(th, {scope: 'row', textContent: name, title});
      row.append(th);
      return {fact, cells: sideClasses.map((side) => factCell(row, `fact ${side}`))};
    });
  }

  fill(sides) {
    for (const {fact, cells} of this.rows) {
      sides.forEach((side, index) => putFact(cells[index], fact(side, index)));
    }
  }
}
