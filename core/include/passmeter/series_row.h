#pragma once

#include <cstdint>
#include <string_view>

#include "passmeter/report.h"
#include "passmeter/series.h"

namespace passmeter {

/// Appends a row with all that `series` knows, at the top level of the report. For series that no timer owns:
/// counts, latencies, bytes. `in_flight`: measurements asked for and not answered yet. Rows of a unit other
/// than time take no part in shares, so the report need not be arranged again. Allocates.
void append_row(Report& report, std::string_view name, Unit unit, const Series& series,
                std::uint64_t in_flight = 0);

}  // namespace passmeter
