#include "passmeter/series.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "small_sort.h"

namespace passmeter {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool ranks_before(const Spike& a, const Spike& b) noexcept {
  return a.value > b.value || (!(a.value < b.value) && a.frame < b.frame);
}

// Value at the 1-based `rank`.
double at_rank(const std::vector<float>& sorted, std::size_t rank) noexcept {
  return static_cast<double>(sorted[rank - 1]);
}

// Smallest value that at least `percent` of the values do not exceed.
double nearest_rank(const std::vector<float>& sorted, std::size_t percent) noexcept {
  return at_rank(sorted, std::max<std::size_t>(1, (sorted.size() * percent + 99) / 100));
}

// 1-based rank of the lower end of the median's 95 % confidence interval; the upper end is as far from the
// other side. How many values lie under the true median is binomial (n, 1/2): mean n/2, deviation sqrt(n)/2.
// 0 where not even the whole range covers 95 % (fewer than 6 values).
std::size_t median_interval_rank(std::size_t n) noexcept {
  const double count = static_cast<double>(n);
  const double rank = (count + 1) / 2 - 0.98 * std::sqrt(count);
  return rank < 1 ? 0 : static_cast<std::size_t>(rank);
}

}  // namespace

const char* to_string(Unit unit) noexcept {
  switch (unit) {
    case Unit::nanoseconds:
      return "ms";
    case Unit::count:
      return "count";
    case Unit::bytes:
      return "bytes";
  }
  return "count";
}

Series::Series(double alpha, std::uint32_t window)
    : alpha_(alpha > 0 ? std::min(alpha, 1.0) : 0.1), ring_(std::max(window, 1u)) {}

void Series::note_spike(double value, std::uint64_t frame) noexcept {
  const Spike spike{value, frame};
  if (spikes_used_ == spike_count && !ranks_before(spike, spikes_[spike_count - 1])) return;
  std::uint32_t place = spikes_used_ < spike_count ? spikes_used_++ : spike_count - 1;
  for (; place > 0 && ranks_before(spike, spikes_[place - 1]); --place) spikes_[place] = spikes_[place - 1];
  spikes_[place] = spike;
  if (spikes_used_ == spike_count) spike_floor_ = spikes_[spike_count - 1].value;
}

double Series::ema() const noexcept { return accepted() != 0 ? ema_ : nan; }
double Series::mean() const noexcept { return accepted() != 0 ? mean_ : nan; }
double Series::last() const noexcept { return accepted() != 0 ? last_ : nan; }
double Series::min() const noexcept { return accepted() != 0 ? min_ : nan; }
double Series::max() const noexcept { return accepted() != 0 ? max_ : nan; }

Percentiles Series::percentiles(std::vector<float>& scratch) const {
  if (ring_used_ == 0) return {nan, nan, nan, nan, nan, 0};
  scratch.reserve(ring_.size());
  scratch.assign(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(ring_used_));
  small_sort(scratch.begin(), scratch.end());

  Percentiles result{
      nearest_rank(scratch, 50), nearest_rank(scratch, 95), nearest_rank(scratch, 99), nan, nan, ring_used_};
  if (const std::size_t rank = median_interval_rank(ring_used_); rank != 0) {
    result.p50_low = at_rank(scratch, rank);
    result.p50_high = at_rank(scratch, ring_used_ + 1 - rank);
  }
  return result;
}

void Series::reset() noexcept {
  ema_ = mean_ = last_ = min_ = max_ = 0;
  verdicts_ = {};
  ring_next_ = ring_used_ = 0;
  spikes_used_ = 0;
  spike_floor_ = no_floor;
}

}  // namespace passmeter
