#include "particles_tab.h"

#include <algorithm>

#include "json.h"
#include "particle_gl_side.h"
#include "webgpu_sides.h"

namespace web {

ParticlesTab::ParticlesTab() {
  auto gl = std::make_unique<ParticleGlSide>("#particles-gl-canvas", rule_);
  sides_[1] = make_webgpu_particles("#particles-webgpu-canvas", gl->size(), rule_);
  sides_[0] = std::move(gl);
}

void ParticlesTab::set_room(std::uint32_t capacity) {
  rule_.capacity = std::clamp(capacity, rule_.emit, 1U << 18);
  for (const auto& side : sides_) {
    if (side != nullptr) side->restart(rule_);
  }
}

std::string ParticlesTab::json() {
  std::string out = "{\"capacity\":" + std::to_string(rule_.capacity) + ",\"sides\":[";
  for (std::size_t i = 0; i < sides; ++i) {
    if (i != 0) out += ',';
    out += sides_[i] != nullptr ? sides_[i]->json()
                                : '{' + state_json(nullptr) + R"(,"count":null,"report":null})";
  }
  return out + "]}";
}

}  // namespace web
