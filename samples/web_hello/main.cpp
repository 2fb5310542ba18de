// passmeter in a WebGL2 program made with Emscripten, in as few lines as it takes. What passmeter needs
// stands between the two lines of each [passmeter] pair; without it this is a page that draws.
#include <GLES3/gl3.h>
#include <emscripten/html5.h>

#include <cmath>
#include <cstdio>
#include <vector>

#ifndef WEB_HELLO_PLAIN
// [passmeter]
#include "passmeter/gl/gl_timer.h"
#include "passmeter/gl/web.h"

static passmeter::gl::GlTimer* timer;
// [/passmeter]
#endif

// The work to be timed: a hundred tiles, each cleared by itself.
struct Tile {
  int x, y;
  double phase;
};
static std::vector<Tile> tiles;

static void draw(double seconds) {
  glEnable(GL_SCISSOR_TEST);
  for (const Tile& tile : tiles) {
    const float shade = 0.5F + 0.5F * static_cast<float>(std::sin(seconds + tile.phase));
    glScissor(tile.x, tile.y, 30, 15);
    glClearColor(0.1F, 0.4F * shade, 0.6F * shade, 1);
    glClear(GL_COLOR_BUFFER_BIT);
  }
}

static EM_BOOL frame(double time_ms, void*) {
#ifdef WEB_HELLO_PLAIN
  draw(time_ms / 1000);
#else
  // [passmeter]
  timer->begin_frame();
  {
    const auto scope = timer->scope(timer->pass("clears"));
    draw(time_ms / 1000);
  }
  timer->end_frame();
  if (timer->frames() % 120 == 0) {
    std::printf("clears: %.3f ms, by %s\n", timer->ema_ns(timer->pass("clears")) * 1e-6,
                to_string(timer->source()));
  }
  // [/passmeter]
#endif
  static int frames = 0;
  if (++frames % 120 == 0) std::printf("%d frames in %.1f s\n", frames, time_ms / 1000);
  return EM_TRUE;
}

int main() {
  for (int i = 0; i < 100; ++i) tiles.push_back({i % 10 * 30, i / 10 * 15, i * 0.1});
  EmscriptenWebGLContextAttributes attributes;
  emscripten_webgl_init_context_attributes(&attributes);
  attributes.majorVersion = 2;
  emscripten_webgl_make_context_current(emscripten_webgl_create_context("#canvas", &attributes));
#ifndef WEB_HELLO_PLAIN
  timer = new passmeter::gl::GlTimer({.passes = {"clears"}}, passmeter::gl::web_functions);  // [passmeter]
#endif
  emscripten_request_animation_frame_loop(frame, nullptr);
}
