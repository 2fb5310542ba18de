// What the benches of both backends share on passmeter's side.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "interleaved.h"
#include "passmeter/gpu_timer.h"

namespace passmeter::bench {

inline TimerConfig config() {
  TimerConfig result;
  for (std::uint32_t pass = 0; pass < passes_per_frame; ++pass)
    result.passes.push_back("pass " + std::to_string(pass));
  return result;
}

inline std::array<PassId, passes_per_frame> pass_ids(GpuTimer& timer) {
  std::array<PassId, passes_per_frame> ids;
  for (std::uint32_t pass = 0; pass < passes_per_frame; ++pass)
    ids[pass] = timer.pass("pass " + std::to_string(pass));
  return ids;
}

// Empty if every frame was measured, but for those still on their way: a timer that skips frames is cheap,
// and a ratio that it got so means nothing.
inline std::string unmeasured(const GpuTimer& timer) {
  const Report report = timer.report();
  for (const SeriesReport& series : report.series) {
    if (series.verdicts.accepted() + report.frames_in_flight < report.frames) {
      return "passmeter accepted " + std::to_string(series.verdicts.accepted()) + " of " +
             std::to_string(report.frames) + " frames of " + series.name;
    }
  }
  return {};
}

inline std::string unmeasured(std::uint64_t frames, std::uint64_t frames_read) {
  if (frames_read + 8 >= frames) return {};
  return "the bare loop read " + std::to_string(frames_read) + " of " + std::to_string(frames) + " frames";
}

}  // namespace passmeter::bench
