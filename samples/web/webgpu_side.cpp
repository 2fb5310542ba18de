#include "webgpu_side.h"

namespace web {

WebGpuSide::WebGpuSide(const char* canvas, int size) : canvas_(canvas), size_(size) { request_device(); }

WebGpuSide::~WebGpuSide() { let_go(); }

void WebGpuSide::let_go() {
  renderer_.reset();
  if (surface_ != nullptr) wgpuSurfaceRelease(surface_);
  if (queue_ != nullptr) wgpuQueueRelease(queue_);
  surface_ = nullptr;
  queue_ = nullptr;
}

void WebGpuSide::request_device() {
  // A device without the feature leaves the work-done callbacks to time by.
  const bool timestamps = force_ == Force::automatic || force_ == Force::timestamp;
  if (gpu_ != nullptr) errors_before_ += gpu_->errors();
  gpu_ = std::make_unique<WebGpuDevice>(timestamps, [this] { on_device(); }, [this] { on_lost(); });
  why_ = gpu_->why();
}

void WebGpuSide::on_device() {
  why_ = gpu_->why();
  choice_ = passmeter::choose({.webgpu = gpu_->available()}, wanted_by(force_, passmeter::Api::webgpu));
  const WGPUDevice device = gpu_->device();
  if (device == nullptr) return;
  const WebGpuDevice::Surface canvas = gpu_->surface(canvas_, size_);
  surface_ = canvas.surface;
  if (surface_ == nullptr) {
    why_ = "The canvas takes no WebGPU picture.";
    return;
  }
  queue_ = wgpuDeviceGetQueue(device);
  renderer_ = std::make_unique<scene::WebGpuRenderer>(
      device, queue_,
      scene::WebGpuRenderer::Options{.size = size_, .load = load_.factor, .picture_format = canvas.format});
  if (!new_timer_) {
    timer_->restore(device);
    return;
  }
  // With a source that the device does not offer the timer gets no device: it then says so and costs nothing.
  const bool timed = choice_.source != passmeter::Source::none;
  timer_ = std::make_unique<passmeter::webgpu::WebGpuTimer>(
      timer_config(enabled_), timed ? device : nullptr,
      passmeter::webgpu::WebGpuOptions{.adapter = gpu_->adapter()});
  const std::vector<std::string> names = pass_names();
  for (std::size_t pass = 0; pass < names.size(); ++pass) passes_[pass] = timer_->pass(names[pass]);
  history_.clear();
  new_timer_ = false;
}

void WebGpuSide::on_lost() {
  why_ = gpu_->why();
  let_go();
  if (timer_ != nullptr) timer_->notify_lost();
}

const WGPUPassTimestampWrites* WebGpuSide::open(int pass) {
  passmeter::Scope& scope = scopes_[static_cast<std::size_t>(pass)];
  scope = timer_->scope(passes_[static_cast<std::size_t>(pass)]);
  return timer_->writes(scope);
}

void WebGpuSide::close(int pass) { scopes_[static_cast<std::size_t>(pass)].close(); }

void WebGpuSide::draw(int frame) {
  WGPUSurfaceTexture canvas = {};
  wgpuSurfaceGetCurrentTexture(surface_, &canvas);
  if (canvas.texture == nullptr) return;
  const WGPUTextureView view = wgpuTextureCreateView(canvas.texture, nullptr);
  const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu_->device(), nullptr);

  timer_->begin_frame();
  renderer_->set_target(view);
  renderer_->encode(
      encoder, frame,
      {.user = this,
       .writes = [](void* self, int pass) { return static_cast<WebGpuSide*>(self)->open(pass); },
       .end = [](void* self, int pass) { static_cast<WebGpuSide*>(self)->close(pass); }});
  for (int extra = scene::pass_count; extra < load_.passes; ++extra) {
    renderer_->encode_pass_again(encoder, static_cast<scene::Pass>(extra % scene::pass_count), open(extra));
    close(extra);
  }
  timer_->resolve(encoder);
  const WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuQueueSubmit(queue_, 1, &commands);
  timer_->end_frame();

  gpu_->note_submit();
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
  wgpuTextureViewRelease(view);
  wgpuTextureRelease(canvas.texture);
  ++frames_drawn_;
}

bool WebGpuSide::idle() { return gpu_->idle(); }

void WebGpuSide::set_load(const Load& load) {
  load_ = load;
  if (renderer_ != nullptr) renderer_->set_load(load.factor);
  if (timer_ != nullptr) timer_->reset_statistics();
}

void WebGpuSide::set_enabled(bool enabled) {
  enabled_ = enabled;
  if (timer_ != nullptr) timer_->set_enabled(enabled);
}

void WebGpuSide::force(Force force) {
  force_ = force;
  new_timer_ = true;
  let_go();
  timer_.reset();
  request_device();
}

void WebGpuSide::restore() {
  if (lost()) request_device();
}

}  // namespace web
