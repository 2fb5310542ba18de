// Strip charts: the last samples of one pass, both sides in one picture and one scale.

const capacity = 180;
const gutter = 52;  // for the scale, in CSS pixels

// A ring of numbers; null is a sample that was not accepted.
export class Ring {
  constructor() {
    this.values = [];
  }
  push(value) {
    this.values.push(value);
    if (this.values.length > capacity) this.values.shift();
  }
  clear() {
    this.values.length = 0;
  }
}

// The top of the scale: a round number over nearly all samples, so that one spike does not flatten the rest.
function scaleTop(rings) {
  const known = rings.flatMap((ring) => ring.values.filter((value) => value !== null)).sort((a, b) => a - b);
  if (known.length === 0 || known.at(-1) === 0) return null;
  const high = known[Math.floor(0.97 * (known.length - 1))] * 1.25 || known.at(-1);
  const unit = 10 ** Math.floor(Math.log10(high));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * unit >= high) * unit;
}

function trace(context, ring, top, width, height, color) {
  const step = (width - gutter) / (capacity - 1);
  const start = width - (ring.values.length - 1) * step;
  context.beginPath();
  let drawing = false;
  ring.values.forEach((value, i) => {
    if (value === null) {
      drawing = false;
      return;
    }
    const x = start + i * step;
    const y = height - 1 - Math.min(value / top, 1.02) * (height - 2);
    if (drawing) context.lineTo(x, y);
    else context.moveTo(x, y);
    drawing = true;
  });
  context.strokeStyle = color;
  context.lineWidth = 1.25;
  context.lineJoin = 'round';
  context.stroke();
}

// Draws the rings of one pass; colors in the same order. Answers the top of the scale in ms, or null.
export function drawStrip(canvas, rings, colors, lineColor) {
  const ratio = globalThis.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (width === 0) return null;
  const pixels = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) [canvas.width, canvas.height] = pixels;
  // By the CPU: the GPU is being measured.
  const context = canvas.getContext('2d', {willReadFrequently: true});
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.fillStyle = lineColor;
  context.fillRect(gutter, height - 1, width - gutter, 1);
  context.fillRect(gutter, 0, width - gutter, 1);
  const top = scaleTop(rings);
  if (top === null) return null;
  rings.forEach((ring, side) => trace(context, ring, top, width, height, colors[side]));
  context.fillStyle = getComputedStyle(canvas).color;
  context.font = `10px ${getComputedStyle(document.body).fontFamily}`;
  context.textBaseline = 'top';
  context.textAlign = 'right';
  context.globalAlpha = 0.75;
  context.fillText(`${Number(top.toPrecision(2))} ms`, gutter - 6, 0);
  context.globalAlpha = 1;
  return top;
}
