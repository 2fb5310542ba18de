// One canvas of a tab: a backend that draws its frames, timed.
#pragma once

#include <cstdint>
#include <string>

namespace web {

/// Width and height of a canvas that a program on the CPU draws: enough to see, and soon done.
inline constexpr int software_size = 192;

class Side {
 public:
  virtual ~Side() = default;

  /// "" while it draws, else one sentence: what it waits for, or what is missing.
  virtual const std::string& why() const = 0;
  virtual bool ready() const = 0;
  virtual bool lost() const = 0;
  /// Whether it will be ready, or say why not, in a moment.
  virtual bool asking() const { return false; }
  /// Makes what its first frame needs, such as pipelines, unless that is there. Only when ready(); draw()
  /// does it, too.
  virtual void warm_up() {}
  /// Draws and times one frame. Only when ready().
  virtual void draw(int frame) = 0;
  /// The same, of those that are shown, where others are drawn in between.
  virtual void draw_shown(int frame) { draw(frame); }
  /// Whether the GPU has finished everything drawn so far. Never waits.
  virtual bool idle() = 0;
  /// OpenGL knows one current context, and each tab has one of its own. Before poll().
  virtual void make_current() {}
  /// Collects what its timers know. Only when ready().
  virtual void poll() = 0;
  /// The time since the last frame was none.
  virtual void skip_interval() = 0;
  virtual void set_enabled(bool enabled) = 0;
  /// Takes the context or device away, as a driver crash would.
  virtual void lose() = 0;
  /// Asks for it back; it is there some time later.
  virtual void restore() = 0;
  /// Errors of the driver so far; 0 in a healthy run.
  virtual int errors() = 0;

  std::uint64_t frames_drawn() const { return frames_drawn_; }

 protected:
  std::uint64_t frames_drawn_ = 0;
};

/// What the page says of a side, as members of a JSON object without its braces: ready, asking, lost, why,
/// frames, errors. nullptr: this build has no WebGPU.
std::string state_json(Side* side);

}  // namespace web
