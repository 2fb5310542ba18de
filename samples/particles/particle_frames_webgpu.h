// The particles' frames with WebGPU.
#pragma once

#include <webgpu/webgpu.h>

#include <memory>

#include "particle_frames.h"
#include "particles_webgpu.h"

namespace particles {

// The device must outlive it.
class FramesWebGpu final : public Frames {
 public:
  struct Device {
    WGPUDevice device = nullptr;
    WGPUQueue queue = nullptr;
    WGPUInstance instance = nullptr;  // whose events are pumped; null in browsers
    WGPUAdapter adapter = nullptr;    // for names, where the device cannot tell
    WGPUTextureFormat picture_format = WGPUTextureFormat_RGBA8Unorm;
  };

  FramesWebGpu(const Options& options, const Device& device, int size);
  ~FramesWebGpu() override;

  ParticlesWebGpu& painter();
  // Where the next frame is drawn to instead of into the picture: a view of the picture's size and format.
  void set_target(WGPUTextureView view);

  std::string how() const override;
  bool counts_alive() const override { return true; }
  bool draw(std::uint32_t frame, Counted& counted) override;
  std::uint32_t drawn() const override { return 0; }
  std::uint64_t overflowed_frames() const override;
  passmeter::GpuTimer& timer() override;
  passmeter::Report report() override;
  void notify_lost() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace particles
