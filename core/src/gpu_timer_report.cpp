// GpuTimer's copy of its knowledge into a Report; apart from gpu_timer.cpp because it is the only part of the
// timer that allocates.
#include <cmath>

#include "passmeter/gpu_timer.h"

namespace passmeter {
namespace {

// Rates displays run at, and the halves that a missed vsync gives.
constexpr double display_rates_hz[] = {30, 50, 60, 72, 75, 90, 100, 120, 144, 165, 180, 240};
constexpr double rate_tolerance = 0.03;
constexpr double mostly_idle = 0.5;

double nearest_display_rate(double interval_ns) {
  double nearest = 0;
  double least = rate_tolerance;
  for (const double rate : display_rates_hz) {
    const double off = std::abs(interval_ns * rate * 1e-9 - 1);
    if (!(off < least)) continue;  // nor an unknown interval
    least = off;
    nearest = rate;
  }
  return nearest;
}

// What a reader of the numbers may be missing.
std::string hint_for(const FrameReport& frame) {
  const double rate = nearest_display_rate(frame.interval_p50);
  if (rate > 0 && frame.busy < mostly_idle * frame.cpu_interval) {
    return "Frames come at the display's " + std::to_string(static_cast<int>(rate)) +
           " Hz while the GPU is mostly idle: the application waits for the display, no pass is to blame.";
  }
  if (frame.overlapping) {
    return "Passes overlap in time on this GPU: their times add up to more than the frame.";
  }
  return {};
}

void copy_spikes(const Series& series, std::array<Spike, Series::spike_count>& to, std::uint32_t& used) {
  used = 0;
  for (const Spike& spike : series.spikes()) to[used++] = spike;
}

}  // namespace

double GpuTimer::resolution_ns() const noexcept {
  if (!std::isnan(fixed_resolution_ns_)) return fixed_resolution_ns_;
  const std::uint64_t ticks = quantum_.ticks();
  return ticks == 0 ? unknown : static_cast<double>(ticks) * ns_per_tick_;
}

void GpuTimer::fill_frame_report(FrameReport& out) const {
  out = {};
  out.busy = busy_.ema();
  out.span = span_.ema();
  out.sum = sum_.ema();
  out.cpu_interval = interval_.ema();
  out.unexplained = std::isnan(out.busy) || std::isnan(out.cpu_interval)
                        ? unknown
                        : std::fmax(0.0, out.cpu_interval - out.busy);
  out.overlapping = overlapping_;
  out.overlapping_frames = overlapping_frames_;
  const Percentiles busy = busy_.percentiles(percentile_scratch_);
  out.busy_p50 = busy.p50;
  out.busy_p95 = busy.p95;
  out.busy_p99 = busy.p99;
  const Percentiles interval = interval_.percentiles(percentile_scratch_);
  out.interval_p50 = interval.p50;
  out.interval_p95 = interval.p95;
  out.interval_p99 = interval.p99;
  out.verdicts = busy_.verdicts();
  copy_spikes(busy_, out.slowest, out.slowest_used);
}

void GpuTimer::fill_series_report(std::uint32_t pass, SeriesReport& out) const {
  const PassStats& stats = stats_[pass];
  const Series& series = stats.inclusive;
  out.name = passes_.name(PassId{pass});
  out.parent = passes_.name(stats.parent);
  out.unit = Unit::nanoseconds;
  out.depth = 0;
  out.share = unknown;
  out.verdicts = series.verdicts();
  out.in_flight = marks_[pass].in_flight;
  out.last = series.last();
  out.min = series.min();
  out.max = series.max();
  out.ema = series.ema();
  out.mean = series.mean();
  out.exclusive_ema = stats.exclusive_known ? stats.exclusive_ema : unknown;
  const Percentiles percentiles = series.percentiles(percentile_scratch_);
  out.p50 = percentiles.p50;
  out.p95 = percentiles.p95;
  out.p99 = percentiles.p99;
  out.p50_low = percentiles.p50_low;
  out.p50_high = percentiles.p50_high;
  out.window = percentiles.samples;
  copy_spikes(series, out.spikes, out.spikes_used);
  out.below_resolution = out.mean < resolution_ns();
  if (out.below_resolution && source_ == Source::fence) {
    // Two fences seen signalled by the same poll say "shorter than the polling interval" and nothing else.
    out.ema = out.exclusive_ema = out.mean = out.last = out.min = unknown;
    out.p50 = out.p95 = out.p99 = out.p50_low = out.p50_high = unknown;
  }
}

void GpuTimer::report(Report& out) const {
  out.backend = identity_.backend;
  out.adapter = identity_.adapter;
  out.driver = identity_.driver;
  out.source = source();
  out.state = state();
  out.reason = reason();
  out.resolution_ns = resolution_ns();
  out.counter_bits = counter_bits_;
  out.latency_frames = latency_.mean();
  out.frames = frames_begun_;
  out.frames_in_flight = in_flight_used_;
  out.alpha = alpha_;
  fill_frame_report(out.frame);
  out.series.resize(passes_.size());
  for (std::uint32_t pass = 0; pass < passes_.size(); ++pass) fill_series_report(pass, out.series[pass]);
  for (std::size_t i = 0; i < out.diagnostics.size(); ++i) {
    out.diagnostics[i] = diagnostics_.count(static_cast<Diagnostic>(i));
  }
  out.hint = hint_for(out.frame);
  on_report(out);
  arrange(out);
}

Report GpuTimer::report() const {
  Report out;
  report(out);
  return out;
}

void GpuTimer::reset_statistics() noexcept {
  for (PassStats& stats : stats_) {
    stats.inclusive.reset();
    stats.exclusive_known = false;
    stats.parent_known = false;
    stats.parent = {};
  }
  for (Series* series : {&busy_, &span_, &sum_, &interval_, &latency_}) series->reset();
  overlapping_ = false;
  overlapping_frames_ = 0;
}

}  // namespace passmeter
