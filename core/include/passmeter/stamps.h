#pragma once

#include <cstdint>

#include "passmeter/verdict.h"

namespace passmeter {

/// How raw timestamps of one clock are to be read.
struct StampRule {
  /// Width of the counter, 1 to 64 (QUERY_COUNTER_BITS). Under 64 the counter wraps and differences are
  /// taken modulo 2^bits; a difference of more than half the range is a negative one.
  unsigned counter_bits = 64;
  /// Length of a tick in nanoseconds, above 0.
  double ns_per_tick = 1.0;
  /// WebGPU: a slot that was not written resolves to 0, so one zero is enough. GL: a counter may pass
  /// through 0, so only a pair of zeros counts as unwritten.
  bool one_zero_is_unwritten = false;
};

/// Signed distance in ticks from `begin` to `end`, modulo the counter's width. Integer arithmetic only.
inline std::int64_t ticks_between(std::uint64_t begin, std::uint64_t end, unsigned counter_bits) noexcept {
  // Subtracting first and cutting to the counter's width afterwards is right across a wrap; the shift back is
  // arithmetic, so the counter's top bit becomes the sign.
  const unsigned shift = counter_bits >= 1 && counter_bits < 64 ? 64 - counter_bits : 0;
  return static_cast<std::int64_t>((end - begin) << shift) >> shift;
}

struct StampResult {
  Verdict verdict = Verdict::unwritten;
  std::int64_t ticks = 0;  ///< Meaningful unless unwritten.
  double ns = 0;           ///< ticks * ns_per_tick, when accepted.
};

/// The verdict on one pair of stamps. `begin == end`, both written, is an accepted 0. A duration longer than
/// `cpu_elapsed_ns` (CPU time since the begin) by more than 1 % and 10 us (2 ms in browsers, whose CPU clocks
/// are coarse) is implausible; pass a negative value to skip that check. Checked in the order unwritten,
/// negative, nonfinite (also when ns_per_tick is not above 0), implausible.
StampResult judge_stamps(std::uint64_t begin, std::uint64_t end, const StampRule& rule,
                         std::int64_t cpu_elapsed_ns = -1) noexcept;

/// The verdict on one duration (TIME_ELAPSED): accepted, implausible, or negative if it does not fit 63 bits.
Verdict judge_duration(std::uint64_t ns, std::int64_t cpu_elapsed_ns = -1) noexcept;

/// Measures the clock's quantum from the stamps themselves: the greatest common divisor of all values seen. A
/// clock whose ticks are no whole number of the stamps' unit (83.3 ns rounded to 83, 167, 250) reads 1.
class QuantumMeter {
 public:
  /// Cheap once the divisor has settled; a value of 0 says nothing and is ignored.
  void add(std::uint64_t ticks) noexcept {
    if (divisor_ == 1 && seen_ >= needed) return;
    add_slow(ticks);
  }
  /// Quantum in ticks, or 0 while too few stamps were seen to tell (needs 8, each unlike the one before).
  std::uint64_t ticks() const noexcept { return seen_ >= needed ? divisor_ : 0; }
  void reset() noexcept { *this = {}; }

 private:
  static constexpr std::uint32_t needed = 8;
  void add_slow(std::uint64_t ticks) noexcept;

  std::uint64_t divisor_ = 0;
  std::uint64_t last_ = 0;
  std::uint32_t seen_ = 0;
};

}  // namespace passmeter
