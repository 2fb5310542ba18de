#include "gl_side.h"

#include "passmeter/gl/available.h"
#include "passmeter/gl/web.h"

namespace web {
namespace {

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

GlSide::GlSide(const char* canvas) : OnGlCanvas(canvas, [this] { on_lost(); }, [this] { on_restored(); }) {
  if (!canvas_.valid()) {
    choice_ = passmeter::choose({}, wanted_by(force_, passmeter::Api::gl));
    why_ = no_webgl2;
    return;
  }
  make_timer();
}

void GlSide::make_renderer() {
  if (!canvas_.valid()) return;
  renderer_ = std::make_unique<scene::GlRenderer>(
      GlCanvas::find_function,
      scene::GlRenderer::Options{
          .size = size(), .load = load_.factor, .counts_a_turn = counts_a_turn(size()), .is_gles = true});
  if (renderer_->valid()) {
    why_.clear();
    return;
  }
  why_ = renderer_->why();
  renderer_.reset();
}

void GlSide::choose() {
  choice_ = passmeter::choose({.gl = passmeter::gl::available(passmeter::gl::web_functions)},
                              wanted_by(force_, passmeter::Api::gl));
}

void GlSide::make_timer() {
  timer_ = std::make_unique<passmeter::gl::GlTimer>(timer_config(), passmeter::gl::web_functions,
                                                    passmeter::gl::GlOptions{.clock = clock_for(force_)});
  choose();
  const std::vector<std::string> names = pass_names();
  for (std::size_t pass = 0; pass < names.size(); ++pass) passes_[pass] = timer_->pass(names[pass]);
  history_.clear();
  new_timer_ = false;
}

void GlSide::open(int pass) { timer_->open(passes_[static_cast<std::size_t>(pass)]); }
void GlSide::close(int pass) { timer_->close(passes_[static_cast<std::size_t>(pass)]); }

void GlSide::draw(int frame) {
  canvas_.make_current();
  begin_timed_frame();
  renderer_->draw(frame, {.user = this,
                          .begin = [](void* self, int pass) { static_cast<GlSide*>(self)->open(pass); },
                          .end = [](void* self, int pass) { static_cast<GlSide*>(self)->close(pass); }});
  for (int extra = scene::pass_count; extra < load_.passes; ++extra) {
    open(extra);
    renderer_->draw_pass_again(static_cast<scene::Pass>(extra % scene::pass_count));
    close(extra);
  }
  timer_->end_frame();
  renderer_->present(0, size(), size());
  canvas_.note_drawn();
  ++frames_drawn_;
}

void GlSide::set_load(const Load& load) {
  load_ = load;
  if (renderer_ != nullptr) renderer_->set_load(load.factor);
  note_load();
}

void GlSide::force(Force force) {
  force_ = force;
  if (!canvas_.valid()) return;
  if (lost()) {
    new_timer_ = true;
    return;
  }
  canvas_.make_current();
  make_timer();
}

void GlSide::on_lost() {
  why_ = webgl_lost;
  renderer_.reset();
  if (timer_ != nullptr) timer_->notify_lost();
}

void GlSide::on_restored() {
  make_renderer();
  if (new_timer_) {
    make_timer();
  } else {
    choose();
    timer_->restore();
  }
}

}  // namespace web
