// One half of the comparison: a backend that draws the scene's frames with every pass timed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "passmeter/median.h"
#include "passmeter/report.h"
#include "scene_data.h"

namespace compare {

struct SideOptions {
  int size = 512;
  float load = 1.0F;
  bool timing = true;
  std::string gl_clock = "automatic";  // automatic, timestamp, time_elapsed or fence
};

class Side {
 public:
  virtual ~Side() = default;

  /// "" when the side can draw, else one sentence that says what is missing.
  virtual const std::string& why() const = 0;
  /// Draws and times one frame. Keeps at most two frames ahead of the GPU, as a swapchain would.
  virtual void draw(int frame) = 0;
  /// Waits until the GPU is idle and every result is collected, so that the other side starts alone.
  virtual void drain() = 0;
  virtual void set_load(float load) = 0;
  virtual void reset_statistics() = 0;
  virtual passmeter::Report report() = 0;
  /// RGBA8, top row first. Waits.
  virtual std::vector<std::uint8_t> picture() = 0;
  /// A frame that holds nothing but this pass, timed: steady work to hold against the truth below.
  virtual void draw_only(scene::Pass pass) = 0;
  /// The truth to compare with: one pass of the last frame, n times, each waited for.
  virtual passmeter::MedianResult measure_pass_median(unsigned n, scene::Pass pass) = 0;
  /// Driver errors so far; 0 in a healthy run.
  virtual int errors() = 0;
};

std::unique_ptr<Side> make_gl_side(const SideOptions& options);
std::unique_ptr<Side> make_webgpu_side(const SideOptions& options);

}  // namespace compare
