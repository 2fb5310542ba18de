#pragma once

#include <cstdint>
#include <string>

#include "passmeter/report.h"
#include "passmeter/series.h"
#include "passmeter/verdict.h"

namespace passmeter {

/// A count that the GPU makes each frame and that arrives some frames later: primitives written, particles
/// alive. Keeps the newest value with the frame it belongs to, and a series over all of them.
/// Not thread-safe. Never blocks; allocates in the constructor and in append_to() only.
class LateCounter {
 public:
  static constexpr std::uint32_t no_age = 0xFFFFFFFFu;

  /// `name` becomes the row's name; alpha and window as for Series.
  LateCounter(std::string name, double ema_alpha, std::uint32_t percentile_window);

  const std::string& name() const noexcept { return name_; }
  /// Whether a value ever arrived. Until then last() is 0 and means nothing.
  bool known() const noexcept { return known_; }
  /// The value of the newest frame that has arrived.
  std::uint64_t last() const noexcept { return last_; }
  /// The frame last() belongs to.
  std::uint64_t frame() const noexcept { return frame_; }
  /// Frames between last() and `now`; no_age while nothing is known.
  std::uint32_t age(std::uint64_t now) const noexcept;
  const Series& series() const noexcept { return series_; }
  std::uint64_t in_flight() const noexcept { return in_flight_; }

  /// A measurement was asked for. Each is followed by one deliver() or reject_asked().
  void ask() noexcept { ++in_flight_; }
  /// The measurement of `frame` arrived. One older than the newest enters the statistics all the same, but
  /// does not replace last().
  void deliver(std::uint64_t value, std::uint64_t frame) noexcept;
  /// A measurement asked for will not arrive.
  void reject_asked(Verdict verdict) noexcept;
  /// A measurement was not even asked for (no_free_slot).
  void reject(Verdict verdict) noexcept { series_.reject(verdict); }
  /// Everything in flight is gone; last() is kept with its growing age.
  void lose() noexcept;
  /// Forgets value and statistics; what is in flight still counts when it arrives.
  void reset() noexcept;

  /// Appends this counter's row to the report.
  void append_to(Report& report) const;

 private:
  std::string name_;
  Series series_;
  std::uint64_t last_ = 0;
  std::uint64_t frame_ = 0;
  std::uint64_t in_flight_ = 0;
  bool known_ = false;
};

}  // namespace passmeter
