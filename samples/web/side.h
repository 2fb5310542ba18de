// One canvas of the page: a backend that draws the scene's frames with every pass timed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "history.h"
#include "passmeter/choose.h"
#include "passmeter/gpu_timer.h"
#include "scene_data.h"

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

class Side {
 public:
  virtual ~Side() = default;

  /// "" while it draws, else one sentence: what it waits for, or what is missing.
  virtual const std::string& why() const = 0;
  virtual bool ready() const = 0;
  virtual bool lost() const = 0;
  /// Draws and times one frame. Only when ready().
  virtual void draw(int frame) = 0;
  /// Whether the GPU has finished everything drawn so far. Never waits.
  virtual bool idle() = 0;
  /// nullptr until there is something to time.
  virtual passmeter::GpuTimer* timer() = 0;
  virtual const passmeter::Choice& choice() const = 0;
  virtual void set_load(const Load& load) = 0;
  virtual void set_enabled(bool enabled) = 0;
  virtual void force(Force force) = 0;
  /// Takes the context or device away, as a driver crash would.
  virtual void lose() = 0;
  /// Asks for it back; it is there some time later.
  virtual void restore() = 0;
  /// Errors of the driver so far; 0 in a healthy run.
  virtual int errors() = 0;

  History& history() { return history_; }
  std::uint64_t frames_drawn() const { return frames_drawn_; }

 protected:
  passmeter::TimerConfig timer_config(bool enabled);

  History history_;
  std::uint64_t frames_drawn_ = 0;
};

}  // namespace web
