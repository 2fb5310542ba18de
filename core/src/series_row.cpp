#include "passmeter/series_row.h"

#include <utility>
#include <vector>

namespace passmeter {

void append_row(Report& report, std::string_view name, Unit unit, const Series& series,
                std::uint64_t in_flight) {
  std::vector<float> scratch;
  const Percentiles percentiles = series.percentiles(scratch);
  SeriesReport row;
  row.name = name;
  row.unit = unit;
  row.ema = series.ema();
  row.exclusive_ema = series.ema();  // nothing nests in it
  row.mean = series.mean();
  row.last = series.last();
  row.min = series.min();
  row.max = series.max();
  row.p50 = percentiles.p50;
  row.p95 = percentiles.p95;
  row.p99 = percentiles.p99;
  row.p50_low = percentiles.p50_low;
  row.p50_high = percentiles.p50_high;
  row.window = percentiles.samples;
  row.verdicts = series.verdicts();
  row.in_flight = in_flight;
  for (const Spike& spike : series.spikes()) row.spikes[row.spikes_used++] = spike;
  report.series.push_back(std::move(row));
}

}  // namespace passmeter
