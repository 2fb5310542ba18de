#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "passmeter/report.h"

namespace passmeter {

/// What the noise allows to be said about two times of one pass.
enum class Difference : std::uint8_t {
  same,          ///< The ratio's 95 % band holds 1.
  left_slower,   ///< The whole band lies above 1.
  right_slower,  ///< The whole band lies below 1.
  undecided,  ///< One side has no time, too few of them, or too coarse a clock. "unknown" in text and JSON.
};

/// The word used in text and JSON. Never null.
const char* to_string(Difference difference) noexcept;

struct ComparisonRow {
  std::string name;
  /// Median over the report's window. Where the pass is below the clock's resolution the median is zero or
  /// one quantum, so there it is the mean (with source fence still the median, and the verdict undecided).
  double left_ns = unknown;
  double right_ns = unknown;
  double ratio = unknown;  ///< left / right.
  /// 95 % band of the ratio; low <= ratio <= high. Each side's time may move within its median's confidence
  /// interval, widened at both ends by half its clock's resolution (fence: all of it), or, for a mean, within
  /// resolution / sqrt(accepted), which holds when passes start at random phases of the clock. The two sides
  /// add in quadrature. Unknown when a side has under 6 values or the right one's interval reaches 0.
  double low = unknown;
  double high = unknown;
  Difference verdict = Difference::undecided;
};

/// Two reports on the same work, paired by pass name.
struct Comparison {
  Report left;
  Report right;
  /// In the left report's order; passes that only one side has are there too, their ratio unknown.
  std::vector<ComparisonRow> rows;
};

/// Pairs the time series (other units are left out). Allocates the rows.
Comparison compare(Report left, Report right);

}  // namespace passmeter
