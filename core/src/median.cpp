#include "passmeter/median.h"

#include <algorithm>
#include <cstddef>

#include "small_sort.h"

namespace passmeter {
namespace {

/// The value at `fraction` (0 to 1) of the way through sorted values, linear between neighbours.
double quantile(const std::vector<double>& sorted, double fraction) noexcept {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

MedianResult median_of(std::vector<double>& times_ns, Source source) noexcept {
  MedianResult result;
  result.source = source;
  if (times_ns.empty()) return result;
  small_sort(times_ns.begin(), times_ns.end());
  result.median_ns = quantile(times_ns, 0.5);
  result.q1_ns = quantile(times_ns, 0.25);
  result.q3_ns = quantile(times_ns, 0.75);
  result.min_ns = times_ns.front();
  result.max_ns = times_ns.back();
  result.runs = static_cast<std::uint32_t>(times_ns.size());
  result.valid = true;
  return result;
}

}  // namespace passmeter
