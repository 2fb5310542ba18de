// Which clock a context gets, and the sentence that says why.
#pragma once

#include <string>

#include "gl_functions.h"
#include "quirks.h"

namespace passmeter::gl {

struct ClockChoice {
  Clock clock = Clock::none;
  unsigned counter_bits = 0;  ///< Of the chosen clock; 0: it has none.
  std::string reason;         ///< One sentence.
};

/// `quirk`: the one that holds for the context, or nullptr. `best`: a better clock than this was tried and
/// found useless, `tried` says how (a clause); timestamp at first.
ClockChoice choose_clock(const ContextInfo& info, Clock wanted, const Quirk* quirk,
                         Clock best = Clock::timestamp, const std::string& tried = {});

/// Coarser than any timer clock seen. What looks like more is the regularity of the work, which must not make
/// an impossible time plausible.
inline constexpr std::int64_t most_quantum_ns = 1'000'000;

Source source_of(Clock clock) noexcept;
inline bool uses_queries(Clock clock) noexcept {
  return clock == Clock::timestamp || clock == Clock::time_elapsed;
}

}  // namespace passmeter::gl
