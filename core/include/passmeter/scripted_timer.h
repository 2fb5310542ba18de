#pragma once

#include <cstdint>
#include <vector>

#include "passmeter/gpu_timer.h"

namespace passmeter {

/// The GPU and driver that a ScriptedTimer plays. Zero-initialised numbers are not special here; the defaults
/// are a well-behaved desktop driver.
struct ScriptedGpu {
  /// Source::timestamp: a stamp at each end of a scope. Source::time_elapsed: one duration at a time, so an
  /// inner scope splits its parent into segments. Source::fence: as timestamp, but quantum_ticks is taken for
  /// the polling interval. Source::none: a machine without any timer. (Source::cpu is taken as none.)
  Source clock = Source::timestamp;
  unsigned counter_bits = 64;          ///< 1 to 64; stamps are cut to it, so they wrap.
  double ns_per_tick = 1;              ///< Above 0.
  std::uint64_t quantum_ticks = 1;     ///< Stamps are rounded down to a multiple of it; at least 1.
  bool one_zero_is_unwritten = false;  ///< See StampRule.
  std::uint32_t latency_frames = 1;    ///< Frames between a frame and its results; 0: at its own end_frame().
  std::int64_t start_ns = 1'000'000'000;  ///< What the clock shows in the beginning.
};

/// A timer without a GPU, for tests of this library and of code that uses it: what the GPU measures, when its
/// results arrive and what goes wrong is scripted; everything else is the timer that the real backends share.
///
/// There is one clock for the CPU and the GPU. It stands still until work_ns() or idle_ns() moves it:
///
///     ScriptedTimer timer({.passes = {"shadow", "lighting"}}, {.latency_frames = 2});
///     const PassId shadow = timer.pass("shadow");
///     for (int frame = 0; frame < 10; ++frame) {
///       timer.begin_frame();
///       {
///         auto scope = timer.scope(shadow);
///         timer.work_ns(2'000'000);  // what is drawn here takes the GPU 2 ms
///       }
///       timer.end_frame();
///       timer.idle_ns(14'666'667);   // until the next frame
///     }
///     timer.report().find("shadow")->ema;  // 2'000'000
///
/// Code under test that only knows a GpuTimer& calls no work_ns(): give its passes a length beforehand with
/// each_takes_ns(). To play a clock that lies, give raw values with stamp_next() or elapse_next(). Like every
/// timer it belongs to one thread; no function blocks, and none allocates but the constructor.
class ScriptedTimer final : public GpuTimer {
 public:
  /// TimerConfig::cpu_clock is replaced by the scripted clock, unless it is set.
  explicit ScriptedTimer(TimerConfig config, ScriptedGpu gpu = {});

  // --- Time ------------------------------------------------------------------------------------------------

  /// The GPU works for that long on what is recorded here; scopes open now get it. Negative: does nothing.
  void work_ns(std::int64_t ns) noexcept;
  /// Time goes by without work (waiting for the display, say). Outside scopes the same as work_ns().
  void idle_ns(std::int64_t ns) noexcept { work_ns(ns); }
  /// Every scope of `pass` takes that long from now on, on top of work_ns() calls inside it. An unknown pass
  /// is ignored.
  void each_takes_ns(PassId pass, std::int64_t ns) noexcept;
  /// The scripted clock now, nanoseconds.
  std::int64_t now_ns() const noexcept { return now_ns_; }
  /// The scripted clock, for others that need the same time. Must not outlive the timer.
  CpuClock scripted_clock() noexcept;

  // --- Values of the next scope
  // ------------------------------------------------------------------------------

  /// The next scope that opens gets these raw stamps (clocks timestamp and fence). The clock does not move:
  /// let as much time pass as the stamps claim, or they are implausible.
  void stamp_next(std::uint64_t begin, std::uint64_t end) noexcept { next_ = {begin, end, 0, true}; }
  /// The GPU writes no stamp in the next scope: a pair of zeros.
  void unwritten_next() noexcept { stamp_next(0, 0); }
  /// The next scope that opens measures this raw duration in nanoseconds (clock time_elapsed).
  void elapse_next(std::uint64_t ns) noexcept { next_ = {0, 0, ns, true}; }
  /// As long as it is on, every stamp is zero. TIME_ELAPSED durations are zero, too.
  void zero_stamps(bool on) noexcept { zero_stamps_ = on; }

  // --- When results arrive
  // -----------------------------------------------------------------------------------

  /// For frames that end from now on. A frame with a shorter latency may overtake one before it.
  void set_latency(std::uint32_t frames) noexcept { latency_frames_ = frames; }
  /// While on, nothing becomes ready; afterwards all that is due is ready at once.
  void hold_results(bool on) noexcept { held_ = on; }
  /// The results of the next frame that ends never become ready.
  void drop_next_results() noexcept { drop_next_ = true; }

  // --- What goes wrong
  // ---------------------------------------------------------------------------------------

  /// The GPU's clock was interrupted; noticed when results are next looked for, and void is all in flight
  /// then.
  void interrupt_clock() noexcept { disjoint_ = true; }
  /// While on, there is no query or buffer for a new frame.
  void refuse_frames(bool on) noexcept { refuse_frames_ = on; }
  /// The driver has no query for the next `count` scopes that open.
  void refuse_scopes(std::uint32_t count) noexcept { refuse_scopes_ = count; }
  /// The driver refuses to read back the next frame that ends.
  void fail_next_frame() noexcept { fail_next_ = true; }
  /// The driver says from now on that the context is lost, until restore() succeeds.
  void lose() noexcept { gone_ = true; }
  /// What restore() finds: a new context (true, the default) or none yet.
  void allow_restore(bool yes) noexcept { restorable_ = yes; }

 private:
  struct Mark {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t elapsed = 0;  // ticks in own segments; nanoseconds when given
    bool given = false;         // by stamp_next() or elapse_next(), not from the clock
  };
  struct Slot {
    std::vector<Mark> marks;  // one an interval
    std::uint32_t latency = 0;
    bool dropped = false;
  };

  static TimerConfig with_clock(TimerConfig config, ScriptedTimer* timer) noexcept;
  static ScriptedGpu checked(ScriptedGpu gpu) noexcept;

  bool on_begin_frame(Frame& frame) noexcept override;
  bool on_open(Frame& frame, std::uint32_t interval) noexcept override;
  void on_close(Frame& frame, std::uint32_t interval) noexcept override;
  bool on_end_frame(Frame& frame) noexcept override;
  void on_collect() noexcept override;
  void on_abandon(Frame& frame) noexcept override;
  void on_lost() noexcept override;
  bool on_restore() noexcept override;
  bool on_check_lost() noexcept override { return gone_; }

  void announce_clock();
  bool segments() const noexcept { return gpu_.clock == Source::time_elapsed; }
  std::uint64_t stamp() const noexcept;
  void start_segment(Mark& mark) noexcept;
  void stop_segment(Mark& mark) noexcept;
  bool ready(const Frame& frame) const noexcept;
  std::int64_t latest_possible_end() const noexcept;
  void read_stamps(Frame& frame) noexcept;
  void read_segments(Frame& frame) noexcept;
  void read_own_segments(const Mark& mark, Interval& interval) noexcept;

  ScriptedGpu gpu_;
  std::int64_t now_ns_;
  std::vector<Slot> slots_;
  std::vector<std::int64_t> each_takes_ns_;  // by pass
  Mark next_;
  std::uint32_t latency_frames_;
  std::uint32_t refuse_scopes_ = 0;
  bool zero_stamps_ = false;
  bool held_ = false;
  bool drop_next_ = false;
  bool disjoint_ = false;
  bool refuse_frames_ = false;
  bool fail_next_ = false;
  bool gone_ = false;
  bool restorable_ = true;
};

}  // namespace passmeter
