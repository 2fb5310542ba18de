#pragma once

#include <cstdint>

namespace passmeter {

/// The CPU clock a timer uses for frame intervals and plausibility. Monotonic, in nanoseconds, any epoch.
/// The default is std::chrono::steady_clock; tests give their own.
struct CpuClock {
  std::int64_t (*now_ns)(void* user) = nullptr;  ///< nullptr: the steady clock.
  void* user = nullptr;

  /// Nanoseconds. Does not block.
  std::int64_t now() const noexcept { return now_ns != nullptr ? now_ns(user) : steady_now(); }

 private:
  static std::int64_t steady_now() noexcept;
};

}  // namespace passmeter
