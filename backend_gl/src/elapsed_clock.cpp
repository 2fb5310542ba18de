#include "elapsed_clock.h"

#include <algorithm>

#include "passmeter/stamps.h"

namespace passmeter::gl {

void ElapsedClock::start(const GlFunctions& functions, std::uint32_t slots, std::uint32_t max_scopes,
                         bool no_wait) {
  functions_ = &functions;
  max_scopes_ = max_scopes;
  // Each scope opened inside another adds two segments: its own and the outer one's next.
  frames_.start(functions, slots, 2 * max_scopes, no_wait);
  owner_.assign(std::size_t{slots} * 2 * max_scopes, 0);
  active_ = moved_ = seen_elsewhere_ = false;
  zero_frames_ = frames_asked_ = turn_ = most_opened_ = 0;
}

void ElapsedClock::forget() noexcept {
  frames_.forget();
  active_ = false;
}

void ElapsedClock::delete_all() noexcept {
  if (functions_ == nullptr) return;
  end_segment();
  frames_.delete_all();
}

bool ElapsedClock::in_use_elsewhere() noexcept {
  GLint current = 0;
  functions_->get_query_iv(value::time_elapsed, value::current_query, &current);
  if (current == 0) return false;
  seen_elsewhere_ = true;
  frames_asked_ = 0;
  return true;
}

bool ElapsedClock::stands_still(bool all_zero) noexcept {
  if (!all_zero) {
    moved_ = true;
    zero_frames_ = 0;
    return false;
  }
  if (zero_frames_ < zero_frames_trusted) ++zero_frames_;
  return !moved_ || zero_frames_ == zero_frames_trusted;
}

Answer ElapsedClock::judge(std::uint32_t slot, std::span<Interval> intervals,
                           std::int64_t cpu_now_ns) noexcept {
  const Answer answer = frames_.read(slot, times_);
  if (answer != Answer::yes) return answer;
  // As many segments as passes: none was split, so the n-th segment is the n-th pass.
  if (times_.size() == intervals.size()) {
    judge_flat(intervals, cpu_now_ns);
  } else {
    judge_segments(slot, intervals, cpu_now_ns);
    add_children(intervals, cpu_now_ns);
  }
  const bool all_zero =
      std::all_of(times_.begin(), times_.end(), [](std::uint64_t time) { return time == 0; });
  if (stands_still(all_zero)) {
    for (Interval& interval : intervals) interval.verdict = Verdict::unwritten;
  }
  return Answer::yes;
}

void ElapsedClock::judge_flat(std::span<Interval> intervals, std::int64_t cpu_now_ns) noexcept {
  const std::uint64_t* time = times_.data();
  for (Interval& interval : intervals) {
    const auto ns = static_cast<std::int64_t>(*time);
    const std::int64_t cpu_elapsed_ns = cpu_now_ns - interval.cpu_begin_ns;
    // The plain case without a call; it is within what judge_duration() accepts.
    const bool plain = ns >= 0 && ns <= cpu_elapsed_ns;
    interval.verdict = plain ? Verdict::accepted : judge_duration(*time, cpu_elapsed_ns);
    interval.inclusive_ns = interval.exclusive_ns = static_cast<double>(*time);
    ++time;
  }
}

void ElapsedClock::judge_segments(std::uint32_t slot, std::span<Interval> intervals,
                                  std::int64_t cpu_now_ns) noexcept {
  for (Interval& interval : intervals) {
    interval.exclusive_ns = 0;
    interval.verdict = Verdict::accepted;
  }
  const std::uint32_t* const owner = owner_.data() + std::size_t{slot} * 2 * max_scopes_;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    Interval& interval = intervals[owner[i]];
    const Verdict verdict = judge_duration(times_[i], cpu_now_ns - interval.cpu_begin_ns);
    if (interval.verdict == Verdict::accepted) interval.verdict = verdict;
    if (verdict == Verdict::accepted) interval.exclusive_ns += static_cast<double>(times_[i]);
  }
}

/// Children come after their parents, so one walk from the end sums whole subtrees. An outer pass is its
/// segments and its children: where one of these is missing its time is unknown.
void ElapsedClock::add_children(std::span<Interval> intervals, std::int64_t cpu_now_ns) noexcept {
  for (Interval& interval : intervals) interval.inclusive_ns = interval.exclusive_ns;
  for (std::size_t i = intervals.size(); i-- > 0;) {
    Interval& interval = intervals[i];
    if (interval.verdict == Verdict::accepted) {
      // Each segment was plausible; their sum must be, too.
      interval.verdict = judge_duration(static_cast<std::uint64_t>(interval.inclusive_ns),
                                        cpu_now_ns - interval.cpu_begin_ns);
    }
    if (interval.parent == Interval::no_parent) continue;
    Interval& parent = intervals[interval.parent];
    parent.inclusive_ns += interval.inclusive_ns;
    if (parent.verdict == Verdict::accepted) parent.verdict = interval.verdict;
  }
}

}  // namespace passmeter::gl
