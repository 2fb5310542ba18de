#include "particle_webgpu_side.h"

#include <utility>

namespace web {

ParticleWebGpuSide::ParticleWebGpuSide(const char* canvas, int size, const particles::Options& rule)
    : OnWebGpuCanvas(canvas, size, [this] { make_frames(); }, [this] { on_lost(); }, rule) {
  canvas_.request(true);
}

void ParticleWebGpuSide::make_frames() {
  if (!canvas_.valid()) return;
  auto made = std::make_unique<particles::FramesWebGpu>(
      rule(),
      particles::FramesWebGpu::Device{.device = canvas_.device(),
                                      .queue = canvas_.queue(),
                                      .adapter = canvas_.adapter(),
                                      .picture_format = canvas_.format()},
      canvas_.size());
  webgpu_ = made.get();
  begin_with(std::move(made));
}

void ParticleWebGpuSide::on_lost() {
  lose_frames();
  webgpu_ = nullptr;
}

bool ParticleWebGpuSide::draw_one(std::uint32_t frame, particles::Counted& counted, bool& news) {
  const WGPUTextureView view = canvas_.begin_picture();
  if (view == nullptr) return false;
  webgpu_->set_target(view);
  news = webgpu_->draw(frame, counted);
  canvas_.note_submit();
  canvas_.end_picture();
  return true;
}

}  // namespace web
