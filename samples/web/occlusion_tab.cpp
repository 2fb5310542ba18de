#include "occlusion_tab.h"

#include "city_gl_side.h"
#include "json.h"
#include "webgpu_sides.h"

namespace web {

OcclusionTab::OcclusionTab() : city_({.walk = walk}) {
  frame_ = walk;
  auto gl = std::make_unique<CityGlSide>("#occlusion-gl-canvas", city_);
  sides_[1] = make_webgpu_city("#occlusion-webgpu-canvas", gl->size(), city_);
  sides_[0] = std::move(gl);
}

void OcclusionTab::set_culling(bool on) {
  culling_ = on;
  for (const auto& side : sides_) {
    if (side != nullptr) side->set_culling(on);
  }
}

void OcclusionTab::next_frame() {
  if (!moving_) return;
  if (frame_ + step_ < 0 || frame_ + step_ > walk) step_ = -step_;
  frame_ += step_;
}

std::string OcclusionTab::json() {
  std::string out = "{\"culling\":" + flag(culling_) + ",\"moving\":" + flag(moving_) +
                    ",\"camera\":" + std::to_string(frame_) +
                    ",\"objects\":" + std::to_string(city_.objects().size()) + ",\"sides\":[";
  for (std::size_t i = 0; i < sides; ++i) {
    if (i != 0) out += ',';
    out += sides_[i] != nullptr ? sides_[i]->json()
                                : '{' + state_json(nullptr) + R"(,"counts":null,"on":null,"off":null})";
  }
  return out + "]}";
}

}  // namespace web
