// One canvas of the tab "Deferred frame": every pass of the scene timed.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "history.h"
#include "passmeter/choose.h"
#include "passmeter/gpu_timer.h"
#include "scene_data.h"
#include "shaders.h"
#include "side.h"

namespace web {

// The scene's passes, and each of them up to three times more: the page's way to ask what many passes cost.
inline constexpr int most_passes = 4 * scene::pass_count;

std::vector<std::string> pass_names();

// What the user insists on, in the order of the page's list.
enum class Force : int { automatic, timestamp, time_elapsed, fence, none };

passmeter::Wanted wanted_by(Force force, passmeter::Api api);

struct Load {
  float factor = 1.0F;
  int passes = scene::pass_count;  // scene::pass_count to most_passes
};

/// A software renderer is given less text to compile, so that the first times are there soon.
inline int counts_a_turn(int canvas_size) {
  return canvas_size == software_size ? scene::software_counts_a_turn : scene::default_counts_a_turn;
}

class SceneSide : public Side {
 public:
  /// nullptr until there is something to time.
  virtual passmeter::GpuTimer* timer() = 0;
  virtual const passmeter::Choice& choice() const = 0;
  virtual void set_load(const Load& load) = 0;
  virtual void force(Force force) = 0;

  void poll() override { timer()->poll(); }
  void skip_interval() override {
    if (timer() != nullptr) timer()->skip_interval();
  }
  void set_enabled(bool enabled) override {
    enabled_ = enabled;
    if (timer() != nullptr) timer()->set_enabled(enabled);
  }

  History& history() { return history_; }

 protected:
  passmeter::TimerConfig timer_config();
  /// Frames of the load before it may still come back; the first one with the new load begins anew.
  void begin_timed_frame() {
    if (std::exchange(load_changed_, false)) timer()->reset_statistics();
    timer()->begin_frame();
  }
  void note_load() {
    load_changed_ = true;
    if (timer() != nullptr) timer()->reset_statistics();
  }

  History history_;
  bool enabled_ = true;

 private:
  bool load_changed_ = false;
};

}  // namespace web
