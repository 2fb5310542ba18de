#include "particle_gl_side.h"

#include <utility>

#include "passmeter/gl/web.h"

namespace web {

ParticleGlSide::ParticleGlSide(const char* canvas, const particles::Options& rule)
    : OnGlCanvas(canvas, [this] { on_lost(); }, [this] { make_frames(); }, rule) {
  if (canvas_.valid()) {
    make_frames();
  } else {
    why_ = no_webgl2;
  }
}

void ParticleGlSide::make_frames() {
  auto made = std::make_unique<particles::FramesGl>(
      rule(), particles::FramesGl::Context{GlCanvas::find_function, passmeter::gl::web_functions, true},
      size(), particles::Compaction::by_age);
  why_ = made->why();
  if (!why_.empty()) return;
  gl_ = made.get();
  begin_with(std::move(made));
}

void ParticleGlSide::on_lost() {
  why_ = webgl_lost;
  lose_frames();
  gl_ = nullptr;
}

bool ParticleGlSide::draw_one(std::uint32_t frame, particles::Counted& counted, bool& news) {
  canvas_.make_current();
  news = gl_->draw(frame, counted);
  gl_->painter().present(0, size(), size());
  canvas_.note_drawn();
  return true;
}

}  // namespace web
