// One tab of the page: two sides drawn in turn.
#pragma once

#include <cstddef>

#include "side.h"

namespace web {

class Tab {
 public:
  static constexpr std::size_t sides = 2;  // WebGL2, WebGPU

  virtual ~Tab() = default;
  /// nullptr: this build has none.
  virtual Side* side(std::size_t index) = 0;

  /// One animation frame: at most one canvas is drawn, and only once the GPU has finished what was drawn
  /// before, so that neither side is timed while the other works.
  void tick(bool may_draw);
  /// Draws a frame on that side now, whatever else. Whether it was drawn.
  bool draw_now(std::size_t index);
  /// The pause is no frame.
  void skip_interval();
  void set_enabled(bool enabled);
  /// How long the GPU was seen not to have finished what it was given, in ms; 0 when it has.
  double unfinished_ms() const { return unfinished_ms_; }

 protected:
  /// Both sides have had their turn.
  virtual void next_frame() { ++frame_; }

  int frame_ = 0;

 private:
  bool gpu_is_idle();
  void note_unfinished(bool idle);
  bool waits_for_a_device();

  std::size_t turn_ = 0;
  int ticks_waited_ = 0;
  double looked_at_ = 0;  // ms, of emscripten_get_now(); 0: not since the last interval
  double unfinished_ms_ = 0;
};

}  // namespace web
