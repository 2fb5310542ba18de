#pragma once

#include <string>

#include "passmeter/comparison.h"
#include "passmeter/report.h"

namespace passmeter {

/// A table for people: times in ms, unknown as "?", times under the clock's resolution as "<0.066", rejected
/// samples with their reasons below the table. Ends with a newline.
std::string to_text(const Report& report);
/// One line a series, header first, RFC 4180 quoting, times in ms, unknown as an empty field.
std::string to_csv(const Report& report);
/// `passmeter.report/1`: see docs/json.md. Times in ms, unknown as null. Valid UTF-8 if the names are;
/// bytes that are not are written as U+FFFD.
std::string to_json(const Report& report);

/// One row a pass: both times, ratio with its 95 % band, verdict, sources, resolutions, latencies, counts.
std::string to_text(const Comparison& comparison);
/// `passmeter.comparison/1`.
std::string to_json(const Comparison& comparison);

}  // namespace passmeter
