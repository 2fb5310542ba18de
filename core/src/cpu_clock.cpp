#include "passmeter/cpu_clock.h"

#include <chrono>

namespace passmeter {

std::int64_t CpuClock::steady_now() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace passmeter
