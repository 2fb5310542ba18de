// The particles on a WebGPU canvas.
#pragma once

#include "particle_frames_webgpu.h"
#include "particle_side.h"
#include "webgpu_canvas.h"

namespace web {

class ParticleWebGpuSide final : public ParticleSide {
 public:
  /// `canvas`: a CSS selector.
  ParticleWebGpuSide(const char* canvas, int size, const particles::Options& rule);
  ~ParticleWebGpuSide() override { lose_frames(); }  // before their device

  const std::string& why() const override { return canvas_.why(); }
  bool lost() const override { return canvas_.lost(); }
  bool asking() const override { return canvas_.asking(); }
  bool idle() override { return canvas_.idle(); }
  void lose() override { canvas_.destroy(); }
  void restore() override;
  int errors() override { return canvas_.errors(); }

 private:
  bool draw_one(std::uint32_t frame, particles::Counted& counted, bool& news) override;
  void make_frames() override;
  void on_lost();

  WebGpuCanvas canvas_;
  particles::FramesWebGpu* webgpu_ = nullptr;  // owned by ParticleSide
};

}  // namespace web
