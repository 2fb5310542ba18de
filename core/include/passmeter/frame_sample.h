#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "passmeter/pass.h"
#include "passmeter/source.h"
#include "passmeter/verdict.h"

namespace passmeter {

/// One scope of one frame, measured. A pass opened three times in a frame has three intervals.
struct Interval {
  static constexpr std::uint32_t no_parent = 0xFFFFFFFFu;

  PassId pass;
  std::uint32_t parent = no_parent;  ///< Index of the enclosing interval in the frame.
  Verdict verdict = Verdict::unwritten;
  /// Nanoseconds since the first stamp of the frame; NaN where the clock gives durations only.
  double begin_ns = std::numeric_limits<double>::quiet_NaN();
  double end_ns = std::numeric_limits<double>::quiet_NaN();
  /// Whole time of the scope, children included. Meaningful when accepted.
  double inclusive_ns = 0;
  /// Inclusive time less the children's. NaN if a child was rejected.
  double exclusive_ns = 0;
  /// CPU time when the scope was opened, in nanoseconds of the timer's CpuClock. With the steady clock, which
  /// costs as much as a mark to read, it is read for every 16th scope of a frame, from the first on, and the
  /// scopes between have the time of that one; a clock of the user's is read for each.
  std::int64_t cpu_begin_ns = 0;
};

/// One frame's measurements, delivered some frames after it was drawn.
struct FrameSample {
  std::uint64_t frame = 0;           ///< Number given by begin_frame(), from 0.
  std::uint32_t latency_frames = 0;  ///< Frames between the frame and its delivery.
  Source source = Source::none;
  std::int64_t cpu_begin_ns = 0;
  std::span<const Interval> intervals;  ///< In the order the scopes were opened.
};

/// Called once for each frame whose results have arrived, on the thread of the call that collected them
/// (begin_frame, end_frame or poll). The sample lives only for the duration of the
/// call, which must not call the timer.
struct FrameCallback {
  void (*call)(void* user, const FrameSample& sample) = nullptr;
  void* user = nullptr;
};

/// What a frame's intervals add up to, all in nanoseconds; NaN where the clock can't tell.
struct FrameTimes {
  double busy_ns = std::numeric_limits<double>::quiet_NaN();  ///< Union of the intervals.
  double span_ns = std::numeric_limits<double>::quiet_NaN();  ///< First begin to last end.
  double sum_ns = std::numeric_limits<double>::quiet_NaN();   ///< Sum of the top-level intervals.
  bool overlapping = false;  ///< Two intervals, neither inside the other's scope, overlap in time.
};

/// Room for measure_frame() to sort in; keep one and hand it in again.
struct IntervalScratch {
  struct Extent {
    double begin, end;
    std::uint32_t parent;
  };
  std::vector<Extent> extents;
};

/// Adds up a frame's top-level intervals; every one of them must be accepted, else all is unknown (NaN), as
/// it is without any. Intervals that only touch do not overlap. Allocates only when `scratch` has never held
/// that many intervals. O(n) when they are in time order and do not nest, else O(n log n).
FrameTimes measure_frame(std::span<const Interval> intervals, IntervalScratch& scratch);

}  // namespace passmeter
