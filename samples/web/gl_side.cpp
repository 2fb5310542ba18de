#include "gl_side.h"

#include <emscripten/em_js.h>

#include <string_view>

#include "passmeter/gl/available.h"
#include "passmeter/gl/web.h"

// clang-format off
// The extension object must be kept: a lost context does not hand it out again.
EM_JS(void, web_lose_context, (int lose), {
  if (!GLctx['losable']) GLctx['losable'] = GLctx.getExtension('WEBGL_lose_context');
  if (!GLctx['losable']) return;
  if (lose) GLctx['losable'].loseContext();
  else GLctx['losable'].restoreContext();
})
// clang-format on

namespace web {
namespace {

using Proc = void (*)();

Proc find_function(const char* name) {
  return reinterpret_cast<Proc>(emscripten_webgl_get_proc_address(name));
}

/// Names of renderers that are programs on the CPU.
bool is_software(std::string_view renderer) {
  for (const char* name : {"SwiftShader", "llvmpipe", "softpipe", "Basic Render", "Software"}) {
    if (renderer.find(name) != renderer.npos) return true;
  }
  return false;
}

passmeter::gl::Clock clock_for(Force force) {
  using passmeter::gl::Clock;
  switch (force) {
    case Force::timestamp:
      return Clock::timestamp;
    case Force::time_elapsed:
      return Clock::time_elapsed;
    case Force::fence:
      return Clock::fence;
    case Force::none:
      return Clock::none;
    case Force::automatic:
      break;
  }
  return Clock::automatic;
}

}  // namespace

GlSide::GlSide(const char* canvas) : canvas_(canvas) {
  EmscriptenWebGLContextAttributes attributes;
  emscripten_webgl_init_context_attributes(&attributes);
  attributes.majorVersion = 2;
  attributes.alpha = false;
  attributes.antialias = false;
  attributes.depth = false;
  context_ = emscripten_webgl_create_context(canvas, &attributes);
  if (context_ <= 0) {
    choice_ = passmeter::choose({}, wanted_by(force_, passmeter::Api::gl));
    why_ = "This browser gives no WebGL2 context.";
    return;
  }
  emscripten_set_webglcontextlost_callback(canvas, this, false, [](int, const void*, void* self) -> EM_BOOL {
    static_cast<GlSide*>(self)->on_lost();
    return EM_TRUE;  // prevents the default, which is never to restore it
  });
  emscripten_set_webglcontextrestored_callback(canvas, this, false,
                                               [](int, const void*, void* self) -> EM_BOOL {
                                                 static_cast<GlSide*>(self)->on_restored();
                                                 return EM_TRUE;
                                               });
  emscripten_webgl_make_context_current(context_);
  make_timer();
  if (is_software(timer_->report().adapter)) size_ = 192;
  emscripten_set_canvas_element_size(canvas, size_, size_);
  make_renderer();
}

GlSide::~GlSide() {
  emscripten_set_webglcontextlost_callback(canvas_, nullptr, false, nullptr);
  emscripten_set_webglcontextrestored_callback(canvas_, nullptr, false, nullptr);
}

void GlSide::make_renderer() {
  renderer_ = std::make_unique<scene::GlRenderer>(
      find_function, scene::GlRenderer::Options{.size = size_, .load = load_.factor, .is_gles = true});
  if (renderer_->valid()) {
    why_.clear();
    return;
  }
  why_ = renderer_->why();
  renderer_.reset();
}

void GlSide::make_timer() {
  timer_ = std::make_unique<passmeter::gl::GlTimer>(timer_config(enabled_), passmeter::gl::web_functions,
                                                    passmeter::gl::GlOptions{.clock = clock_for(force_)});
  choice_ = passmeter::choose({.gl = passmeter::gl::available(passmeter::gl::web_functions)},
                              wanted_by(force_, passmeter::Api::gl));
  const std::vector<std::string> names = pass_names();
  for (std::size_t pass = 0; pass < names.size(); ++pass) passes_[pass] = timer_->pass(names[pass]);
  history_.clear();
}

void GlSide::open(int pass) { timer_->open(passes_[static_cast<std::size_t>(pass)]); }
void GlSide::close(int pass) { timer_->close(passes_[static_cast<std::size_t>(pass)]); }

void GlSide::draw(int frame) {
  emscripten_webgl_make_context_current(context_);
  timer_->begin_frame();
  renderer_->draw(frame, {.user = this,
                          .begin = [](void* self, int pass) { static_cast<GlSide*>(self)->open(pass); },
                          .end = [](void* self, int pass) { static_cast<GlSide*>(self)->close(pass); }});
  for (int extra = scene::pass_count; extra < load_.passes; ++extra) {
    open(extra);
    renderer_->draw_pass_again(static_cast<scene::Pass>(extra % scene::pass_count));
    close(extra);
  }
  timer_->end_frame();
  renderer_->present(0, size_, size_);
  if (drawn_ != nullptr) glDeleteSync(drawn_);
  drawn_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  // glGetError makes the page wait for the browser's GPU process, so not in every frame.
  if (++frames_drawn_ % 64 == 1) errors_ += renderer_->take_error_count();
}

bool GlSide::idle() {
  if (drawn_ == nullptr || lost_) return true;
  emscripten_webgl_make_context_current(context_);
  if (glClientWaitSync(drawn_, 0, 0) == GL_TIMEOUT_EXPIRED) return false;
  glDeleteSync(drawn_);
  drawn_ = nullptr;
  return true;
}

void GlSide::set_load(const Load& load) {
  load_ = load;
  if (renderer_ != nullptr) renderer_->set_load(load.factor);
  if (timer_ != nullptr) timer_->reset_statistics();
}

void GlSide::set_enabled(bool enabled) {
  enabled_ = enabled;
  if (timer_ != nullptr) timer_->set_enabled(enabled);
}

void GlSide::force(Force force) {
  force_ = force;
  if (context_ <= 0 || lost_) return;
  emscripten_webgl_make_context_current(context_);
  make_timer();
}

void GlSide::lose() {
  if (context_ <= 0 || lost_) return;
  emscripten_webgl_make_context_current(context_);
  web_lose_context(1);
}

void GlSide::restore() {
  if (!lost_) return;
  emscripten_webgl_make_context_current(context_);
  web_lose_context(0);
}

void GlSide::on_lost() {
  lost_ = true;
  why_ = "The WebGL context is lost.";
  emscripten_webgl_make_context_current(context_);
  renderer_.reset();
  drawn_ = nullptr;
  if (timer_ != nullptr) timer_->notify_lost();
}

void GlSide::on_restored() {
  emscripten_webgl_make_context_current(context_);
  lost_ = false;
  make_renderer();
  if (timer_ != nullptr) timer_->restore();
}

}  // namespace web
