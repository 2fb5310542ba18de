#include "passmeter/stamps.h"

#include <cmath>
#include <numeric>

namespace passmeter {
namespace {

// What a duration may exceed the CPU time since its begin by and still be believed. GPU and CPU clocks run
// from different crystals (drift well under 1 %), and the CPU clock is read a little after the GPU took its
// stamp. Browsers coarsen the CPU clock to as much as a millisecond, at both ends.
constexpr double clock_drift = 0.01;
#ifdef __EMSCRIPTEN__
constexpr double cpu_clock_slack_ns = 2e6;
#else
constexpr double cpu_clock_slack_ns = 1e4;
#endif

bool plausible(double ns, std::int64_t cpu_elapsed_ns) noexcept {
  if (cpu_elapsed_ns < 0) return true;
  return ns <= static_cast<double>(cpu_elapsed_ns) * (1 + clock_drift) + cpu_clock_slack_ns;
}

bool unwritten(std::uint64_t begin, std::uint64_t end, bool one_zero_is_enough) noexcept {
  return one_zero_is_enough ? begin == 0 || end == 0 : begin == 0 && end == 0;
}

}  // namespace

StampResult judge_stamps(std::uint64_t begin, std::uint64_t end, const StampRule& rule,
                         std::int64_t cpu_elapsed_ns) noexcept {
  StampResult result;
  if (unwritten(begin, end, rule.one_zero_is_unwritten)) return result;

  result.ticks = ticks_between(begin, end, rule.counter_bits);
  const double ns = static_cast<double>(result.ticks) * rule.ns_per_tick;
  if (result.ticks < 0) {
    result.verdict = Verdict::negative;
  } else if (!std::isfinite(ns) || !(rule.ns_per_tick > 0)) {
    result.verdict = Verdict::nonfinite;
  } else if (!plausible(ns, cpu_elapsed_ns)) {
    result.verdict = Verdict::implausible;
  } else {
    result.verdict = Verdict::accepted;
    result.ns = ns;
  }
  return result;
}

Verdict judge_duration(std::uint64_t ns, std::int64_t cpu_elapsed_ns) noexcept {
  if (static_cast<std::int64_t>(ns) < 0) return Verdict::negative;
  return plausible(static_cast<double>(ns), cpu_elapsed_ns) ? Verdict::accepted : Verdict::implausible;
}

void QuantumMeter::add_slow(std::uint64_t ticks) noexcept {
  // The same value again says nothing new: a pass that takes exactly 2 ms in every frame must not make 2 ms
  // the clock's quantum.
  if (ticks == 0 || ticks == last_) return;
  last_ = ticks;
  if (seen_ < needed) ++seen_;
  // Nearly every value is a multiple of a divisor that has settled: one division, no gcd.
  if (divisor_ == 0 || ticks % divisor_ != 0) divisor_ = std::gcd(divisor_, ticks);
}

}  // namespace passmeter
