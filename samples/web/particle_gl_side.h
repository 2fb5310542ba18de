// The particles on a WebGL2 canvas.
#pragma once

#include "gl_canvas.h"
#include "particle_frames_gl.h"
#include "particle_side.h"

namespace web {

class ParticleGlSide final : public ParticleSide {
 public:
  /// `canvas`: a CSS selector.
  ParticleGlSide(const char* canvas, const particles::Options& rule);

  const std::string& why() const override { return why_; }
  bool lost() const override { return canvas_.lost(); }
  bool idle() override { return canvas_.idle(); }
  void make_current() override { canvas_.make_current(); }
  void lose() override { canvas_.lose(); }
  void restore() override { canvas_.restore(); }
  int errors() override { return canvas_.errors(); }
  int size() const { return canvas_.size(); }

 private:
  bool draw_one(std::uint32_t frame, particles::Counted& counted, bool& news) override;
  void make_frames() override;
  void on_lost();

  GlCanvas canvas_;
  particles::FramesGl* gl_ = nullptr;  // owned by ParticleSide
  std::string why_;
};

}  // namespace web
