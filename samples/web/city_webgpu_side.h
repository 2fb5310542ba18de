// The city on a WebGPU canvas.
#pragma once

#include "city_frames_webgpu.h"
#include "city_side.h"
#include "on_webgpu_canvas.h"

namespace web {

class CityWebGpuSide final : public OnWebGpuCanvas<CitySide> {
 public:
  /// `canvas`: a CSS selector. The city must outlive it.
  CityWebGpuSide(const char* canvas, int size, const city::City& city);
  ~CityWebGpuSide() override { lose_frames(); }  // before their device

 private:
  bool draw_one(int frame, bool culling, bool shown, city::Drawn& drawn) override;
  void make_frames();
  void on_lost();

  const city::City& city_;
  city::FramesWebGpu* webgpu_ = nullptr;  // owned by CitySide
};

}  // namespace web
