// Draws a city with WebGPU. Knows no timer; the query set for the bounds is handed in.
#pragma once

#include <webgpu/webgpu.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "city.h"

namespace city {

// Errors go to the device's callbacks. The device must outlive it.
class CityWebGpu {
 public:
  struct Options {
    int size = 256;
    int pictures = 1;  // finished ones that are kept beside each other
    WGPUTextureFormat picture_format = WGPUTextureFormat_RGBA8Unorm;  // not sRGB
  };

  CityWebGpu(const City& city, WGPUDevice device, WGPUQueue queue, const Options& options);
  ~CityWebGpu();
  CityWebGpu(const CityWebGpu&) = delete;
  CityWebGpu& operator=(const CityWebGpu&) = delete;

  // Puts the camera on the queue: submit before the next frame's.
  void set_camera(const Camera& camera);
  WGPURenderPassEncoder begin_gbuffer(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes);
  void draw(WGPURenderPassEncoder pass, std::uint32_t id);
  // After the gbuffer: a pass without colours that tests against its depth and writes nothing.
  WGPURenderPassEncoder begin_bounds(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes,
                                     WGPUQuerySet queries);
  void draw_bounds(WGPURenderPassEncoder pass, std::uint32_t id);
  // A whole pass: lights what the gbuffer has into that picture, or into a view of its size and
  // format.
  void light(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes, int picture,
             WGPUTextureView outer = nullptr);

#ifndef __EMSCRIPTEN__
  // As CityGl's, in the pictures' format. They pump the instance until the copy is there.
  std::vector<std::uint8_t> read_picture(WGPUInstance instance, int picture);
  std::vector<std::uint8_t> read_numbers(WGPUInstance instance);
#endif

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace city
