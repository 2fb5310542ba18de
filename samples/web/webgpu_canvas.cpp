#include "webgpu_canvas.h"

#include <utility>

namespace web {

WebGpuCanvas::WebGpuCanvas(const char* selector, int size, std::function<void()> answered,
                           std::function<void()> lost)
    : selector_(selector), size_(size), answered_(std::move(answered)), lost_(std::move(lost)) {}

void WebGpuCanvas::let_go() {
  if (surface_ != nullptr) wgpuSurfaceRelease(surface_);
  if (queue_ != nullptr) wgpuQueueRelease(queue_);
  surface_ = nullptr;
  queue_ = nullptr;
}

void WebGpuCanvas::request(bool want_timestamps) {
  let_go();
  asking_ = true;
  if (gpu_ != nullptr) errors_before_ += gpu_->errors();
  gpu_ = std::make_unique<WebGpuDevice>(want_timestamps, [this] { on_device(); }, [this] { on_lost(); });
  gpu_->request();
}

void WebGpuCanvas::on_device() {
  asking_ = false;
  why_ = gpu_->why();
  if (gpu_->device() != nullptr) {
    const WebGpuDevice::Surface canvas = gpu_->surface(selector_, size_);
    surface_ = canvas.surface;
    format_ = canvas.format;
    if (surface_ == nullptr) why_ = "The canvas takes no WebGPU picture.";
    queue_ = wgpuDeviceGetQueue(gpu_->device());
    gone_ = false;
  }
  answered_();
}

void WebGpuCanvas::on_lost() {
  gone_ = true;
  why_ = gpu_->why();
  let_go();
  lost_();
}

WGPUTextureView WebGpuCanvas::begin_picture() {
  WGPUSurfaceTexture canvas = {};
  wgpuSurfaceGetCurrentTexture(surface_, &canvas);
  if (canvas.texture == nullptr) return nullptr;
  texture_ = canvas.texture;
  view_ = wgpuTextureCreateView(texture_, nullptr);
  return view_;
}

void WebGpuCanvas::end_picture() {
  wgpuTextureViewRelease(view_);
  wgpuTextureRelease(texture_);
  view_ = nullptr;
  texture_ = nullptr;
}

}  // namespace web
