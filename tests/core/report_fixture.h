#pragma once

#include <string>

#include "passmeter/report.h"

namespace passmeter::testing {

/// A measured pass of that time; everything else follows from it.
inline SeriesReport measured_pass(std::string name, std::string parent, double ns) {
  SeriesReport row;
  row.name = std::move(name);
  row.parent = std::move(parent);
  row.ema = row.exclusive_ema = row.mean = row.last = row.p50 = ns;
  row.min = 0.9 * ns;
  row.p50_low = 0.99 * ns;
  row.p50_high = 1.01 * ns;
  row.p95 = 1.1 * ns;
  row.p99 = 1.2 * ns;
  row.max = 1.5 * ns;
  row.window = 600;
  row.verdicts[Verdict::accepted] = 600;
  row.spikes[0] = {1.5 * ns, 120};
  row.spikes_used = 1;
  return row;
}

/// A report with nested, rejected, below-resolution and never measured passes.
inline Report sample_report() {
  Report report;
  report.backend = "webgpu";
  report.adapter = "Test Adapter";
  report.driver = "1.2.3";
  report.source = Source::timestamp;
  report.state = State::measuring;
  report.reason = "The device has timestamp queries.";
  report.resolution_ns = 65'536;
  report.counter_bits = 64;
  report.latency_frames = 2;
  report.frames = 604;
  report.frames_in_flight = 2;
  report.alpha = 0.1;
  report.frame.busy = 4.53e6;
  report.frame.busy_p50 = 4.5e6;
  report.frame.busy_p95 = 5e6;
  report.frame.busy_p99 = 6e6;
  report.frame.span = 5e6;
  report.frame.sum = 4.53e6;
  report.frame.cpu_interval = 16.667e6;
  report.frame.unexplained = 12.137e6;
  report.frame.interval_p50 = 16.6e6;
  report.frame.interval_p95 = 17e6;
  report.frame.interval_p99 = 33e6;
  report.frame.verdicts[Verdict::accepted] = 600;
  report.frame.verdicts[Verdict::disjoint] = 2;
  report.frame.slowest[0] = {6.8e6, 120};
  report.frame.slowest_used = 1;
  report.series = {measured_pass("shadow", "", 1.5e6), measured_pass("gbuffer", "", 3e6),
                   measured_pass("decals", "gbuffer", 0.3e6), measured_pass("tonemap", "", 30e3)};
  report.series[1].exclusive_ema = 2.7e6;
  report.series[0].verdicts[Verdict::disjoint] = 2;
  report.series[1].verdicts[Verdict::disjoint] = 2;
  report.series[2].verdicts[Verdict::unwritten] = 5;
  report.series[2].verdicts[Verdict::late] = 1;
  report.series[3].below_resolution = true;
  report.series[3].p50 = report.series[3].min = 0;
  report.series[3].max = report.series[3].p99 = report.series[3].p95 = 65'536;
  report.series.emplace_back().name = "never drawn";
  report.diagnostics[static_cast<std::size_t>(Diagnostic::scope_left_open)] = 3;
  arrange(report);
  return report;
}

}  // namespace passmeter::testing
