#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace passmeter {

/// Every measurement gets exactly one verdict. Only accepted ones reach the statistics; the others are
/// counted per pass and per reason.
enum class Verdict : std::uint8_t {
  accepted,      ///< In the statistics.
  unwritten,     ///< The GPU wrote no stamp (a WebGPU slot that resolved to 0, or a (0, 0) pair in GL).
  negative,      ///< The end lies before the begin.
  implausible,   ///< Longer than the CPU time since the pass was begun, so it can't be true.
  disjoint,      ///< The GPU's clock was interrupted while the frame was in flight (GPU_DISJOINT).
  lost,          ///< The context or device was lost before the result was read.
  no_free_slot,  ///< Pool or ring full: this measurement was skipped, the pending ones kept.
  late,          ///< No result within TimerConfig::late_after_frames frames; given up.
  nonfinite,     ///< NaN or infinity after scaling.
  driver_error,  ///< The driver refused a query, a copy or a map of this measurement.
};

inline constexpr std::size_t verdict_count = 10;

/// The word used in text and JSON. Never null.
const char* to_string(Verdict verdict) noexcept;

/// How often each verdict was given, indexed by Verdict.
struct VerdictCounts {
  std::array<std::uint64_t, verdict_count> count{};

  std::uint64_t& operator[](Verdict v) noexcept { return count[static_cast<std::size_t>(v)]; }
  std::uint64_t operator[](Verdict v) const noexcept { return count[static_cast<std::size_t>(v)]; }
  std::uint64_t accepted() const noexcept { return (*this)[Verdict::accepted]; }
  /// Sum of all verdicts but accepted.
  std::uint64_t rejected() const noexcept;
};

}  // namespace passmeter
