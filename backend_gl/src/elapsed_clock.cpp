#include "elapsed_clock.h"

#include <algorithm>

#include "passmeter/stamps.h"

namespace passmeter::gl {

void ElapsedClock::start(const GlFunctions& functions, std::uint32_t slots, std::uint32_t max_scopes) {
  functions_ = &functions;
  max_scopes_ = max_scopes;
  // Each scope opened inside another adds two segments: its own and the outer one's next.
  frames_.start(functions, slots, 2 * max_scopes);
  owner_.assign(std::size_t{slots} * 2 * max_scopes, 0);
  cut_short_.assign(std::size_t{slots} * max_scopes, 0);
  active_ = moved_ = false;
  zero_frames_ = 0;
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

bool ElapsedClock::in_use_elsewhere() const noexcept {
  GLint current = 0;
  functions_->get_query_iv(value::time_elapsed, value::current_query, &current);
  return current != 0;
}

bool ElapsedClock::begin(std::uint32_t slot) noexcept { return frames_.begin(slot); }

bool ElapsedClock::open(std::uint32_t slot, std::uint32_t interval) noexcept {
  // Two, so that the outer pass can go on after this one.
  if (!frames_.pool().has(2)) return false;
  cut_short_[std::size_t{slot} * max_scopes_ + interval] = 0;
  return begin_segment(slot, interval);
}

void ElapsedClock::close(std::uint32_t slot, std::uint32_t parent) noexcept {
  end_segment();
  if (parent == Interval::no_parent) return;
  if (!begin_segment(slot, parent)) cut_short_[std::size_t{slot} * max_scopes_ + parent] = 1;
}

bool ElapsedClock::begin_segment(std::uint32_t slot, std::uint32_t interval) noexcept {
  std::uint32_t place = 0;
  const GLuint id = frames_.add(slot, place);
  if (id == 0) return false;
  end_segment();
  owner_[std::size_t{slot} * 2 * max_scopes_ + place] = interval;
  functions_->begin_query(value::time_elapsed, id);
  active_ = true;
  return true;
}

void ElapsedClock::end_segment() noexcept {
  if (!active_) return;
  active_ = false;
  functions_->end_query(value::time_elapsed);
}

bool ElapsedClock::stands_still(std::span<const std::uint64_t> times) noexcept {
  const bool all_zero = std::all_of(times.begin(), times.end(), [](std::uint64_t time) { return time == 0; });
  if (!all_zero) {
    moved_ = true;
    zero_frames_ = 0;
    return false;
  }
  if (zero_frames_ < zero_frames_trusted) ++zero_frames_;
  return !moved_ || zero_frames_ == zero_frames_trusted;
}

bool ElapsedClock::judge_segments(std::uint32_t slot, std::span<Interval> intervals,
                                  std::int64_t cpu_now_ns) noexcept {
  times_ = frames_.read(slot);
  if (times_.empty()) return false;
  const bool still = stands_still(times_);
  const std::uint8_t* const cut_short = cut_short_.data() + std::size_t{slot} * max_scopes_;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    Interval& interval = intervals[i];
    interval.exclusive_ns = 0;
    interval.verdict = still               ? Verdict::unwritten
                       : cut_short[i] != 0 ? Verdict::no_free_slot
                                           : Verdict::accepted;
  }
  const std::uint32_t* const owner = owner_.data() + std::size_t{slot} * 2 * max_scopes_;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    Interval& interval = intervals[owner[i]];
    const Verdict verdict = judge_duration(times_[i], cpu_now_ns - interval.cpu_begin_ns);
    if (interval.verdict == Verdict::accepted) interval.verdict = verdict;
    if (verdict == Verdict::accepted) {
      interval.exclusive_ns += static_cast<double>(times_[i]);
    } else {
      times_[i] = 0;
    }
  }
  return true;
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
