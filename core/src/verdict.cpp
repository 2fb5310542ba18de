#include "passmeter/verdict.h"

namespace passmeter {

const char* to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::accepted:
      return "accepted";
    case Verdict::unwritten:
      return "unwritten";
    case Verdict::negative:
      return "negative";
    case Verdict::implausible:
      return "implausible";
    case Verdict::disjoint:
      return "disjoint";
    case Verdict::lost:
      return "lost";
    case Verdict::no_free_slot:
      return "no_free_slot";
    case Verdict::late:
      return "late";
    case Verdict::nonfinite:
      return "nonfinite";
    case Verdict::driver_error:
      return "driver_error";
  }
  return "driver_error";
}

std::uint64_t VerdictCounts::rejected() const noexcept {
  std::uint64_t sum = 0;
  for (const std::uint64_t n : count) sum += n;
  return sum - accepted();
}

}  // namespace passmeter
