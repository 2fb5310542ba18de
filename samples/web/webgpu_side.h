// The WebGPU canvas of the deferred frame.
#pragma once

#include <memory>

#include "on_webgpu_canvas.h"
#include "passmeter/webgpu/webgpu_timer.h"
#include "scene_side.h"
#include "webgpu_renderer.h"

namespace web {

class WebGpuSide final : public OnWebGpuCanvas<SceneSide> {
 public:
  /// `canvas`: a CSS selector.
  WebGpuSide(const char* canvas, int size);

  bool ready() const override { return canvas_.valid() && timer_ != nullptr; }
  void warm_up() override;
  void draw(int frame) override;
  passmeter::GpuTimer* timer() override { return timer_.get(); }
  const passmeter::Choice& choice() const override { return choice_; }
  void set_load(const Load& load) override;
  void force(Force force) override;
  void restore() override;

 private:
  void request_device();
  void on_device();
  void on_lost();
  void make_timer();
  const WGPUPassTimestampWrites* open(int pass);
  void close(int pass);

  std::unique_ptr<scene::WebGpuRenderer> renderer_;
  std::unique_ptr<passmeter::webgpu::WebGpuTimer> timer_;
  std::array<passmeter::PassId, most_passes> passes_;
  std::array<passmeter::Scope, most_passes> scopes_;
  passmeter::Choice choice_;
  Load load_;
  Force force_ = Force::automatic;
  bool new_timer_ = true;  // the next device gets a timer of its own, not a restored one
};

}  // namespace web
