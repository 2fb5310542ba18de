// The tab "Particles": a count by the GPU, read late, beside a replay of the same rule on the CPU.
import {$, call, readJson, readText} from './page.js';
import {FactsTable, count, passTime, unknown} from './facts_table.js';
import {SideView, makeArticle} from './side_view.js';
import {sideNames} from './words.js';

let state = null;
let views = [];

const whyNoCount = (side) => side.why || 'no count has come back yet';
const ofCount = (fact) => (side) => (side.count ? fact(side.count, side) : unknown(whyNoCount(side)));

function compared({replay, equal}) {
  return {...count(replay, equal ? 'equal' : 'not equal'), good: equal, bad: !equal};
}

const table = new FactsTable($('particle-rows'), [
  ['Counted by the GPU', 'The newest count that has come back',
    ofCount(({value}, side) => count(value, side.counts_alive ? 'alive' : 'drawn, the dead among them'))],
  ['The count\'s age', 'Frames drawn since the one it is of',
    ofCount(({age}) => ({text: `${age} ${age === 1 ? 'frame' : 'frames'}`, note: ''}))],
  ['CPU replay of that frame', 'The same rule on the CPU, in whole numbers', ofCount(compared)],
  ['Counts that differ', 'Of all that came back since the start',
    ofCount(({different, compared: all}) => ({...count(different, `of ${all.toLocaleString('en')}`), bad: different > 0}))],
  ['Frames without room for all', 'New particles found no room and were left out',
    (side) => (side.report ? count(side.overflowed_frames, `room for ${state.capacity.toLocaleString('en')}`) : unknown(whyNoCount(side)))],
  ['simulate pass', '', (side) => passTime('simulate', side, side.report)],
  ['draw pass', '', (side) => passTime('draw', side, side.report)],
]);

$('room').addEventListener('change', ({target}) => {
  call('room', Number(target.value));
  particles.look();
});

export const particles = {
  prepare() {
    sideNames.forEach((_, side) => {
      $('particles-stage').append(makeArticle(side, `particles-side-${side}`,
        `particles-${side === 0 ? 'gl' : 'webgpu'}-canvas`, 'The particles'));
    });
  },
  begin() {
    views = sideNames.map((_, side) => new SideView($(`particles-side-${side}`), side));
    call('room', Number($('room').value));  // which a browser may have kept
  },
  look() {
    state = readJson('particles');
    table.fill(state.sides);
    views.forEach((view, side) => view.fill(state.sides[side], [state.sides[side].report].filter(Boolean)));
  },
  json: () => readText('particles'),
  csv: null,
};
