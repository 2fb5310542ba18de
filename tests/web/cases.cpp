// A GlTimer on a WebGL canvas, driven call by call from the browser tests: what the browser answers is real,
// or bent by the test with a method put over the browser's own.
#include <GLES2/gl2.h>
#include <emscripten/emscripten.h>
#include <emscripten/html5.h>

#include <cstdint>
#include <memory>
#include <string>

#include "passmeter/gl/available.h"
#include "passmeter/gl/gl_timer.h"
#include "passmeter/gl/web.h"
#include "passmeter/writers.h"

namespace {

std::unique_ptr<passmeter::gl::GlTimer> timer;
passmeter::PassId pass;
std::int64_t cpu_jump_ns = 0;

std::int64_t now_ns(void*) { return static_cast<std::int64_t>(emscripten_get_now() * 1e6) + cpu_jump_ns; }

void clear(float shade) {
  glClearColor(shade, shade, shade, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace

extern "C" {

/// `version`: 1 or 2. 1 if there is such a context.
EMSCRIPTEN_KEEPALIVE int cases_make(int version) {
  EmscriptenWebGLContextAttributes attributes;
  emscripten_webgl_init_context_attributes(&attributes);
  attributes.majorVersion = version;
  // As a program does that enables what it needs by itself.
  attributes.enableExtensionsByDefault = false;
  const EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context = emscripten_webgl_create_context("#canvas", &attributes);
  if (context <= 0) return 0;
  emscripten_webgl_make_context_current(context);
  timer = std::make_unique<passmeter::gl::GlTimer>(
      passmeter::TimerConfig{.passes = {"work"}, .cpu_clock = {now_ns, nullptr}},
      passmeter::gl::web_functions);
  pass = timer->pass("work");
  return 1;
}

/// One frame with one pass: `clears` clears of the canvas.
EMSCRIPTEN_KEEPALIVE void cases_frame(int clears) {
  timer->begin_frame();
  {
    const passmeter::Scope scope = timer->scope(pass);
    for (int i = 0; i < clears; ++i) clear(static_cast<float>(i % 2));
  }
  timer->end_frame();
}

EMSCRIPTEN_KEEPALIVE void cases_poll(int times) {
  for (int i = 0; i < times; ++i) timer->poll();
}

/// As if so much time passed on the CPU's clock.
EMSCRIPTEN_KEEPALIVE void cases_jump(double seconds) {
  cpu_jump_ns += static_cast<std::int64_t>(seconds * 1e9);
}

EMSCRIPTEN_KEEPALIVE int cases_gl_error() { return static_cast<int>(glGetError()); }

EMSCRIPTEN_KEEPALIVE void cases_restore() { timer->restore(); }

EMSCRIPTEN_KEEPALIVE const char* cases_report() {
  static std::string text;
  text = passmeter::to_json(timer->report());
  return text.c_str();
}

/// Counter bits as the library reads them: TIMESTAMP and TIME_ELAPSED.
EMSCRIPTEN_KEEPALIVE int cases_timestamp_bits() {
  return passmeter::gl::available(passmeter::gl::web_functions).timestamp_bits;
}
EMSCRIPTEN_KEEPALIVE int cases_elapsed_bits() {
  return passmeter::gl::available(passmeter::gl::web_functions).elapsed_bits;
}

}  // extern "C"
