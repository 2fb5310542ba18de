#pragma once

#include <cstdint>

namespace passmeter {

/// Where a time comes from, in rising order of trust. A report always names it.
enum class Source : std::uint8_t {
  none,          ///< Nothing is measured; the report's reason says why. Times are unknown, never 0.
  cpu,           ///< CPU clock around the submission: not a GPU time.
  fence,         ///< Estimated from when GPU fences were first seen signalled; as coarse as the polling.
  time_elapsed,  ///< GL TIME_ELAPSED: GPU durations without a position in time.
  timestamp,     ///< GPU timestamps at both ends of a pass.
};

/// What the timer can do at this moment.
enum class State : std::uint8_t {
  measuring,     ///< Marks are made and samples arrive.
  switched_off,  ///< set_enabled(false): no marks, no driver calls.
  unavailable,   ///< No usable clock; see the reason.
  degraded,      ///< The clock's values are unusable at the moment (all zero, say); still probing.
  lost,          ///< Context or device lost; restore() starts again.
};

/// The word used in text and JSON. Never null.
const char* to_string(Source source) noexcept;
/// The word used in text and JSON. Never null.
const char* to_string(State state) noexcept;

}  // namespace passmeter
