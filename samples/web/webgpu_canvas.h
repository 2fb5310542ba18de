// A canvas that a WebGPU device draws on: asked for, given or refused, lost some day, asked for again.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "webgpu_device.h"

namespace web {

class WebGpuCanvas {
 public:
  /// `selector`: a CSS selector, kept. `answered` is called for each request(), later; `lost` when the device
  /// is gone.
  WebGpuCanvas(const char* selector, int size, std::function<void()> answered, std::function<void()> lost);
  ~WebGpuCanvas() { let_go(); }
  WebGpuCanvas(const WebGpuCanvas&) = delete;
  WebGpuCanvas& operator=(const WebGpuCanvas&) = delete;

  /// Asks for a device, in place of one that was there.
  void request(bool want_timestamps);

  /// There is a device and it can draw on the canvas.
  bool valid() const { return surface_ != nullptr; }
  /// "" when valid, else one sentence.
  const std::string& why() const { return asking_ ? gpu_->why() : why_; }
  /// The device is gone, and none has come in its place yet.
  bool lost() const { return gone_; }
  /// A request() is not answered yet.
  bool asking() const { return asking_; }
  WGPUDevice device() const { return gpu_->device(); }
  WGPUQueue queue() const { return queue_; }
  WGPUAdapter adapter() const { return gpu_->adapter(); }
  WGPUTextureFormat format() const { return format_; }
  int size() const { return size_; }
  const passmeter::Available::WebGpu& available() const { return gpu_->available(); }

  /// The canvas's picture of this frame, to be given back when the frame is submitted; null: there is none.
  WGPUTextureView begin_picture();
  void end_picture();

  /// See WebGpuDevice.
  void note_submit() { gpu_->note_submit(); }
  bool idle() const { return gpu_->idle(); }
  void destroy() { gpu_->destroy(); }
  int errors() const { return errors_before_ + gpu_->errors(); }

 private:
  void on_device();
  void on_lost();
  void let_go();

  const char* selector_;
  int size_;
  std::function<void()> answered_, lost_;
  std::unique_ptr<WebGpuDevice> gpu_;
  WGPUQueue queue_ = nullptr;
  WGPUSurface surface_ = nullptr;
  WGPUTextureFormat format_ = WGPUTextureFormat_BGRA8Unorm;
  WGPUTexture texture_ = nullptr;
  WGPUTextureView view_ = nullptr;
  int errors_before_ = 0;
  std::string why_;
  bool asking_ = false;
  bool gone_ = false;
};

}  // namespace web
