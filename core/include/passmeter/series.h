#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "passmeter/verdict.h"

namespace passmeter {

/// What a series counts. Times are nanoseconds in the API and milliseconds in text, CSV and JSON.
enum class Unit : std::uint8_t { nanoseconds, count, bytes };

/// The word used in text and JSON: "ms" for times (writers convert), "count", "bytes". Never null.
const char* to_string(Unit unit) noexcept;

/// One of the largest values of a series and the frame it belongs to.
struct Spike {
  double value = 0;
  std::uint64_t frame = 0;
};

/// Exact percentiles of the last `samples` accepted values, by nearest rank. NaN while there are none.
struct Percentiles {
  double p50, p95, p99;
  /// 95 % confidence interval of the median, from order statistics (no assumption on the distribution
  /// except that samples are independent; neighbouring frames are not quite). NaN under 6 samples: not even
  /// their whole range covers 95 % then.
  double p50_low, p50_high;
  std::uint32_t samples = 0;
};

/// The one place where numbers enter the statistics. Bounded memory, no allocation after construction.
///
/// Percentiles are exact over a sliding window of the last `window` accepted values; their only error is the
/// rounding of stored values to float (relative 6e-8). All else covers every value since the last reset.
/// Not thread-safe. Never blocks.
class Series {
 public:
  static constexpr std::uint32_t spike_count = 8;

  /// `alpha` in (0, 1]: weight of a new value in the EMA; the first value seeds it. `window` in values, >= 1.
  /// Above 1 alpha is 1, not above 0 it is 0.1; a window of 0 is 1.
  explicit Series(double alpha = 0.1, std::uint32_t window = 1024);

  /// Counts the verdict; takes `value` into the statistics only if accepted and finite. A nonfinite value
  /// that comes as accepted is counted as nonfinite; the value of a rejected one does not matter. Returns the
  /// verdict counted. O(1).
  Verdict add(double value, Verdict verdict, std::uint64_t frame) noexcept;
  /// Counts one rejected measurement.
  void reject(Verdict verdict) noexcept { ++verdicts_[verdict]; }

  /// All of these are NaN while nothing was accepted: unknown is never 0.
  double ema() const noexcept;
  double mean() const noexcept;
  double last() const noexcept;
  double min() const noexcept;
  double max() const noexcept;

  const VerdictCounts& verdicts() const noexcept { return verdicts_; }
  std::uint64_t accepted() const noexcept { return verdicts_.accepted(); }
  double alpha() const noexcept { return alpha_; }
  std::uint32_t window() const noexcept { return static_cast<std::uint32_t>(ring_.size()); }

  /// Largest values since the last reset, largest first; equal values keep the earlier frame.
  std::span<const Spike> spikes() const noexcept { return {spikes_.data(), spikes_used_}; }
  /// Sorts a copy of the window held in `scratch` (grows to the window once, then reused).
  Percentiles percentiles(std::vector<float>& scratch) const;

  /// Forgets everything, counts included.
  void reset() noexcept;

 private:
  static constexpr double no_floor = -std::numeric_limits<double>::infinity();

  void note_spike(double value, std::uint64_t frame) noexcept;

  // What a new value touches comes first and lies together.
  double alpha_;
  double ema_ = 0;
  double mean_ = 0;
  double last_ = 0;
  double min_ = 0;
  double max_ = 0;
  /// A value below is no spike: the least of them once there are enough, else below everything.
  double spike_floor_ = no_floor;
  std::vector<float> ring_;
  std::uint32_t ring_next_ = 0;
  std::uint32_t ring_used_ = 0;
  VerdictCounts verdicts_;
  std::array<Spike, spike_count> spikes_{};
  std::uint32_t spikes_used_ = 0;
};

// Here, because it is called for each pass of each frame: inlined, it costs a third less.
inline Verdict Series::add(double value, Verdict verdict, std::uint64_t frame) noexcept {
  // What was rejected keeps its reason; its value, often NaN, is not looked at.
  if (verdict == Verdict::accepted && !std::isfinite(value)) verdict = Verdict::nonfinite;
  const std::uint64_t count = ++verdicts_[verdict];
  if (verdict != Verdict::accepted) return verdict;

  last_ = value;
  if (count == 1) {
    ema_ = mean_ = min_ = max_ = value;
  } else {
    ema_ += alpha_ * (value - ema_);
    // Updating the mean itself keeps it accurate where a running sum would lose the small values.
    mean_ += (value - mean_) / static_cast<double>(count);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }
  // Values beyond float's range only meet it here, and only so that the conversion is defined.
  constexpr double most = std::numeric_limits<float>::max();
  ring_[ring_next_] = static_cast<float>(std::clamp(value, -most, most));
  const auto size = static_cast<std::uint32_t>(ring_.size());
  if (++ring_next_ == size) ring_next_ = 0;
  if (ring_used_ < size) ++ring_used_;
  // Most values are no spikes.
  if (!(value < spike_floor_)) note_spike(value, frame);
  return verdict;
}

}  // namespace passmeter
