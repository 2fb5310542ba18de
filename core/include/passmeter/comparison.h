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
  unknown,       ///< One side has no time, or its resolution is too coarse.
};

/// The word used in text and JSON. Never null.
const char* to_string(Difference difference) noexcept;

struct ComparisonRow {
  std::string name;
  double left_ns = unknown;  ///< Median over the report's window.
  double right_ns = unknown;
  double ratio = unknown;  ///< left / right.
  double low = unknown;    ///< 95 % band of the ratio, from both medians' confidence intervals and both
  double high = unknown;   ///< clocks' resolutions.
  Difference verdict = Difference::unknown;
};

/// Two reports on the same work, paired by pass name.
struct Comparison {
  Report left;
  Report right;
  /// In the left report's order; passes that only one side has are there too, their ratio unknown.
  std::vector<ComparisonRow> rows;
};

Comparison compare(Report left, Report right);

}  // namespace passmeter
