// A canvas and what is known about its side: adapter, source, badges, the reason, the button that loses it.
import {call, say} from './page.js';
import {takeCanvas} from './wake_gpu.js';
import {
  put, rejectWords, rejectedOf, resolutionText, sentence, sideClasses, sideNames, sourceText, stateWords, timeText,
} from './words.js';

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

function addRejected(list, reports) {
  const rejected = rejectedOf(reports);
  if (rejected.length === 0) badge(list, '', 'rejected', '0', 'Samples that did not enter the statistics');
  for (const [why, count] of rejected) {
    badge(list, 'warn', `rejected: ${why.replaceAll('_', ' ')}`, String(count), rejectWords[why] ?? why);
  }
}

// The first report speaks for the side; rejected samples are those of all.
function badgesOf(reports) {
  const list = [];
  const report = reports[0];
  if (!report) return list;
  badge(list, `source${report.source === 'none' ? ' bad' : report.source === 'fence' ? ' warn' : ''}`,
    sourceText(report.source), undefined, report.reason);
  if (stateWords[report.state] && report.state !== 'unavailable') badge(list, 'bad', stateWords[report.state]);
  if (report.source !== 'none') {
    badge(list, '', 'resolution', resolutionText(report.resolution_ns), 'The smallest step of the clock, measured');
    badge(list, '', 'latency', report.latency_frames === null ? 'unknown' : `${report.latency_frames.toFixed(1)} frames`,
      'Frames between drawing and knowing');
    addRejected(list, reports);
  }
  if (report.backend === 'webgpu' && report.source === 'fence') badge(list, 'warn', 'passes unknown');
  if (report.frame.overlapping) badge(list, 'warn', 'passes overlap', undefined, 'Their sum is more than the frame');
  return list;
}

function reasonOf(state, report) {
  if (state.why) return sentence(state.why);
  if (!report) return 'Starting.';
  // A wish that can't be met is answered by the choice; the timer only knows that it got nothing to work with.
  if (report.source === 'none' && state.choice_reason) return sentence(`No GPU times: ${state.choice_reason}`);
  const estimate = report.source === 'fence' ? ' Take the times as estimates.' : '';
  return sentence(report.reason) + estimate;
}

// Builds the side's article from the page's template. `canvas`: the id it gets; `what` it shows.
export function makeArticle(side, id, canvas, what) {
  const article = document.getElementById('side-template').content.firstElementChild.cloneNode(true);
  article.id = id;
  article.classList.add(sideClasses[side]);
  article.setAttribute('aria-labelledby', `${id}-title`);
  Object.assign(article.querySelector('h2'), {id: `${id}-title`, textContent: sideNames[side]});
  const awake = sideClasses[side] === 'gl' ? takeCanvas() : null;
  if (awake) article.querySelector('canvas').replaceWith(awake);
  const picture = article.querySelector('canvas');
  picture.id = canvas;
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', `${what} drawn with ${sideNames[side]}`);
  return article;
}

export class SideView {
  constructor(root, side) {
    const find = (selector) => root.querySelector(selector);
    this.curtain = find('.curtain');
    this.busy = find('[data-busy]');
    this.adapter = find('[data-adapter]');
    this.badges = find('[data-badges]');
    this.reason = find('[data-reason]');
    this.lose = find('[data-lose]');
    this.thing = side === 0 ? 'context' : 'device';
    this.lost = false;
    this.lose.addEventListener('click', () => {
      call(this.lost ? 'restore' : 'lose', side);
      say(this.lost ? `The ${this.thing} is asked for again` : `The ${this.thing} is lost`);
    });
  }

  // `state`: what the page knows of the side. `reports`: the side's, the one that speaks for it first, or none.
  fill(state, reports) {
    const report = reports[0];
    this.lost = state.lost;
    const busy = report && !state.lost ? timeText(report.frame.busy_ms, report) : null;
    put(this.busy, busy === null ? 'unknown' : `${busy} ms`);
    const names = report ? [report.adapter, report.driver].filter(Boolean).join(' · ') : '';
    put(this.adapter, names, names);
    this.fillBadges(badgesOf(reports));
    put(this.reason, reasonOf(state, report));
    this.reason.dataset.errors = state.errors > 0 ? `${state.errors} errors of the driver` : '';
    const drawing = state.ready && !state.lost;
    this.curtain.hidden = drawing;
    if (!drawing) put(this.curtain, sentence(state.why || 'Starting'));
    this.lose.hidden = !state.ready && !state.lost;
    put(this.lose, state.lost ? `Restore the ${this.thing}` : `Lose the ${this.thing}`);
  }

  fillBadges(list) {
    const shown = this.badges.children;
    if (shown.length === list.length && list.every((item, i) => item.isEqualNode(shown[i]))) return;
    this.badges.replaceChildren(...list);
  }
}
