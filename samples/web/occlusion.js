// The tab "Occlusion": what culling saves, and how late its answers are.
import {$, call, readJson, readText} from './page.js';
import {FactsTable, count, passTime, unknown} from './facts_table.js';
import {SideView, makeArticle} from './side_view.js';
import {sideNames} from './words.js';

let state = null;
let views = [];

const whyNoCounts = (side) => side.why || 'not drawn yet';
const tested = (side) => (side.counts?.culling === false ? 'culling is off' : whyNoCounts(side));

function drawn(side) {
  if (!side.counts) return unknown(whyNoCounts(side));
  const {drawn: some, in_view: all} = side.counts;
  const fewer = all === 0 ? 0 : 1 - some / all;
  return count(some, side.counts.culling ? `${Math.round(100 * fewer)} % fewer` : 'culling is off: all of them');
}

function latency(side) {
  const series = side.on?.series.find((one) => one.name === 'occlusion latency');
  if (!series || series.ema === null) return unknown(side.ready ? 'no answer yet' : whyNoCounts(side));
  return {text: `${series.ema.toFixed(1)} frames`, note: `at most ${series.max}`};
}

function unanswered(side) {
  const series = side.on?.series.find((one) => one.name === 'occlusion latency');
  if (!series) return unknown(whyNoCounts(side));
  const reasons = Object.entries(series.rejected);
  const sum = reasons.reduce((all, [, some]) => all + some, 0);
  return count(sum, reasons.map(([why, some]) => `${why.replaceAll('_', ' ')} ${some}`).join(', '));
}

function saved(side) {
  const [on, off] = [side.on, side.off].map((report) => report?.series.find((one) => one.name === 'gbuffer'));
  const known = passTime('gbuffer', side, side.on);
  if (known.unknown) return known;
  if (!off || off.accepted === 0) return unknown('not drawn without culling yet');
  if (side.on.source === 'fence') return unknown('fences only tell limits of the times');
  return {text: `${Math.round(100 * (1 - on.p50 / off.p50))} %`, note: ''};
}

const table = new FactsTable($('occlusion-rows'), [
  ['Objects in view', 'Whose bounds lie in the camera\'s view: drawn without culling',
    (side) => (side.counts ? count(side.counts.in_view, `of ${state.objects}`) : unknown(whyNoCounts(side)))],
  ['Drawn', 'In the last frame shown', drawn],
  ['Tested', 'Objects whose bounds were tested in that frame',
    (side) => (side.counts?.tested === undefined ? unknown(tested(side)) : count(side.counts.tested))],
  ['Hidden', 'Objects known to be hidden, in view now or lately',
    (side) => (side.counts?.hidden === undefined ? unknown(tested(side)) : count(side.counts.hidden))],
  ['Answers late by', 'Frames between a test and its answer; nothing waits for it', latency],
  ['Tests without an answer', 'Skipped for want of a query, given up, or lost', unanswered],
  ['gbuffer pass, culling on', '', (side) => passTime('gbuffer', side, side.on)],
  ['gbuffer pass, culling off', 'Measured in every eighth frame, which is not shown',
    (side) => passTime('gbuffer', side, side.off)],
  ['Saved', 'Of the gbuffer pass, medians: one slow frame changes nothing', saved],
  ['bounds pass', 'What the tests cost', (side) => passTime('bounds', side, side.on)],
]);

$('culling').addEventListener('change', ({target}) => {
  call('culling', target.checked ? 1 : 0);
  occlusion.look();
});
$('moving').addEventListener('change', ({target}) => call('moving', target.checked ? 1 : 0));

export const occlusion = {
  prepare() {
    sideNames.forEach((_, side) => {
      $('occlusion-stage').append(makeArticle(side, `occlusion-side-${side}`,
        `occlusion-${side === 0 ? 'gl' : 'webgpu'}-canvas`, 'The city'));
    });
  },
  begin() {
    views = sideNames.map((_, side) => new SideView($(`occlusion-side-${side}`), side));
    // A browser may have kept the boxes as they were.
    call('culling', $('culling').checked ? 1 : 0);
    call('moving', $('moving').checked ? 1 : 0);
  },
  look() {
    state = readJson('occlusion');
    table.fill(state.sides);
    views.forEach((view, side) => {
      const {on, off} = state.sides[side];
      const reports = state.culling ? [on, off] : [off, on];
      view.fill(state.sides[side], reports.filter(Boolean));
    });
  },
  json: () => readText('occlusion'),
  csv: null,
};
