#include "passmeter/source.h"

namespace passmeter {

const char* to_string(Source source) noexcept {
  switch (source) {
    case Source::none:
      return "none";
    case Source::cpu:
      return "cpu";
    case Source::fence:
      return "fence";
    case Source::time_elapsed:
      return "time_elapsed";
    case Source::timestamp:
      return "timestamp";
  }
  return "none";
}

const char* to_string(State state) noexcept {
  switch (state) {
    case State::measuring:
      return "measuring";
    case State::switched_off:
      return "switched_off";
    case State::unavailable:
      return "unavailable";
    case State::degraded:
      return "degraded";
    case State::lost:
      return "lost";
  }
  return "unavailable";
}

}  // namespace passmeter
