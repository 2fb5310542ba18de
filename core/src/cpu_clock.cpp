#include "passmeter/cpu_clock.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/emscripten.h>
#else
#include <chrono>
#endif

namespace passmeter {

#ifdef __EMSCRIPTEN__
// What the steady clock rests on there, without the code for its failures.
std::int64_t CpuClock::steady_now() noexcept { return static_cast<std::int64_t>(emscripten_get_now() * 1e6); }
#else
std::int64_t CpuClock::steady_now() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}
#endif

}  // namespace passmeter
