// The particles on a WebGPU canvas.
#pragma once

#include "on_webgpu_canvas.h"
#include "particle_frames_webgpu.h"
#include "particle_side.h"

namespace web {

class ParticleWebGpuSide final : public OnWebGpuCanvas<ParticleSide> {
 public:
  /// `canvas`: a CSS selector.
  ParticleWebGpuSide(const char* canvas, int size, const particles::Options& rule);
  ~ParticleWebGpuSide() override { lose_frames(); }  // before their device

 private:
  bool draw_one(std::uint32_t frame, particles::Counted& counted, bool& news) override;
  void make_frames() override;
  void on_lost();

  particles::FramesWebGpu* webgpu_ = nullptr;  // owned by ParticleSide
};

}  // namespace web
