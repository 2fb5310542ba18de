#include "webgpu_side.h"

namespace web {

WebGpuSide::WebGpuSide(const char* canvas, int size)
    : OnWebGpuCanvas(canvas, size, [this] { on_device(); }, [this] { on_lost(); }) {
  request_device();
}

void WebGpuSide::request_device() {
  // A device without the feature leaves the work-done callbacks to time by.
  canvas_.request(force_ == Force::automatic || force_ == Force::timestamp);
}

void WebGpuSide::on_device() {
  choice_ = passmeter::choose({.webgpu = canvas_.available()}, wanted_by(force_, passmeter::Api::webgpu));
  if (!canvas_.valid()) return;
  if (new_timer_) {
    make_timer();
  } else {
    timer_->restore(canvas_.device());
  }
}

void WebGpuSide::warm_up() {
  if (renderer_ != nullptr) return;
  renderer_ = std::make_unique<scene::WebGpuRenderer>(
      canvas_.device(), canvas_.queue(),
      scene::WebGpuRenderer::Options{.size = canvas_.size(),
                                     .load = load_.factor,
                                     .counts_a_turn = counts_a_turn(canvas_.size()),
                                     .picture_format = canvas_.format()});
}

void WebGpuSide::make_timer() {
  // With a source that the device does not offer the timer gets no device: it then says so and costs nothing.
  const bool timed = choice_.source != passmeter::Source::none;
  timer_ = std::make_unique<passmeter::webgpu::WebGpuTimer>(
      timer_config(), timed ? canvas_.device() : nullptr,
      passmeter::webgpu::WebGpuOptions{.adapter = canvas_.adapter()});
  const std::vector<std::string> names = pass_names();
  for (std::size_t pass = 0; pass < names.size(); ++pass) passes_[pass] = timer_->pass(names[pass]);
  history_.clear();
  new_timer_ = false;
}

void WebGpuSide::on_lost() {
  renderer_.reset();
  if (timer_ != nullptr) timer_->notify_lost();
}

const WGPUPassTimestampWrites* WebGpuSide::open(int pass) {
  passmeter::Scope& scope = scopes_[static_cast<std::size_t>(pass)];
  scope = timer_->scope(passes_[static_cast<std::size_t>(pass)]);
  return timer_->writes(scope);
}

void WebGpuSide::close(int pass) { scopes_[static_cast<std::size_t>(pass)].close(); }

void WebGpuSide::draw(int frame) {
  warm_up();
  const WGPUTextureView view = canvas_.begin_picture();
  if (view == nullptr) return;
  const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(canvas_.device(), nullptr);

  begin_timed_frame();
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
  wgpuQueueSubmit(canvas_.queue(), 1, &commands);
  timer_->end_frame();

  canvas_.note_submit();
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
  canvas_.end_picture();
  ++frames_drawn_;
}

void WebGpuSide::set_load(const Load& load) {
  load_ = load;
  if (renderer_ != nullptr) renderer_->set_load(load.factor);
  note_load();
}

void WebGpuSide::force(Force force) {
  force_ = force;
  new_timer_ = true;
  renderer_.reset();
  timer_.reset();
  request_device();
}

void WebGpuSide::restore() {
  if (lost() && !asking()) request_device();
}

}  // namespace web
