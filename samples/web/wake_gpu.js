// Asks for the first WebGL2 context and for WebGPU's adapter while the rest of the page is still being fetched: a
// browser that has only just been started takes half a second to answer.

// GlCanvas (gl_canvas.cpp) asks this canvas for its context again and gets the same one, so the attributes are its.
const canvas = document.createElement('canvas');
const context = canvas.getContext('webgl2', {alpha: false, antialias: false, depth: false, stencil: false});
let untaken = Boolean(context);

globalThis.navigator.gpu?.requestAdapter().catch(() => {});  // who asks later is told why

// The canvas that has a context already, once; null if there is none, or none any more.
export function takeCanvas() {
  const usable = untaken && !context.isContextLost();
  untaken = false;
  return usable ? canvas : null;
}
