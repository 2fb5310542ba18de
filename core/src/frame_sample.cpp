#include "passmeter/frame_sample.h"

#include <algorithm>
#include <cmath>

#include "small_sort.h"

namespace passmeter {
namespace {

using Extent = IntervalScratch::Extent;

bool top_level(const Interval& interval) noexcept { return interval.parent == Interval::no_parent; }

bool placed_in_time(const Interval& interval) noexcept {
  return std::isfinite(interval.begin_ns) && std::isfinite(interval.end_ns);
}

bool earlier(const Extent& a, const Extent& b) noexcept {
  if (a.parent != b.parent) return a.parent < b.parent;
  // One of no length before one that begins where it lies: they only touch.
  return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
}

void sort_by_time(std::vector<Extent>& extents) noexcept {
  if (!std::is_sorted(extents.begin(), extents.end(), earlier)) {
    small_sort(extents.begin(), extents.end(), earlier);
  }
}

// Union and span of extents that are sorted and not empty.
void sweep(const std::vector<Extent>& extents, FrameTimes& times) noexcept {
  double busy = 0;
  double end = extents.front().begin;
  for (const Extent& extent : extents) {
    if (extent.begin < end) times.overlapping = true;
    if (extent.end > end) {
      busy += extent.end - std::max(extent.begin, end);
      end = extent.end;
    }
  }
  times.busy_ns = busy;
  times.span_ns = end - extents.front().begin;
}

void collect_children(std::span<const Interval> intervals, std::vector<Extent>& out) {
  out.clear();
  for (const Interval& interval : intervals) {
    if (top_level(interval) || interval.verdict != Verdict::accepted || !placed_in_time(interval)) continue;
    out.push_back({interval.begin_ns, interval.end_ns, interval.parent});
  }
}

// Whether two children of one parent overlap.
bool siblings_overlap(std::span<const Interval> intervals, std::vector<Extent>& extents) {
  collect_children(intervals, extents);
  sort_by_time(extents);
  double end = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const bool first = i == 0 || extents[i].parent != extents[i - 1].parent;
    if (!first && extents[i].begin < end) return true;
    end = first ? extents[i].end : std::max(end, extents[i].end);
  }
  return false;
}

}  // namespace

FrameTimes measure_frame(std::span<const Interval> intervals, IntervalScratch& scratch) {
  FrameTimes times;
  scratch.extents.clear();
  double sum = 0;
  bool all_placed = true;
  bool nested = false;
  for (const Interval& interval : intervals) {
    if (!top_level(interval)) {
      nested = true;
      continue;
    }
    if (interval.verdict != Verdict::accepted) return times;
    sum += interval.inclusive_ns;
    all_placed = all_placed && placed_in_time(interval);
    scratch.extents.push_back({interval.begin_ns, interval.end_ns, interval.parent});
  }
  if (scratch.extents.empty()) return times;

  times.sum_ns = sum;
  if (!all_placed) return times;  // durations only: where in time they lie is not known
  sort_by_time(scratch.extents);
  sweep(scratch.extents, times);
  if (nested && !times.overlapping) times.overlapping = siblings_overlap(intervals, scratch.extents);
  return times;
}

}  // namespace passmeter
