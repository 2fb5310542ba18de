#include "deferred_tab.h"

#include "json.h"
#include "passmeter/comparison.h"
#include "passmeter/writers.h"
#include "webgpu_sides.h"

namespace web {

DeferredTab::DeferredTab() {
  auto gl = std::make_unique<GlSide>("#gl-canvas");
  size_ = gl->size();
  // It asks for its device, which takes about as long as the other side's shaders.
  sides_[1] = make_webgpu_scene("#webgpu-canvas", size_);
  gl->make_renderer();
  sides_[0] = std::move(gl);
}

SceneSide* DeferredTab::scene(int index) {
  return index >= 0 && index < static_cast<int>(sides) ? sides_[index].get() : nullptr;
}

void DeferredTab::set_load(const Load& load) {
  load_ = load;
  for (const auto& side : sides_) {
    if (side != nullptr) side->set_load(load);
  }
}

void DeferredTab::force(Force force) {
  force_ = force;
  for (const auto& side : sides_) {
    if (side != nullptr) side->force(force);
  }
}

std::string DeferredTab::report(int index, std::string (*write)(const passmeter::Report&)) {
  SceneSide* const which = scene(index);
  if (which == nullptr || which->timer() == nullptr) return "null";
  return write(which->timer()->report());
}

std::string DeferredTab::comparison() {
  for (const auto& side : sides_) {
    if (side == nullptr || side->timer() == nullptr) return "null";
  }
  return passmeter::to_json(passmeter::compare(sides_[0]->timer()->report(), sides_[1]->timer()->report()));
}

std::string DeferredTab::samples(int index) {
  std::string out;
  if (SceneSide* const which = scene(index)) {
    which->history().take_json(out);
  } else {
    out = "[]";
  }
  return out;
}

std::string DeferredTab::side_status(SceneSide* side) {
  std::string out = '{' + state_json(side);
  if (side == nullptr) return out + '}';
  const passmeter::Choice& choice = side->choice();
  return out + ",\"choice\":" + quoted(passmeter::to_string(choice.source)) +
         ",\"choice_reason\":" + quoted(choice.reason) + '}';
}

std::string DeferredTab::status() {
  std::string out =
      "\"load\":" + std::to_string(load_.factor) + ",\"passes\":" + std::to_string(load_.passes) +
      ",\"force\":" + std::to_string(static_cast<int>(force_)) + ",\"frame\":" + std::to_string(frame_) +
      ",\"size\":" + std::to_string(size_) + ",\"pass_names\":[";
  const std::vector<std::string> names = pass_names();
  for (std::size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "" : ",") + quoted(names[i]);
  return out + "],\"sides\":[" + side_status(sides_[0].get()) + ',' + side_status(sides_[1].get()) + ']';
}

}  // namespace web
