// What a report's numbers and names are called on the page, and how unknown ones are shown.

export const sideNames = ['WebGL2', 'WebGPU'];
export const sideClasses = ['gl', 'webgpu'];

const sourceWords = {
  timestamp: 'GPU timestamps',
  time_elapsed: 'GPU elapsed time',
  fence: 'fences: estimates',
  cpu: 'CPU clock',
  none: 'no GPU times',
};
export const sourceText = (source) => sourceWords[source] ?? source;

export const stateWords = {
  switched_off: 'timer off',
  unavailable: 'unavailable',
  degraded: 'clock unusable',
  lost: 'lost',
};

export const rejectWords = {
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

const digits = (ms) => (ms >= 99.95 ? 1 : ms >= 9.995 ? 2 : 3);
// Two digits of what decimals would round to nothing: a known time never reads as zero.
const tiny = (value, below) => value > 0 && value < below;
export const plain = (ms) => (tiny(ms, 0.001) ? ms.toPrecision(2) : ms.toFixed(digits(ms)));
export const ratioText = (ratio) => (tiny(ratio, 0.1) ? ratio.toPrecision(2) : ratio.toFixed(2));

// What stands for a time in one cell: never 0.000 for something unknown, and no digits that the clock does not have.
export function timeText(ms, report) {
  if (ms === null || ms === undefined) return null;
  const resolution = report.resolution_ns === null ? 0 : report.resolution_ns * 1e-6;
  if (ms < resolution) return `<${plain(resolution)}`;
  if (report.source === 'fence') return `≈${plain(ms)}`;
  return plain(ms);
}

export function resolutionText(ns) {
  if (ns === null) return 'measuring…';
  if (ns < 1e3) return `${Number(ns.toPrecision(3))} ns`;
  if (ns < 1e6) return `${Number((ns / 1e3).toPrecision(3))} µs`;
  return `${Number((ns / 1e6).toPrecision(3))} ms`;
}

export const percent = (share) => (share === null || share === undefined ? '' : `${Math.round(100 * share)} %`);

export function sentence(words) {
  const whole = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

// Samples that did not enter the statistics: [[reason, how many], ...], most first.
export function rejectedOf(reports) {
  const sums = new Map();
  for (const report of reports) {
    // WebGPU's fences know whole frames only: that passes go without is no news in each of them.
    const expected = report.backend === 'webgpu' && report.source === 'fence' ? 'unwritten' : '';
    for (const series of report.series) {
      for (const [why, count] of Object.entries(series.rejected)) if (why !== expected) sums.set(why, (sums.get(why) ?? 0) + count);
    }
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

// Text only where it changed, so that a selection stays and assistive software is left in peace.
export function put(element, value, title = '') {
  if (element.textContent !== value) element.textContent = value;
  if (element.title !== title) element.title = title;
}
