#include "scope_times.h"

#include <algorithm>
#include <limits>

namespace passmeter::webgpu {
namespace {

void finish(Interval& interval, Verdict verdict, double begin_ns, double end_ns, double own_ns,
            double children_ns, bool own) noexcept {
  interval.verdict = verdict;
  if (verdict != Verdict::accepted) return;
  interval.begin_ns = begin_ns;
  interval.end_ns = end_ns;
  interval.inclusive_ns = own ? own_ns + children_ns : end_ns - begin_ns;
  // Children that overlap each other (tilers) can take off more than there is.
  interval.exclusive_ns = own ? own_ns : std::max(0.0, interval.inclusive_ns - children_ns);
}

// Moves the frame's accepted intervals so that the earliest begins at 0.
void start_at_zero(std::span<Interval> intervals) noexcept {
  double first = std::numeric_limits<double>::infinity();
  for (const Interval& interval : intervals) {
    if (interval.verdict == Verdict::accepted) first = std::min(first, interval.begin_ns);
  }
  for (Interval& interval : intervals) {
    if (interval.verdict != Verdict::accepted) continue;
    interval.begin_ns -= first;
    interval.end_ns -= first;
  }
}

}  // namespace

void ScopeTimes::Sum::reject(Verdict why) noexcept {
  marked = true;
  if (verdict == Verdict::accepted) verdict = why;
}

void ScopeTimes::Sum::widen(std::int64_t from, std::int64_t to) noexcept {
  begin = placed ? std::min(begin, from) : from;
  end = placed ? std::max(end, to) : to;
  marked = placed = true;
}

ScopeTimes::ScopeTimes(std::uint32_t max_intervals, std::uint32_t max_pairs)
    : sums_(max_intervals), last_(std::size_t{max_pairs} * 2, 0) {}

void ScopeTimes::forget_history() noexcept {
  std::fill(last_.begin(), last_.end(), 0);
  last_frame_ = 0;
}

void ScopeTimes::fill(std::span<Interval> intervals, std::span<const std::uint32_t> pair_interval,
                      std::span<const std::uint64_t> stamps, const QueryHistory& history,
                      const StampRule& rule, std::int64_t now_ns) noexcept {
  std::fill_n(sums_.begin(), intervals.size(), Sum{});
  judge_pairs(intervals, pair_interval, stamps, history, rule, now_ns);
  remember(stamps, history);
  sum_up(intervals, rule.ns_per_tick);
  start_at_zero(intervals);
}

void ScopeTimes::judge_pairs(std::span<const Interval> intervals,
                             std::span<const std::uint32_t> pair_interval,
                             std::span<const std::uint64_t> stamps, const QueryHistory& history,
                             const StampRule& rule, std::int64_t now_ns) noexcept {
  std::uint64_t origin = 0;  // positions count from one of the stamps, so that they stay small integers
  for (std::size_t pair = 0; pair < pair_interval.size(); ++pair) {
    const std::uint64_t begin = stamps[pair * 2];
    const std::uint64_t end = stamps[pair * 2 + 1];
    Sum& sum = sums_[pair_interval[pair]];
    sum.own = true;
    if (stale(pair, begin, end, history)) {
      sum.reject(Verdict::unwritten);
      continue;
    }
    const StampResult result =
        judge_stamps(begin, end, rule, now_ns - intervals[pair_interval[pair]].cpu_begin_ns);
    if (result.verdict != Verdict::accepted) {
      sum.reject(result.verdict);
      continue;
    }
    if (origin == 0) origin = begin;
    const std::int64_t from = ticks_between(origin, begin, rule.counter_bits);
    sum.widen(from, from + result.ticks);
    sum.own_ns += result.ns;
  }
}

// A pair that was handed out but never written keeps its old stamps in some implementations.
bool ScopeTimes::stale(std::size_t pair, std::uint64_t begin, std::uint64_t end,
                       const QueryHistory& history) const noexcept {
  const std::size_t place = (pair + (pair >= history.moved_from ? history.moved_by : 0)) * 2;
  bool same =
      place + 1 < history.before.size() && begin == history.before[place] && end == history.before[place + 1];
  // What was read of an earlier frame says the same, also where that frame's successor was never resolved.
  const bool later = history.frame > last_frame_ && history.moved_by == 0;
  same |= later && begin == last_[pair * 2] && end == last_[pair * 2 + 1];
  if (!same || begin != end) return same;
  // A pass shorter than the clock's quantum can repeat its stamps as long as that quantum lasts: until
  // another pass was seen to begin later.
  for (std::size_t i = 0; i < history.before.size(); i += 2) {
    if (history.before[i] > begin) return true;
  }
  return false;
}

void ScopeTimes::remember(std::span<const std::uint64_t> stamps, const QueryHistory& history) noexcept {
  if (history.moved_by != 0) std::fill(last_.begin(), last_.end(), 0);
  if (history.frame < last_frame_) return;  // answered after a later one
  std::copy(stamps.begin(), stamps.end(), last_.begin());
  last_frame_ = history.frame;
}

void ScopeTimes::sum_up(std::span<Interval> intervals, double ns_per_tick) noexcept {
  // Children come after their parents, so going backwards every interval is complete when it is reached.
  for (std::size_t i = intervals.size(); i-- > 0;) {
    Interval& interval = intervals[i];
    Sum& sum = sums_[i];
    if (interval.verdict == Verdict::no_free_slot) sum.reject(Verdict::no_free_slot);
    if (!sum.marked) {
      interval.verdict =
          Verdict::unwritten;  // nothing was recorded here, so nothing is missing around it either
      continue;
    }
    finish(interval, sum.verdict, static_cast<double>(sum.begin) * ns_per_tick,
           static_cast<double>(sum.end) * ns_per_tick, sum.own_ns, sum.children_ns, sum.own);
    if (interval.parent == Interval::no_parent) continue;
    Sum& parent = sums_[interval.parent];
    if (interval.verdict != Verdict::accepted) {
      parent.reject(interval.verdict);
    } else {
      parent.widen(sum.begin, sum.end);
      parent.children_ns += interval.inclusive_ns;
    }
  }
}

}  // namespace passmeter::webgpu
