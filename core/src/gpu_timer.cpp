#include "passmeter/gpu_timer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace passmeter {
namespace {

constexpr std::uint32_t default_window = 1024;
constexpr std::uint32_t default_late_after = 300;
constexpr std::uint32_t most_frames_in_flight = 64;
constexpr std::uint32_t most_scopes = 65536;
constexpr std::uint32_t most_window = 65536;
constexpr std::uint32_t scopes_per_steady_clock_reading = 16;
// Half a second at 60 Hz: long enough that a driver's slow start is not taken for a broken clock.
constexpr std::uint32_t unwritten_frames_until_degraded = 30;

template <class T>
T default_if_zero(T value, T fallback) {
  return value == 0 ? fallback : value;
}

template <class T>
T at_most(T value, T limit, bool& changed) {
  if (value <= limit) return value;
  changed = true;
  return limit;
}

double checked_alpha(double alpha, bool& changed) {
  if (alpha == 0) return 0.1;
  if (alpha > 0 && alpha <= 1) return alpha;
  changed = true;
  return alpha > 1 ? 1.0 : 0.1;
}

}  // namespace

// --- Scope
// ---------------------------------------------------------------------------------------------------

Scope::Scope(Scope&& other) noexcept
    : timer_(std::exchange(other.timer_, nullptr)), frame_(other.frame_), interval_(other.interval_) {}

Scope& Scope::operator=(Scope&& other) noexcept {
  if (this == &other) return *this;
  close();
  timer_ = std::exchange(other.timer_, nullptr);
  frame_ = other.frame_;
  interval_ = other.interval_;
  return *this;
}

// --- Construction
// --------------------------------------------------------------------------------------------

TimerConfig GpuTimer::checked(TimerConfig config, std::uint32_t default_frames_in_flight, bool& changed) {
  const auto passes = static_cast<std::uint32_t>(std::min<std::size_t>(config.passes.size(), most_scopes));
  const std::uint32_t default_scopes = std::min(std::max(64u, passes * 4), most_scopes);
  config.ema_alpha = checked_alpha(config.ema_alpha, changed);
  config.percentile_window =
      at_most(default_if_zero(config.percentile_window, default_window), most_window, changed);
  config.frames_in_flight = at_most(default_if_zero(config.frames_in_flight, default_frames_in_flight),
                                    most_frames_in_flight, changed);
  config.max_scopes_per_frame =
      at_most(default_if_zero(config.max_scopes_per_frame, default_scopes), most_scopes, changed);
  config.late_after_frames = default_if_zero(config.late_after_frames, default_late_after);
  return config;
}

GpuTimer::GpuTimer(TimerConfig given, std::uint32_t default_frames_in_flight)
    : diagnostics_(given.log), cpu_clock_(given.cpu_clock), on_frame_(given.on_frame) {
  bool changed = false;
  const TimerConfig config = checked(std::move(given), default_frames_in_flight, changed);
  if (changed) {
    diagnostics_.raise(Diagnostic::bad_config,
                       "A TimerConfig value is out of range; the nearest valid one is used.");
  }
  alpha_ = config.ema_alpha;
  window_ = config.percentile_window;
  max_scopes_ = config.max_scopes_per_frame;
  late_after_ = config.late_after_frames;
  enabled_ = config.enabled;
  scopes_per_clock_ = config.cpu_clock.now_ns == nullptr ? scopes_per_steady_clock_reading : 1;
  for (Series* series : {&busy_, &span_, &sum_, &interval_, &latency_}) *series = Series(alpha_, window_);
  declare_passes(config.passes);

  slots_.resize(config.frames_in_flight);
  for (std::uint32_t i = 0; i < config.frames_in_flight; ++i) {
    slots_[i].slot = i;
    slots_[i].intervals.reserve(max_scopes_);
    slots_[i].refused.resize(passes_.size());
  }
  in_flight_.resize(config.frames_in_flight);
  scope_stack_.reserve(max_scopes_);
  touched_.reserve(passes_.size());
  scratch_.extents.reserve(max_scopes_);
}

void GpuTimer::declare_passes(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    switch (passes_.add(name)) {
      case PassTable::Added::added:
        marks_.emplace_back();
        stats_.emplace_back(alpha_, window_);
        break;
      case PassTable::Added::duplicate:
        diagnostics_.raise(
            Diagnostic::duplicate_name,
            ("The pass name \"" + name + "\" is given twice; both mean the one pass.").c_str());
        break;
      case PassTable::Added::empty:
        diagnostics_.raise(Diagnostic::empty_name, "A pass without a name is ignored.");
        break;
    }
  }
  if (passes_.size() == 0) {
    diagnostics_.raise(Diagnostic::no_passes, "The timer has no passes: it counts frames and times nothing.");
  }
}

// --- Frames
// --------------------------------------------------------------------------------------------------

PassId GpuTimer::pass(std::string_view name) noexcept {
  const PassId found = passes_.find(name);
  if (!found.valid()) {
    diagnostics_.raise(Diagnostic::unknown_pass,
                       "A pass was asked for by a name that was not declared; its scopes measure nothing.");
  }
  return found;
}

GpuTimer::Frame* GpuTimer::take_slot() noexcept {
  for (Frame& frame : slots_) {
    if (frame.use == Frame::Use::free) return &frame;
  }
  return nullptr;
}

void GpuTimer::begin_frame() noexcept {
  if (frame_open_) {
    diagnostics_.raise(Diagnostic::frame_begun_twice,
                       "begin_frame() inside a frame: the open frame is ended first.");
    end_frame();
  }
  const std::int64_t now = cpu_clock_.now();
  const std::uint64_t number = frames_begun_++;
  if (number > 0 && !skip_interval_) {
    const Verdict verdict = now >= last_begin_ns_ ? Verdict::accepted : Verdict::negative;
    interval_.add(static_cast<double>(now - last_begin_ns_), verdict, number - 1);
  }
  skip_interval_ = false;
  last_begin_ns_ = now;
  frame_open_ = true;
  if (!measuring() || passes_.size() == 0) return;

  Frame* frame = take_slot();
  if (frame == nullptr) {
    on_collect();
    if (!measuring()) return;  // the loss was noticed while collecting
    frame = take_slot();
  }
  if (frame != nullptr) {
    frame->number = number;
    frame->cpu_begin_ns = now;
    frame->intervals.clear();
    frame->nested = frame->repeated = false;
    if (on_begin_frame(*frame)) {
      frame->use = Frame::Use::open;
      open_frame_ = frame;
      return;
    }
  }
  if (lost_) return;
  skipping_ = true;
  skip_counted_ = false;
  diagnostics_.raise(Diagnostic::pool_full,
                     "Every frame in flight is still waiting for its results: this frame is not measured.");
}

inline void GpuTimer::close_top(Frame& frame) noexcept {
  const std::uint32_t index = scope_stack_.back();
  scope_stack_.pop_back();
  on_close(frame, index);
}

void GpuTimer::end_frame() noexcept {
  if (!frame_open_) {
    diagnostics_.raise(Diagnostic::end_without_begin, "end_frame() without begin_frame() does nothing.");
    return;
  }
  frame_open_ = false;
  skipping_ = false;
  if (open_frame_ != nullptr) {
    Frame& frame = *open_frame_;
    while (!scope_stack_.empty()) {
      close_top(frame);
      diagnostics_.raise(Diagnostic::scope_left_open,
                         "A scope was still open at end_frame(); it is closed there.");
    }
    open_frame_ = nullptr;
    frame.use = Frame::Use::in_flight;
    in_flight_[in_flight_used_++] = frame.slot;
    if (frame.intervals.empty()) {
      deliver(frame);  // nothing was marked, so nothing is to be read back
    } else if (!on_end_frame(frame) && frame.use == Frame::Use::in_flight) {
      deliver_rejected(frame, Verdict::driver_error);
    }
  }
  poll();
}

void GpuTimer::poll() noexcept {
  if (!measuring()) return;
  if (on_check_lost()) {
    notify_lost();
    return;
  }
  if (in_flight_used_ > 0) on_collect();
  give_up_late();
}

void GpuTimer::give_up_late() noexcept {
  for_each_in_flight([this](Frame& frame) {
    if (frames_begun_ - frame.number <= late_after_) return;
    on_abandon(frame);
    if (frame.use == Frame::Use::in_flight) deliver_rejected(frame, Verdict::late);  // else lost in there
  });
}

void GpuTimer::set_enabled(bool enabled) noexcept {
  if (enabled_ == enabled) return;
  // A frame that is being measured keeps its marks paired: it is finished, not torn.
  if (!enabled && frame_open_) {
    end_frame();
    frame_open_ = true;
  }
  enabled_ = enabled;
  on_since_ = frames_begun_;
}

// --- Scopes
// --------------------------------------------------------------------------------------------------

/// A scope that cannot be measured: says why, counts it where that is due.
void GpuTimer::turn_down(PassId pass) noexcept {
  if (!passes_.contains(pass)) {
    diagnostics_.raise(Diagnostic::unknown_pass,
                       "A scope of a pass that this timer does not have measures nothing.");
  } else if (!frame_open_) {
    diagnostics_.raise(Diagnostic::scope_outside_frame, "A scope outside a frame measures nothing.");
  } else if (skipping_) {
    count_skipped(pass);
  }
}

Scope GpuTimer::scope(PassId pass) noexcept {
  if (open_frame_ == nullptr || pass.index >= marks_.size()) {
    turn_down(pass);
    return {};
  }
  Frame& frame = *open_frame_;
  PassMarks& marks = marks_[pass.index];
  if (marks.marked_in != frame.number) {
    marks.marked_in = frame.number;
    ++marks.in_flight;
  } else {
    frame.repeated = true;
  }
  const auto index = static_cast<std::uint32_t>(frame.intervals.size());
  if (index == max_scopes_) {
    refuse_mark(frame, pass);
    diagnostics_.raise(
        Diagnostic::too_many_scopes,
        "More scopes in a frame than TimerConfig::max_scopes_per_frame; the rest is not measured.");
    return {};
  }
  if (index == 0 || ++scopes_since_clock_ == scopes_per_clock_) {
    scope_clock_ns_ = cpu_clock_.now();
    scopes_since_clock_ = 0;
  }
  Interval& interval = frame.intervals.emplace_back();
  interval.pass = pass;
  if (!scope_stack_.empty()) {
    interval.parent = scope_stack_.back();
    frame.nested = true;
  }
  interval.cpu_begin_ns = scope_clock_ns_;
  if (!on_open(frame, index)) {
    if (open_frame_ == nullptr) return {};  // lost meanwhile, already counted
    frame.intervals.pop_back();
    refuse_mark(frame, pass);
    return {};
  }
  scope_stack_.push_back(index);
  return Scope(this, frame.number, index);
}

void GpuTimer::open(PassId pass) noexcept {
  Scope left_open = scope(pass);
  left_open.timer_ = nullptr;
}

inline bool GpuTimer::is_open(std::uint32_t interval) const noexcept {
  return std::find(scope_stack_.rbegin(), scope_stack_.rend(), interval) != scope_stack_.rend();
}

inline bool GpuTimer::close_down_to(Frame& frame, std::uint32_t interval) noexcept {
  if (!is_open(interval)) return false;
  while (scope_stack_.back() != interval) {
    close_top(frame);
    diagnostics_.raise(Diagnostic::closed_out_of_order,
                       "A scope is closed while one inside it is open; the inner one is closed first.");
    if (open_frame_ == nullptr) return true;
  }
  close_top(frame);
  return true;
}

void GpuTimer::close(PassId pass) noexcept {
  if (!passes_.contains(pass)) {
    diagnostics_.raise(Diagnostic::unknown_pass, "close() of a pass that this timer does not have.");
    return;
  }
  if (open_frame_ == nullptr) {
    if (!frame_open_) {
      diagnostics_.raise(Diagnostic::end_without_begin, "close() outside a frame does nothing.");
    }
    return;
  }
  Frame& frame = *open_frame_;
  for (std::size_t i = scope_stack_.size(); i-- > 0;) {
    if (frame.intervals[scope_stack_[i]].pass == pass) {
      close_down_to(frame, scope_stack_[i]);
      return;
    }
  }
  if (frame.any_refused && frame.refused[pass.index] != 0) return;  // its begin was there, just not measured
  diagnostics_.raise(Diagnostic::end_without_begin, "close() of a pass that is not open does nothing.");
}

void GpuTimer::close_scope(std::uint64_t frame, std::uint32_t interval) noexcept {
  // A scope that outlived its frame was closed, and reported, at end_frame() or at the loss.
  if (open_frame_ == nullptr || open_frame_->number != frame) return;
  if (!scope_stack_.empty() && scope_stack_.back() == interval) {
    scope_stack_.pop_back();
    on_close(*open_frame_, interval);
    return;
  }
  close_down_to(*open_frame_, interval);
}

void GpuTimer::count_skipped(PassId pass) noexcept {
  PassMarks& marks = marks_[pass.index];
  const std::uint64_t number = frames_begun_ - 1;
  if (marks.marked_in == number) return;
  marks.marked_in = number;
  if (!std::exchange(skip_counted_, true)) busy_.reject(Verdict::no_free_slot);
  stats_[pass.index].inclusive.reject(Verdict::no_free_slot);
}

void GpuTimer::refuse_mark(Frame& frame, PassId pass) noexcept {
  frame.refused[pass.index] = 1;
  frame.any_refused = true;
}

bool GpuTimer::resolve_scope(const Scope& scope, std::uint32_t& interval) noexcept {
  if (scope.timer_ == nullptr) return false;
  if (scope.timer_ != this) {
    diagnostics_.raise(Diagnostic::wrong_timer,
                       "A scope of another timer was handed in; nothing is measured.");
    return false;
  }
  if (open_frame_ == nullptr || open_frame_->number != scope.frame_) return false;
  interval = scope.interval_;
  return is_open(interval);
}

// --- Delivery
// ------------------------------------------------------------------------------------------------

void GpuTimer::derive_nested_times(Frame& frame) noexcept {
  for (Interval& interval : frame.intervals) {
    interval.inclusive_ns = interval.exclusive_ns = interval.end_ns - interval.begin_ns;
  }
  if (!frame.nested) return;
  for (const Interval& interval : frame.intervals) {
    if (interval.parent == Interval::no_parent) continue;
    Interval& parent = frame.intervals[interval.parent];
    if (interval.verdict == Verdict::accepted) {
      parent.exclusive_ns -= interval.inclusive_ns;
    } else {
      parent.exclusive_ns = unknown;
    }
  }
  // Children that overlap each other (tilers) can take off more than there is.
  for (Interval& interval : frame.intervals) {
    if (interval.exclusive_ns < 0) interval.exclusive_ns = 0;
  }
}

void GpuTimer::deliver_rejected(Frame& frame, Verdict verdict) noexcept {
  for (Interval& interval : frame.intervals) interval.verdict = verdict;
  deliver(frame);
}

void GpuTimer::deliver(Frame& frame) noexcept {
  take_out(frame);  // first: a callback may say that the context is lost, and this frame counts once
  ++deliveries_;
  const bool plain = !frame.nested && !frame.repeated && !frame.any_refused && std::isnan(frame.busy_ns);
  if (plain && !frame.intervals.empty()) {
    count_plain(frame);
  } else {
    count_frame(frame);
    count_passes(frame);
  }
  if (on_frame_.call != nullptr && !frame.intervals.empty()) {
    FrameSample sample;
    sample.frame = frame.number;
    sample.latency_frames = static_cast<std::uint32_t>(frames_begun_ - 1 - frame.number);
    sample.source = source_;
    sample.cpu_begin_ns = frame.cpu_begin_ns;
    sample.intervals = frame.intervals;
    on_frame_.call(on_frame_.user, sample);
  }
  watch_for_degraded(frame);
  release(frame);
}

inline void GpuTimer::take_out(Frame& frame) noexcept {
  const auto end = in_flight_.begin() + static_cast<std::ptrdiff_t>(in_flight_used_);
  const auto found = std::find(in_flight_.begin(), end, frame.slot);
  if (found != end) {
    std::move(found + 1, end, found);
    --in_flight_used_;
  }
}

void GpuTimer::release(Frame& frame) noexcept {
  if (frame.any_refused) {
    std::fill(frame.refused.begin(), frame.refused.end(), std::uint8_t{0});
    frame.any_refused = false;
  }
  frame.intervals.clear();
  frame.busy_ns = unknown;
  frame.use = Frame::Use::free;
}

void GpuTimer::count_latency(const Frame& frame) noexcept {
  if (frame.number < on_since_) return;
  latency_.add(static_cast<double>(frames_begun_ - 1 - frame.number), Verdict::accepted, frame.number);
}

void GpuTimer::count_frame(Frame& frame) noexcept {
  if (!std::isnan(frame.busy_ns)) {
    busy_.add(frame.busy_ns, Verdict::accepted, frame.number);
    count_latency(frame);
    return;
  }
  // Where a pass is missing the frame's times would be too short.
  Verdict verdict = frame.any_refused ? Verdict::no_free_slot : Verdict::accepted;
  bool any = frame.any_refused;
  for (const Interval& interval : frame.intervals) {
    if (interval.parent != Interval::no_parent) continue;
    any = true;
    if (verdict == Verdict::accepted) verdict = interval.verdict;
  }
  if (!any) return;
  if (verdict != Verdict::accepted) {
    busy_.reject(verdict);
    return;
  }
  count_times(measure_frame(frame.intervals, scratch_), frame);
}

/// The times of a frame all of whose top-level passes are accepted.
void GpuTimer::count_times(const FrameTimes& times, const Frame& frame) noexcept {
  // Durations without a position come from a clock that times one thing at a time: they can't overlap.
  const bool busy_is_sum = std::isnan(times.busy_ns) && source_ == Source::time_elapsed;
  const double busy_ns = busy_is_sum ? times.sum_ns : times.busy_ns;
  if (!std::isnan(busy_ns)) busy_.add(busy_ns, Verdict::accepted, frame.number);
  if (!std::isnan(times.span_ns)) span_.add(times.span_ns, Verdict::accepted, frame.number);
  if (!std::isnan(times.sum_ns)) sum_.add(times.sum_ns, Verdict::accepted, frame.number);
  overlapping_ = times.overlapping;
  if (times.overlapping) ++overlapping_frames_;
  count_latency(frame);
}

/// The pass is part of the frame being delivered.
inline GpuTimer::PassStats& GpuTimer::touch(std::uint32_t pass) noexcept {
  PassStats& stats = stats_[pass];
  if (stats.touched_in == deliveries_) return stats;
  stats.touched_in = deliveries_;
  stats.sum_inclusive = 0;
  stats.sum_exclusive = 0;
  stats.worst = Verdict::accepted;
  touched_.push_back(pass);
  return stats;
}

/// Whether the chain of parents from `pass` upwards leads to `above`. Passes may be nested either way round
/// in different frames; the report's tree must stay one.
bool GpuTimer::is_under(PassId pass, PassId above) const noexcept {
  while (passes_.contains(pass)) {
    if (pass == above) return true;
    pass = stats_[pass.index].parent;
  }
  return false;
}

/// An interval that lies inside another one. Its time is part of that one's already if both are of one pass.
void GpuTimer::add_nested(const Frame& frame, const Interval& interval, PassStats& stats) noexcept {
  bool inside_itself = false;
  for (std::uint32_t p = interval.parent; p != Interval::no_parent; p = frame.intervals[p].parent) {
    inside_itself |= frame.intervals[p].pass == interval.pass;
  }
  if (!inside_itself) stats.sum_inclusive += interval.inclusive_ns;
  const PassId parent = frame.intervals[interval.parent].pass;
  if (!stats.parent_known && !inside_itself && !is_under(parent, interval.pass)) stats.parent = parent;
}

inline void GpuTimer::add_interval(const Frame& frame, const Interval& interval) noexcept {
  PassStats& stats = touch(interval.pass.index);
  if (interval.verdict != Verdict::accepted) {
    if (stats.worst == Verdict::accepted) stats.worst = interval.verdict;
    return;
  }
  if (interval.parent == Interval::no_parent) {
    stats.sum_inclusive += interval.inclusive_ns;
  } else {
    add_nested(frame, interval, stats);
  }
  stats.sum_exclusive += interval.exclusive_ns;
  stats.parent_known = true;
}

/// A pass's time in one frame enters the statistics.
inline void GpuTimer::count_pass(std::uint32_t pass, double inclusive, double exclusive, Verdict worst,
                                 std::uint64_t frame) noexcept {
  --marks_[pass].in_flight;
  PassStats& stats = stats_[pass];
  const Verdict verdict = stats.inclusive.add(inclusive, worst, frame);
  if (verdict != Verdict::accepted || !std::isfinite(exclusive)) return;
  stats.exclusive_ema =
      stats.exclusive_known ? stats.exclusive_ema + alpha_ * (exclusive - stats.exclusive_ema) : exclusive;
  stats.exclusive_known = true;
}

void GpuTimer::count_passes(Frame& frame) noexcept {
  touched_.clear();
  for (const Interval& interval : frame.intervals) add_interval(frame, interval);
  if (frame.any_refused) {
    for (std::uint32_t pass = 0; pass < passes_.size(); ++pass) {
      if (frame.refused[pass] == 0) continue;
      PassStats& stats = touch(pass);
      if (stats.worst == Verdict::accepted) stats.worst = Verdict::no_free_slot;
    }
  }
  for (const std::uint32_t pass : touched_) {
    const PassStats& stats = stats_[pass];
    count_pass(pass, stats.sum_inclusive, stats.sum_exclusive, stats.worst, frame.number);
  }
}

/// count_frame() and count_passes() for the frame that most frames are: one interval a pass, none inside
/// another, in the order of time or without places in time.
void GpuTimer::count_plain(Frame& frame) noexcept {
  FrameTimes times;
  double sum = 0;
  bool all_accepted = true;
  for (const Interval& interval : frame.intervals) {
    count_pass(interval.pass.index, interval.inclusive_ns, interval.exclusive_ns, interval.verdict,
               frame.number);
    sum += interval.inclusive_ns;
    const bool accepted = interval.verdict == Verdict::accepted;
    all_accepted &= accepted;
    if (accepted) stats_[interval.pass.index].parent_known = true;
  }
  times.sum_ns = sum;
  if (all_accepted && !std::isnan(frame.intervals.front().begin_ns)) place_plain(frame, times);
  if (all_accepted && !std::isnan(times.sum_ns)) {
    count_times(times, frame);
  } else {
    count_frame(frame);
  }
}

/// Busy time and span of accepted intervals in the order of time. Out of order: the sum is made unknown.
void GpuTimer::place_plain(const Frame& frame, FrameTimes& times) noexcept {
  const double start = frame.intervals.front().begin_ns;
  double end = start, last_begin = start, busy = 0;
  bool in_order = true;
  for (const Interval& interval : frame.intervals) {
    const double begin = interval.begin_ns;
    in_order &= begin >= last_begin;  // false as well without a place
    times.overlapping |= begin < end && interval.end_ns > last_begin;
    last_begin = begin;
    if (interval.end_ns > end) {
      busy += interval.end_ns - std::max(begin, end);
      end = interval.end_ns;
    }
  }
  if (!in_order) times.sum_ns = unknown;
  times.busy_ns = busy;
  times.span_ns = end - start;
}

void GpuTimer::watch_for_degraded(const Frame& frame) noexcept {
  if (frame.intervals.empty() || source_ == Source::fence) return;  // fences write no stamps to miss
  bool all_unwritten = true;
  bool any_accepted = false;
  for (const Interval& interval : frame.intervals) {
    if (any_accepted) break;  // says all that is to be known
    all_unwritten &= interval.verdict == Verdict::unwritten;
    any_accepted |= interval.verdict == Verdict::accepted;
  }
  if (any_accepted) {
    unwritten_run_ = 0;
    degraded_ = false;
  }
  if (!all_unwritten || degraded_ || ++unwritten_run_ < unwritten_frames_until_degraded) return;
  unwritten_run_ = 0;
  diagnostics_.raise(Diagnostic::degraded,
                     "Every stamp of the last 30 measured frames was unwritten or zero.");
  if (!on_degraded()) degraded_ = true;
}

// --- State
// ---------------------------------------------------------------------------------------------------

void GpuTimer::notify_lost() noexcept {
  if (lost_) return;
  lost_ = true;
  on_lost();
  scope_stack_.clear();
  skipping_ = false;
  if (open_frame_ != nullptr) deliver_rejected(*std::exchange(open_frame_, nullptr), Verdict::lost);
  while (in_flight_used_ > 0) deliver_rejected(slots_[in_flight_[0]], Verdict::lost);
  // Last: whoever is told may restore() at once.
  diagnostics_.raise(Diagnostic::lost, "The context or device was lost; restore() starts again.");
}

bool GpuTimer::restore() noexcept {
  if (!lost_) return source_ != Source::none;
  lost_ = false;
  degraded_ = false;
  unwritten_run_ = 0;
  quantum_.reset();
  // The application may have been called back, and have said that this one is lost as well.
  if (on_restore()) return !lost_ && source_ != Source::none;
  if (source_ != Source::none) lost_ = true;  // no answer from the driver yet: still lost, ask again later
  return false;
}

void GpuTimer::set_source(Source source, std::string reason, std::uint32_t counter_bits) {
  if (source != source_) quantum_.reset();
  source_ = source;
  reason_ = std::move(reason);
  counter_bits_ = counter_bits;
  if (source == Source::none) diagnostics_.raise(Diagnostic::feature_missing, reason_.c_str());
}

Source GpuTimer::source() const noexcept { return lost_ || degraded_ ? Source::none : source_; }

State GpuTimer::state() const noexcept {
  if (lost_) return State::lost;
  if (source_ == Source::none) return State::unavailable;
  if (!enabled_) return State::switched_off;
  return degraded_ ? State::degraded : State::measuring;
}

const char* GpuTimer::reason() const noexcept {
  switch (state()) {
    case State::lost:
      return "The context or device was lost; nothing is measured until restore().";
    case State::switched_off:
      return "Switched off by set_enabled(false).";
    case State::degraded:
      return "The timer exists but its stamps are all zero or unwritten; nothing is measured until they "
             "change.";
    case State::measuring:
    case State::unavailable:
      break;
  }
  return reason_.empty() ? "The backend gave no reason." : reason_.c_str();
}

}  // namespace passmeter
