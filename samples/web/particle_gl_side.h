// The particles on a WebGL2 canvas.
#pragma once

#include "on_gl_canvas.h"
#include "particle_frames_gl.h"
#include "particle_side.h"

namespace web {

class ParticleGlSide final : public OnGlCanvas<ParticleSide> {
 public:
  /// `canvas`: a CSS selector.
  ParticleGlSide(const char* canvas, const particles::Options& rule);

 private:
  bool draw_one(std::uint32_t frame, particles::Counted& counted, bool& news) override;
  void make_frames() override;
  void on_lost();

  particles::FramesGl* gl_ = nullptr;  // owned by ParticleSide
};

}  // namespace web
