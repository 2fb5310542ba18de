#include "city_webgpu_side.h"

#include <utility>

namespace web {

CityWebGpuSide::CityWebGpuSide(const char* canvas, int size, const city::City& city)
    : OnWebGpuCanvas(canvas, size, [this] { make_frames(); }, [this] { on_lost(); }), city_(city) {
  canvas_.request(true);
}

void CityWebGpuSide::make_frames() {
  if (!canvas_.valid()) return;
  auto made =
      std::make_unique<city::FramesWebGpu>(city_,
                                           city::FramesWebGpu::Device{.device = canvas_.device(),
                                                                      .queue = canvas_.queue(),
                                                                      .adapter = canvas_.adapter(),
                                                                      .picture_format = canvas_.format()},
                                           city::FrameOptions{.size = canvas_.size()});
  webgpu_ = made.get();
  begin_with(std::move(made));
}

void CityWebGpuSide::on_lost() {
  lose_frames();
  webgpu_ = nullptr;
}

bool CityWebGpuSide::draw_one(int frame, bool culling, bool shown, city::Drawn& drawn) {
  if (shown) {
    const WGPUTextureView view = canvas_.begin_picture();
    if (view == nullptr) return false;
    webgpu_->set_target(view);
  }
  webgpu_->draw(frame, culling, 0, drawn);
  canvas_.note_submit();
  if (shown) canvas_.end_picture();
  return true;
}

}  // namespace web
