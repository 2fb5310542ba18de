#include "passmeter/comparison.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "find_time.h"

namespace passmeter {
namespace {

// One side's time of a pass with its 95 % interval, in nanoseconds.
struct Estimate {
  double value = unknown;
  double low = unknown;
  double high = unknown;
};

double or_zero(double value) noexcept { return std::isfinite(value) ? value : 0; }

// Under the clock's resolution single values are zero or one quantum, and so is their median; their mean is
// right. How often the quantum was hit is binomial, with a deviation of at most half a quantum a value.
Estimate from_mean(const SeriesReport& row, double quantum) noexcept {
  const double half = quantum / std::sqrt(static_cast<double>(row.verdicts.accepted()));
  return {row.mean, std::max(row.mean - half, 0.0), row.mean + half};
}

// The median of steady work seen through a clock of that quantum at random phase is off by up to half of it.
// What a fence tells is late by up to a whole polling interval.
Estimate from_median(const SeriesReport& row, double slack) noexcept {
  return {row.p50, std::max(row.p50_low - slack, 0.0), row.p50_high + slack};
}

Estimate estimate(const Report& report, const SeriesReport* row) noexcept {
  if (row == nullptr || row->verdicts.accepted() == 0) return {};
  const double quantum = or_zero(report.resolution_ns);
  const bool fence = report.source == Source::fence;
  if (!row->below_resolution) return from_median(*row, fence ? quantum : quantum / 2);
  if (fence) return {row->p50, unknown, unknown};
  return from_mean(*row, quantum);
}

Difference judge(double low, double high) noexcept {
  if (!std::isfinite(low) || !std::isfinite(high)) return Difference::undecided;
  if (low > 1) return Difference::left_slower;
  if (high < 1) return Difference::right_slower;
  return Difference::same;
}

double both(double a, double b) noexcept { return std::sqrt(a * a + b * b); }

// How far the ratio moves when one side goes to its limit, for both sides in quadrature: they are
// independent.
void compute_band(const Estimate& left, const Estimate& right, ComparisonRow& row) noexcept {
  if (!(right.low > 0)) return;  // nothing bounds the ratio
  const double down = both((left.value - left.low) / right.value, row.ratio * (1 - right.value / right.high));
  const double up = both((left.high - left.value) / right.value, row.ratio * (right.value / right.low - 1));
  row.low = std::max(row.ratio - down, 0.0);
  row.high = row.ratio + up;
}

ComparisonRow compare_row(const std::string& name, const Estimate& left, const Estimate& right) {
  ComparisonRow row;
  row.name = name;
  row.left_ns = left.value;
  row.right_ns = right.value;
  if (std::isfinite(left.value) && std::isfinite(right.value) && right.value > 0) {
    row.ratio = left.value / right.value;
    compute_band(left, right, row);
    row.verdict = judge(row.low, row.high);
  }
  return row;
}

}  // namespace

const char* to_string(Difference difference) noexcept {
  switch (difference) {
    case Difference::same:
      return "same";
    case Difference::left_slower:
      return "left_slower";
    case Difference::right_slower:
      return "right_slower";
    case Difference::undecided:
      return "unknown";
  }
  return "unknown";
}

Comparison compare(Report left, Report right) {
  Comparison result;
  for (const SeriesReport& row : left.series) {
    if (row.unit != Unit::nanoseconds) continue;
    const SeriesReport* other = find_time(right, row.name);
    result.rows.push_back(compare_row(row.name, estimate(left, &row), estimate(right, other)));
  }
  for (const SeriesReport& row : right.series) {
    if (row.unit != Unit::nanoseconds || find_time(left, row.name) != nullptr) continue;
    result.rows.push_back(compare_row(row.name, {}, estimate(right, &row)));
  }
  result.left = std::move(left);
  result.right = std::move(right);
  return result;
}

}  // namespace passmeter
