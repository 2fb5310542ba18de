#include "passmeter/scripted_timer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace passmeter {
namespace {

constexpr std::uint32_t default_frames_in_flight = 4;

std::uint64_t counter_mask(unsigned bits) noexcept {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

}  // namespace

TimerConfig ScriptedTimer::with_clock(TimerConfig config, ScriptedTimer* timer) noexcept {
  // Only the address is taken: nothing asks for the time before the timer is complete.
  if (config.cpu_clock.now_ns == nullptr) {
    config.cpu_clock = {[](void* user) { return static_cast<ScriptedTimer*>(user)->now_ns_; }, timer};
  }
  return config;
}

ScriptedGpu ScriptedTimer::checked(ScriptedGpu gpu) noexcept {
  gpu.counter_bits = std::clamp(gpu.counter_bits, 1u, 64u);
  gpu.quantum_ticks = std::max<std::uint64_t>(gpu.quantum_ticks, 1);
  if (!(gpu.ns_per_tick > 0)) gpu.ns_per_tick = 1;
  if (gpu.clock == Source::cpu) gpu.clock = Source::none;
  return gpu;
}

ScriptedTimer::ScriptedTimer(TimerConfig config, ScriptedGpu gpu)
    : GpuTimer(with_clock(std::move(config), this), default_frames_in_flight),
      gpu_(checked(gpu)),
      now_ns_(gpu.start_ns),
      slots_(frame_slots()),
      each_takes_ns_(pass_count()),
      latency_frames_(gpu.latency_frames) {
  for (Slot& slot : slots_) slot.marks.reserve(max_scopes_per_frame());
  set_identity({"scripted", "scripted GPU", ""});
  announce_clock();
}

void ScriptedTimer::announce_clock() {
  set_ns_per_tick(gpu_.ns_per_tick);
  switch (gpu_.clock) {
    case Source::timestamp:
      set_source(gpu_.clock, "The script has a timestamp at each end of a pass.", gpu_.counter_bits);
      break;
    case Source::time_elapsed:
      set_source(gpu_.clock, "The script has durations only, one at a time.", gpu_.counter_bits);
      break;
    case Source::fence:
      set_source(gpu_.clock, "The script has fences only.", 0);
      set_resolution_ns(static_cast<double>(gpu_.quantum_ticks) * gpu_.ns_per_tick);
      break;
    case Source::none:
    case Source::cpu:
      set_source(Source::none, "The script has no clock.", 0);
      break;
  }
}

void ScriptedTimer::work_ns(std::int64_t ns) noexcept { now_ns_ += std::max<std::int64_t>(ns, 0); }

void ScriptedTimer::each_takes_ns(PassId pass, std::int64_t ns) noexcept {
  if (pass.index < each_takes_ns_.size()) each_takes_ns_[pass.index] = ns;
}

CpuClock ScriptedTimer::scripted_clock() noexcept {
  return {[](void* user) { return static_cast<ScriptedTimer*>(user)->now_ns_; }, this};
}

std::uint64_t ScriptedTimer::stamp() const noexcept {
  if (zero_stamps_) return 0;
  const auto ticks = static_cast<std::uint64_t>(std::floor(static_cast<double>(now_ns_) / gpu_.ns_per_tick));
  return ticks - ticks % gpu_.quantum_ticks;
}

void ScriptedTimer::start_segment(Mark& mark) noexcept {
  if (!mark.given) mark.begin = stamp();
}

void ScriptedTimer::stop_segment(Mark& mark) noexcept {
  if (!mark.given) mark.elapsed += stamp() - mark.begin;
}

bool ScriptedTimer::on_begin_frame(Frame& frame) noexcept {
  slots_[frame.slot].marks.clear();
  return !refuse_frames_;
}

bool ScriptedTimer::on_open(Frame& frame, std::uint32_t interval) noexcept {
  if (refuse_scopes_ > 0) {
    --refuse_scopes_;
    return false;
  }
  std::vector<Mark>& marks = slots_[frame.slot].marks;
  const std::uint32_t parent = frame.intervals[interval].parent;
  if (segments() && parent != Interval::no_parent) stop_segment(marks[parent]);
  start_segment(marks.emplace_back(std::exchange(next_, {})));
  return true;
}

void ScriptedTimer::on_close(Frame& frame, std::uint32_t interval) noexcept {
  std::vector<Mark>& marks = slots_[frame.slot].marks;
  work_ns(each_takes_ns_[frame.intervals[interval].pass.index]);
  if (!segments()) {
    if (!marks[interval].given) marks[interval].end = stamp();
    return;
  }
  stop_segment(marks[interval]);
  const std::uint32_t parent = frame.intervals[interval].parent;
  if (parent != Interval::no_parent) start_segment(marks[parent]);
}

bool ScriptedTimer::on_end_frame(Frame& frame) noexcept {
  Slot& slot = slots_[frame.slot];
  slot.latency = latency_frames_;
  slot.dropped = std::exchange(drop_next_, false);
  return !std::exchange(fail_next_, false);
}

bool ScriptedTimer::ready(const Frame& frame) const noexcept {
  const Slot& slot = slots_[frame.slot];
  return !held_ && !slot.dropped && frames() - 1 - frame.number >= slot.latency;
}

void ScriptedTimer::on_collect() noexcept {
  if (std::exchange(disjoint_, false)) {
    diagnostics().raise(Diagnostic::disjoint,
                        "The GPU's clock was interrupted; all measurements in flight are void.");
    for_each_in_flight([this](Frame& frame) { deliver_rejected(frame, Verdict::disjoint); });
    return;
  }
  for_each_in_flight([this](Frame& frame) {
    if (!ready(frame)) return;
    if (segments()) {
      read_segments(frame);
    } else {
      read_stamps(frame);
    }
    deliver(frame);
  });
}

std::int64_t ScriptedTimer::latest_possible_end() const noexcept {
  // Stamps rounded to the quantum may lie further apart than their moments did.
  return cpu_clock().now() +
         static_cast<std::int64_t>(static_cast<double>(gpu_.quantum_ticks) * gpu_.ns_per_tick);
}

void ScriptedTimer::read_stamps(Frame& frame) noexcept {
  const std::vector<Mark>& marks = slots_[frame.slot].marks;
  const std::uint64_t mask = counter_mask(gpu_.counter_bits);
  const StampRule rule{gpu_.counter_bits, gpu_.ns_per_tick, gpu_.one_zero_is_unwritten};
  const std::int64_t now = latest_possible_end();
  const Mark* first = nullptr;
  for (std::uint32_t i = 0; i < frame.intervals.size(); ++i) {
    const Mark& mark = marks[i];
    Interval& interval = frame.intervals[i];
    const StampResult result =
        judge_stamps(mark.begin & mask, mark.end & mask, rule, now - interval.cpu_begin_ns);
    interval.verdict = result.verdict;
    if (result.verdict != Verdict::accepted) continue;
    if (first == nullptr) first = &mark;
    const std::int64_t since_first = ticks_between(first->begin & mask, mark.begin & mask, gpu_.counter_bits);
    interval.begin_ns = static_cast<double>(since_first) * gpu_.ns_per_tick;
    interval.end_ns = interval.begin_ns + result.ns;
    note_quantum(mark.begin);
    note_quantum(mark.end);
  }
  derive_nested_times(frame);
}

void ScriptedTimer::read_own_segments(const Mark& mark, Interval& interval) noexcept {
  const double ns = static_cast<double>(mark.elapsed) * (mark.given ? 1 : gpu_.ns_per_tick);
  interval.inclusive_ns = interval.exclusive_ns = ns;
  interval.verdict = judge_duration(mark.given ? mark.elapsed : static_cast<std::uint64_t>(ns));
}

void ScriptedTimer::read_segments(Frame& frame) noexcept {
  const std::vector<Mark>& marks = slots_[frame.slot].marks;
  const std::int64_t now = latest_possible_end();
  for (std::uint32_t i = 0; i < frame.intervals.size(); ++i) {
    read_own_segments(marks[i], frame.intervals[i]);
    if (!marks[i].given) note_quantum(marks[i].elapsed);
  }
  // Children come after their parents: from the last to the first, each is complete before its parent is.
  for (std::uint32_t i = static_cast<std::uint32_t>(frame.intervals.size()); i-- > 0;) {
    Interval& interval = frame.intervals[i];
    if (interval.verdict == Verdict::accepted) {
      interval.verdict =
          judge_duration(static_cast<std::uint64_t>(interval.inclusive_ns), now - interval.cpu_begin_ns);
    }
    if (interval.parent == Interval::no_parent) continue;
    Interval& parent = frame.intervals[interval.parent];
    parent.inclusive_ns += interval.inclusive_ns;
    // Its time is part of the parent's, so a parent can't be better than its children.
    if (parent.verdict == Verdict::accepted) parent.verdict = interval.verdict;
  }
}

void ScriptedTimer::on_abandon(Frame& frame) noexcept { slots_[frame.slot].marks.clear(); }

void ScriptedTimer::on_lost() noexcept {
  for (Slot& slot : slots_) slot.marks.clear();
}

bool ScriptedTimer::on_restore() noexcept {
  if (!restorable_) return false;
  gone_ = false;
  disjoint_ = false;
  announce_clock();
  return gpu_.clock != Source::none;
}

}  // namespace passmeter
