#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "passmeter/diagnostic.h"
#include "passmeter/series.h"
#include "passmeter/source.h"
#include "passmeter/verdict.h"

namespace passmeter {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// One row of a report. Values are in `unit` (times in nanoseconds); NaN means unknown.
struct SeriesReport {
  std::string name;
  std::string parent;  ///< Enclosing pass, "" at the top level.
  std::uint32_t depth = 0;
  Unit unit = Unit::nanoseconds;
  double ema = unknown;            ///< Inclusive: children's time counted.
  double exclusive_ema = unknown;  ///< Without the children.
  double mean = unknown;           ///< Of every accepted value; right also below the resolution.
  double share = unknown;          ///< Exclusive EMA over the sum of all of them, 0 to 1. Times only.
  double last = unknown;
  double min = unknown;
  double max = unknown;
  double p50 = unknown;  ///< Exact over the last `window` accepted values.
  double p95 = unknown;
  double p99 = unknown;
  double p50_low = unknown;  ///< 95 % confidence interval of the median.
  double p50_high = unknown;
  std::uint32_t window = 0;  ///< Values the percentiles were taken over.
  /// The mean is under the clock's resolution: single values say little, only the mean does; with source
  /// fence not even that.
  bool below_resolution = false;
  VerdictCounts verdicts;       ///< One verdict for each frame in which the pass was marked.
  std::uint64_t in_flight = 0;  ///< Marked, not yet read back. marks = accepted + rejected + in_flight.
  std::array<Spike, Series::spike_count> spikes{};
  std::uint32_t spikes_used = 0;

  std::uint64_t marks() const noexcept { return verdicts.accepted() + verdicts.rejected() + in_flight; }
};

/// The frame as a whole. EMAs in nanoseconds; NaN means unknown.
struct FrameReport {
  double busy = unknown;          ///< Union of the pass intervals.
  double span = unknown;          ///< First begin to last end; needs timestamps.
  double sum = unknown;           ///< Sum of the top-level passes; more than busy when they overlap.
  double cpu_interval = unknown;  ///< begin_frame() to begin_frame(), CPU clock.
  double unexplained = unknown;   ///< cpu_interval - busy, not under 0: time no pass accounts for.
  bool overlapping = false;       ///< In the last measured frame.
  std::uint64_t overlapping_frames = 0;
  double busy_p50 = unknown, busy_p95 = unknown, busy_p99 = unknown;
  double interval_p50 = unknown, interval_p95 = unknown, interval_p99 = unknown;
  /// Of the frames in which a pass was marked. Accepted: each of its top-level passes is, and
  /// no pass was refused a query.
  VerdictCounts verdicts;
  std::array<Spike, Series::spike_count> slowest{};  ///< By busy time.
  std::uint32_t slowest_used = 0;
};

/// Everything a timer knows, copied out: safe to keep, to hand to another thread, to compare.
struct Report {
  std::string backend;  ///< "gl", "webgpu", "scripted", ...
  std::string adapter;  ///< Renderer or adapter name as the driver gives it; "" if unknown.
  std::string driver;   ///< Version string as the driver gives it; "" if unknown.
  Source source = Source::none;
  State state = State::unavailable;
  std::string reason;               ///< Why this source and state, one sentence. Never empty.
  std::string hint;                 ///< What a reader may be missing (waiting for vsync, overlap), or "".
  double resolution_ns = unknown;   ///< The clock's quantum, measured; for fences the polling interval.
  std::uint32_t counter_bits = 0;   ///< 0: unknown.
  double latency_frames = unknown;  ///< Mean frames between a frame and its result.
  std::uint64_t frames = 0;         ///< begin_frame() calls.
  std::uint64_t frames_in_flight = 0;
  double alpha = 0;
  FrameReport frame;
  /// Depth first: siblings by time, longest first; a pass never measured comes last, in declaration order.
  std::vector<SeriesReport> series;
  std::array<std::uint64_t, diagnostic_count> diagnostics{};

  /// Row of that name, or nullptr.
  const SeriesReport* find(std::string_view name) const noexcept;
};

/// Orders `report.series` (see there) and computes depth and share. For those who build reports themselves.
void arrange(Report& report);

}  // namespace passmeter
