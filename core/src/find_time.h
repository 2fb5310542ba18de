#pragma once

#include <string>

#include "passmeter/report.h"

namespace passmeter {

/// The row of the pass of that name, or nullptr. A count may have a pass's name, too.
inline const SeriesReport* find_time(const Report& report, const std::string& name) noexcept {
  for (const SeriesReport& row : report.series) {
    if (row.unit == Unit::nanoseconds && row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace passmeter
