#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passmeter/cpu_clock.h"
#include "passmeter/diagnostic.h"
#include "passmeter/frame_sample.h"
#include "passmeter/pass.h"
#include "passmeter/report.h"
#include "passmeter/series.h"
#include "passmeter/source.h"
#include "passmeter/stamps.h"

namespace passmeter {

/// What every timer can be told. Zero-initialised numbers mean the default. Values out of range are replaced
/// by the nearest valid one (Diagnostic::bad_config).
struct TimerConfig {
  std::vector<std::string> passes{};  ///< Unique names, any UTF-8. Order is kept.
  double ema_alpha = 0.1;             ///< (0, 1].
  std::uint32_t percentile_window =
      1024;  ///< Accepted values the percentiles look at; 4 bytes each per pass.
  /// Frames whose results may be pending at once; when all are, new frames are skipped and counted.
  /// 0: the backend's default (GL 8, WebGPU 4). At most 64.
  std::uint32_t frames_in_flight = 0;
  /// Scopes in one frame; 0: four per pass, at least 64. At most 65536.
  std::uint32_t max_scopes_per_frame = 0;
  /// A result that has not come after this many frames is given up as Verdict::late. 0: 300.
  std::uint32_t late_after_frames = 0;
  bool enabled = true;
  LogCallback log = {};
  FrameCallback on_frame = {};
  CpuClock cpu_clock = {};
};

class GpuTimer;

/// An open scope; closes it at the latest on destruction. Movable. Must not outlive its timer.
class [[nodiscard]] Scope {
 public:
  Scope() = default;
  Scope(Scope&& other) noexcept;
  Scope& operator=(Scope&& other) noexcept;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { close(); }

  /// Ends the pass here. A second call does nothing.
  void close() noexcept;
  /// Whether the scope is being measured in this frame.
  bool active() const noexcept { return timer_ != nullptr; }

 private:
  friend class GpuTimer;
  Scope(GpuTimer* timer, std::uint64_t frame, std::uint32_t interval) noexcept
      : timer_(timer), frame_(frame), interval_(interval) {}

  GpuTimer* timer_ = nullptr;
  std::uint64_t frame_ = 0;
  std::uint32_t interval_ = 0;
};

/// Times the passes of every frame, on any graphics API. This class holds all that backends share: passes,
/// frames, nesting, verdicts, statistics, report; a backend makes the marks and reads them back.
///
/// Use from one thread, the one that owns the context or records the commands. No function waits for the GPU,
/// throws, or, after the first few frames, allocates (report() and measure_median() of the backends aside).
class GpuTimer {
 public:
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;
  virtual ~GpuTimer() = default;

  /// The pass declared under that name. Unknown: an invalid id (Diagnostic::unknown_pass), whose scopes
  /// measure nothing.
  PassId pass(std::string_view name) noexcept;
  std::uint32_t pass_count() const noexcept { return passes_.size(); }
  std::string_view pass_name(PassId pass) const noexcept { return passes_.name(pass); }

  /// Opens a frame. If all frames in flight are pending, this frame is not measured and each pass marked in
  /// it is counted as no_free_slot. A frame still open is ended first (Diagnostic::frame_begun_twice).
  void begin_frame() noexcept;
  /// Closes the frame and collects what is ready. Call after submitting the frame's work (WebGPU), before or
  /// after the swap (GL).
  void end_frame() noexcept;
  /// Collects what is ready, in between or while nothing is drawn. end_frame() does it anyway.
  void poll() noexcept;

  /// Opens a pass until the returned scope is closed. Scopes nest; the same pass may be opened again in the
  /// frame, the times add up. Outside a frame, with an unknown pass, or when nothing is measured: an inactive
  /// scope.
  Scope scope(PassId pass) noexcept;

  /// The same without an object, for engines with separate begin and end callbacks: close() ends the
  /// innermost open scope of that pass (and, if there are any, the ones opened inside it:
  /// closed_out_of_order). Without one it does nothing (Diagnostic::end_without_begin).
  void open(PassId pass) noexcept;
  void close(PassId pass) noexcept;

  /// The time since the last begin_frame() was no frame (window hidden, level loading, debugger): the next
  /// CPU interval does not enter the statistics.
  void skip_interval() noexcept { skip_interval_ = true; }

  /// Off: no driver call is made any more; a frame being drawn is ended first, what is in flight is collected
  /// once switched on again. On: takes effect at the next begin_frame().
  void set_enabled(bool enabled) noexcept;
  bool enabled() const noexcept { return enabled_; }

  Source source() const noexcept;
  State state() const noexcept;
  /// Why this source and state: one sentence, never empty. Valid until the next call of a non-const function.
  const char* reason() const noexcept;
  /// Frames begun so far; the number of the frame being drawn is one less.
  std::uint64_t frames() const noexcept { return frames_begun_; }
  std::uint64_t diagnostic_count(Diagnostic diagnostic) const noexcept {
    return diagnostics_.count(diagnostic);
  }

  /// Tells that the context or device is gone. Everything in flight is counted as lost and its ids are
  /// forgotten without driver calls. Harmless when already lost.
  void notify_lost() noexcept;
  /// Starts again after a loss, with the context or device that is there now; the statistics go on. True if
  /// it measures again. Harmless when not lost (answers whether it measures).
  bool restore() noexcept;

  /// Everything known now. Allocates the report's strings and rows.
  Report report() const;
  /// The same into `out`, reusing its memory.
  void report(Report& out) const;
  /// The EMA of one pass alone, in nanoseconds, its children's time counted; NaN while unknown. Cheap,
  /// allocates nothing: for a title bar, a line in the log, a controller.
  double ema_ns(PassId pass) const noexcept {
    return passes_.contains(pass) ? stats_[pass.index].inclusive.ema() : unknown;
  }
  /// Forgets all samples and counts of verdicts; frames in flight are kept and will count.
  void reset_statistics() noexcept;

 protected:
  /// A frame whose marks were made or are being made. The backend keeps its own data beside it, by `slot`.
  struct Frame {
    enum class Use : std::uint8_t { free, open, in_flight };
    std::uint64_t number = 0;
    std::uint32_t slot = 0;  ///< Constant; 0 to frames_in_flight - 1.
    Use use = Use::free;
    std::int64_t cpu_begin_ns = 0;
    std::vector<Interval> intervals;    ///< Capacity max_scopes_per_frame, reserved once.
    std::vector<std::uint8_t> refused;  ///< Per pass: a mark of it was refused in this frame.
    bool any_refused = false;
    bool nested = false;    ///< An interval lies inside another one.
    bool repeated = false;  ///< A pass was opened more than once.
    /// For clocks that see whole frames and no passes: the frame's busy time, set before deliver().
    double busy_ns = unknown;
  };

  /// What a backend names in reports. Strings are copied.
  struct Identity {
    std::string backend, adapter, driver;
  };

  GpuTimer(TimerConfig config, std::uint32_t default_frames_in_flight);

  // --- What a backend does. All on the timer's thread; none may block. -------------------------------------

  /// A frame begins in this slot. False: no query or buffer is free (the frame is skipped).
  virtual bool on_begin_frame(Frame& frame) noexcept = 0;
  /// The scope at frame.intervals[interval] opens; its parent is set. False: refused, the interval is
  /// removed.
  virtual bool on_open(Frame& frame, std::uint32_t interval) noexcept = 0;
  virtual void on_close(Frame& frame, std::uint32_t interval) noexcept = 0;
  /// All scopes are closed. Ask for the results here. False: nothing can come of it (all driver_error).
  virtual bool on_end_frame(Frame& frame) noexcept = 0;
  /// Look at the frames in flight; for each that is ready fill its intervals and call deliver().
  virtual void on_collect() noexcept = 0;
  /// This frame was given up: its queries must not be read any more and must not be reused while pending.
  virtual void on_abandon(Frame& frame) noexcept = 0;
  /// The context or device is gone: forget every id, make no driver call.
  virtual void on_lost() noexcept = 0;
  /// Make everything anew. Calls set_source(). True if measuring is possible.
  virtual bool on_restore() noexcept = 0;
  /// Adds what only the backend knows, such as series of its own. Called by report().
  virtual void on_report(Report& out) const { (void)out; }
  /// Called once per end_frame() while measuring; true if the driver says the context is lost.
  virtual bool on_check_lost() noexcept { return false; }
  /// Every sample of the last frames was unwritten. A backend with another clock may change over to it here;
  /// true if it did. Otherwise the timer reports State::degraded and keeps probing.
  virtual bool on_degraded() noexcept { return false; }

  // --- What a backend may use. -----------------------------------------------------------------------------

  /// `reason`: one sentence. Source::none makes the state unavailable.
  void set_source(Source source, std::string reason, std::uint32_t counter_bits);
  void set_identity(Identity identity) { identity_ = std::move(identity); }
  /// For clocks whose resolution is not measured from stamps (fences). NaN: measure it from the stamps.
  void set_resolution_ns(double ns) noexcept { fixed_resolution_ns_ = ns; }
  /// Length of a tick of note_quantum()'s values.
  void set_ns_per_tick(double ns) noexcept { ns_per_tick_ = ns; }
  void note_quantum(std::uint64_t ticks) noexcept { quantum_.add(ticks); }
  /// What they showed the clock's quantum to be, in ticks; 0 while too few were seen. A value read from the
  /// clock may be off by so much, so it may exceed the CPU time by so much and still be plausible.
  std::uint64_t quantum_ticks() const noexcept { return quantum_.ticks(); }

  std::uint32_t frame_slots() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }
  Frame& frame_slot(std::uint32_t slot) noexcept { return slots_[slot]; }
  /// Between begin_frame() and end_frame(), measured or not.
  bool in_frame() const noexcept { return frame_open_; }
  /// The frame being drawn, or nullptr when there is none or it is not measured.
  Frame* open_frame() noexcept { return open_frame_; }
  /// Frames in flight, oldest first. deliver() removes from it: iterate from a copy of the count, or by
  /// for_each_in_flight().
  template <class Visit>
  void for_each_in_flight(Visit&& visit) noexcept {
    for (std::uint32_t i = 0; i < in_flight_used_;) {
      Frame& frame = slots_[in_flight_[i]];
      visit(frame);
      if (i < in_flight_used_ && in_flight_[i] == frame.slot) ++i;  // else it was delivered and i is the next
    }
  }
  std::uint32_t in_flight_count() const noexcept { return in_flight_used_; }
  /// The frame's intervals have their verdicts, begin/end or inclusive/exclusive times: count them and free
  /// the slot.
  void deliver(Frame& frame) noexcept;
  /// Gives every interval of the frame that verdict, then delivers it.
  void deliver_rejected(Frame& frame, Verdict verdict) noexcept;
  /// Fills inclusive from begin/end and exclusive from the children, for clocks with absolute stamps.
  void derive_nested_times(Frame& frame) noexcept;
  /// Whether `scope` is an open scope of this timer in this frame; its interval's index then.
  bool resolve_scope(const Scope& scope, std::uint32_t& interval) noexcept;

  Diagnostics& diagnostics() noexcept { return diagnostics_; }
  const CpuClock& cpu_clock() const noexcept { return cpu_clock_; }
  std::uint32_t max_scopes_per_frame() const noexcept { return max_scopes_; }
  bool measuring() const noexcept { return enabled_ && source_ != Source::none && !lost_; }

 private:
  friend class Scope;

  // Apart from the rest: a frame being marked looks at nothing else of a pass.
  struct PassMarks {
    std::uint64_t marked_in = ~std::uint64_t{0};  // frame number
    std::uint64_t in_flight = 0;
  };

  struct PassStats {
    double exclusive_ema = 0;
    bool exclusive_known = false;
    bool parent_known = false;
    PassId parent;
    Series inclusive;
    // Sums while a frame is being delivered.
    double sum_inclusive = 0;
    double sum_exclusive = 0;
    Verdict worst = Verdict::accepted;
    std::uint64_t touched_in = ~std::uint64_t{0};  // delivery serial

    PassStats(double alpha, std::uint32_t window) : inclusive(alpha, window) {}
  };

  static TimerConfig checked(TimerConfig config, std::uint32_t default_frames_in_flight, bool& changed);
  void declare_passes(const std::vector<std::string>& names);
  void turn_down(PassId pass) noexcept;
  void close_scope(std::uint64_t frame, std::uint32_t interval) noexcept;
  bool is_open(std::uint32_t interval) const noexcept;
  bool close_down_to(Frame& frame, std::uint32_t interval) noexcept;
  void close_top(Frame& frame) noexcept;
  Frame* take_slot() noexcept;
  void count_skipped(PassId pass) noexcept;
  void refuse_mark(Frame& frame, PassId pass) noexcept;
  void give_up_late() noexcept;
  void take_out(Frame& frame) noexcept;
  void release(Frame& frame) noexcept;
  void count_latency(const Frame& frame) noexcept;
  void count_frame(Frame& frame) noexcept;
  void count_passes(Frame& frame) noexcept;
  void count_plain(Frame& frame) noexcept;
  void count_times(const FrameTimes& times, const Frame& frame) noexcept;
  void count_pass(std::uint32_t pass, double inclusive, double exclusive, Verdict worst,
                  std::uint64_t frame) noexcept;
  static void place_plain(const Frame& frame, FrameTimes& times) noexcept;
  PassStats& touch(std::uint32_t pass) noexcept;
  bool is_under(PassId pass, PassId above) const noexcept;
  void add_nested(const Frame& frame, const Interval& interval, PassStats& stats) noexcept;
  void add_interval(const Frame& frame, const Interval& interval) noexcept;
  void watch_for_degraded(const Frame& frame) noexcept;
  void fill_frame_report(FrameReport& out) const;
  void fill_series_report(std::uint32_t pass, SeriesReport& out) const;
  double resolution_ns() const noexcept;

  PassTable passes_;
  Diagnostics diagnostics_;
  CpuClock cpu_clock_;
  FrameCallback on_frame_;
  double alpha_;
  std::uint32_t window_;
  std::uint32_t max_scopes_;
  std::uint32_t late_after_;
  bool enabled_;
  bool lost_ = false;
  bool degraded_ = false;

  Identity identity_;
  Source source_ = Source::none;
  std::string reason_;
  std::uint32_t counter_bits_ = 0;
  double fixed_resolution_ns_ = unknown;
  double ns_per_tick_ = 1.0;
  QuantumMeter quantum_;

  std::vector<Frame> slots_;
  std::vector<std::uint32_t> in_flight_;  // slot numbers, oldest first
  std::uint32_t in_flight_used_ = 0;
  Frame* open_frame_ = nullptr;
  bool frame_open_ = false;
  bool skipping_ = false;      // the frame is open but not measured for want of a slot
  bool skip_counted_ = false;  // among the frames rejected
  bool skip_interval_ = false;
  std::uint64_t on_since_ =
      0;  // frames before may have waited while switched off: their latency says nothing
  std::vector<std::uint32_t> scope_stack_;
  std::uint64_t frames_begun_ = 0;
  std::int64_t last_begin_ns_ = 0;
  std::int64_t scope_clock_ns_ = 0;
  std::uint32_t scopes_since_clock_ = 0;
  std::uint32_t scopes_per_clock_ = 1;

  std::vector<PassMarks> marks_;  // per pass, as are the next
  std::vector<PassStats> stats_;
  std::vector<std::uint32_t> touched_;  // passes of the frame being delivered
  std::uint64_t deliveries_ = 0;
  Series busy_, span_, sum_, interval_, latency_;
  bool overlapping_ = false;
  std::uint64_t overlapping_frames_ = 0;
  std::uint32_t unwritten_run_ = 0;
  IntervalScratch scratch_;
  mutable std::vector<float> percentile_scratch_;
};

inline void Scope::close() noexcept {
  if (timer_ == nullptr) return;
  GpuTimer* const timer = timer_;
  timer_ = nullptr;
  timer->close_scope(frame_, interval_);
}

}  // namespace passmeter
