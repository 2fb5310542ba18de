// The tab "Occlusion": the city of samples/occlusion on both canvases.
#pragma once

#include <memory>
#include <string>

#include "city_side.h"
#include "tab.h"

namespace web {

class OcclusionTab final : public Tab {
 public:
  OcclusionTab();

  Side* side(std::size_t index) override { return sides_[index].get(); }
  void set_culling(bool on);
  void set_moving(bool on) { moving_ = on; }
  /// See passmeter_page_occlusion().
  std::string json();

 private:
  // Frames of the camera's walk from one end of the street to the other; then it comes back.
  static constexpr int walk = 480;

  void next_frame() override;

  city::City city_;
  std::unique_ptr<CitySide> sides_[sides];
  bool culling_ = true;
  bool moving_ = false;
  int step_ = -1;  // of the camera, from the end of its walk, where it rests at first
};

}  // namespace web
