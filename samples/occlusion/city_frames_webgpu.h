// The city's frames with WebGPU.
#pragma once

#include <webgpu/webgpu.h>

#include <memory>

#include "city_frames.h"
#include "city_webgpu.h"

namespace city {

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

  FramesWebGpu(const City& city, const Device& device, const FrameOptions& options);
  ~FramesWebGpu() override;

  CityWebGpu& painter();
  // Where the next frame is drawn to instead of into its picture: a view of the picture's size and format.
  void set_target(WGPUTextureView view);

  void draw(int frame, bool culling, int picture, Drawn& drawn) override;
  passmeter::GpuTimer& timer(bool culling) override;
  passmeter::Report report(bool culling) override;
  const passmeter::Visibility& visibility() const override;
  void notify_lost() override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace city
