// Particles by compute shaders with WebGPU: the living are packed with an atomic counter, drawn and stepped
// indirectly, so the GPU never needs the CPU to know how many there are. Knows no readback.
#pragma once

#include <webgpu/webgpu.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "rule.h"

namespace particles {

// Errors go to the device's callbacks. The device must outlive it.
class ParticlesWebGpu {
 public:
  struct Picture {
    int size = 512;
    WGPUTextureFormat format = WGPUTextureFormat_RGBA8Unorm;  // not sRGB
  };
  // In Emscripten's older header compute passes have a type of their own for this.
  using ComputeWrites = decltype(WGPUComputePassDescriptor::timestampWrites);

  ParticlesWebGpu(const Options& options, WGPUDevice device, WGPUQueue queue, const Picture& picture);
  ~ParticlesWebGpu();
  ParticlesWebGpu(const ParticlesWebGpu&) = delete;
  ParticlesWebGpu& operator=(const ParticlesWebGpu&) = delete;

  // Puts the frame's number on the queue: submit before the next frame's.
  void set_frame(std::uint32_t frame);
  // A whole compute pass: one frame of the rule.
  void step(WGPUCommandEncoder encoder, ComputeWrites writes);
  // A whole render pass, into its own picture or a view of its size and format.
  void draw(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes,
            WGPUTextureView outer = nullptr);
  // Two counters of 32 bits: how many are alive after the last step, and how many would be, with room for
  // all.
  WGPUBuffer counters() const;

#ifndef __EMSCRIPTEN__
  std::vector<std::uint8_t> read_picture(WGPUInstance instance);  // top row first; waits, pumping
#endif

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace particles
