// The city on a WebGPU canvas.
#pragma once

#include "city_frames_webgpu.h"
#include "city_side.h"
#include "webgpu_canvas.h"

namespace web {

class CityWebGpuSide final : public CitySide {
 public:
  /// `canvas`: a CSS selector. The city must outlive it.
  CityWebGpuSide(const char* canvas, int size, const city::City& city);
  ~CityWebGpuSide() override { lose_frames(); }  // before their device

  const std::string& why() const override { return canvas_.why(); }
  bool lost() const override { return canvas_.lost(); }
  bool asking() const override { return canvas_.asking(); }
  bool idle() override { return canvas_.idle(); }
  void lose() override { canvas_.destroy(); }
  void restore() override;
  int errors() override { return canvas_.errors(); }

 private:
  bool draw_one(int frame, bool culling, bool shown, city::Drawn& drawn) override;
  void make_frames();
  void on_lost();

  const city::City& city_;
  WebGpuCanvas canvas_;
  city::FramesWebGpu* webgpu_ = nullptr;  // owned by CitySide
};

}  // namespace web
