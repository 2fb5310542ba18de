// The tab "Deferred frame": the scene of samples/scene on both canvases, pass by pass.
#pragma once

#include <memory>
#include <string>

#include "gl_side.h"
#include "passmeter/report.h"
#include "tab.h"

namespace web {

class DeferredTab final : public Tab {
 public:
  DeferredTab();

  Side* side(std::size_t index) override { return sides_[index].get(); }
  SceneSide* scene(int index);

  void set_load(const Load& load);
  const Load& load() const { return load_; }
  void force(Force force);

  /// A side's report as `write` writes it, or "null".
  std::string report(int index, std::string (*write)(const passmeter::Report&));
  std::string comparison();
  std::string samples(int index);
  /// Members of a JSON object: load, passes, force, frame, size, pass_names, sides.
  std::string status();

 private:
  std::string side_status(SceneSide* side);

  std::unique_ptr<SceneSide> sides_[sides];
  int size_ = 512;
  Load load_;
  Force force_ = Force::automatic;
};

}  // namespace web
