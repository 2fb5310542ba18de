#include "clock_choice.h"

#include <algorithm>

namespace passmeter::gl {
namespace {

/// Digits of a count of bits; std::to_string would bring a table of all numbers under 100 into a web page.
std::string text_of(unsigned bits) {
  std::string text;
  for (; bits != 0 || text.empty(); bits /= 10) text.insert(text.begin(), static_cast<char>('0' + bits % 10));
  return text;
}

/// Why the context cannot have this clock, a clause; "" if it can.
std::string lack(const ContextInfo& info, Clock clock) {
  switch (clock) {
    case Clock::timestamp:
      if (info.timer_queries.empty()) return info.timer_queries_lack;
      return info.timestamp_bits > 0 ? "" : "TIMESTAMP has 0 counter bits here";
    case Clock::time_elapsed:
      if (info.timer_queries.empty()) return info.timer_queries_lack;
      return info.elapsed_bits > 0 ? "" : "TIME_ELAPSED has 0 counter bits here";
    case Clock::fence:
      return info.fences ? "" : "the context has no fence syncs";
    default:
      return "no clock was wanted";
  }
}

unsigned bits_of(const ContextInfo& info, Clock clock) {
  const int bits = clock == Clock::timestamp      ? info.timestamp_bits
                   : clock == Clock::time_elapsed ? info.elapsed_bits
                                                  : 0;
  return static_cast<unsigned>(std::clamp(bits, 0, 64));
}

std::string praise(const ContextInfo& info, Clock clock) {
  const std::string bits = text_of(bits_of(info, clock));
  switch (clock) {
    case Clock::timestamp:
      return info.timer_queries + " with " + bits + " bits of TIMESTAMP: both ends of each pass are stamped";
    case Clock::time_elapsed:
      return info.timer_queries + " with " + bits + " bits of TIME_ELAPSED: passes are timed in segments";
    default:
      return "times are estimated from when fences are seen signalled, as coarse as the polling";
  }
}

void add_clause(std::string& clauses, const std::string& clause) {
  // Both query clocks can lack the same thing.
  if (clause.empty() || clauses.find(clause) != std::string::npos) return;
  if (!clauses.empty()) clauses += "; ";
  clauses += clause;
}

std::string sentence(std::string clauses) {
  if (!clauses.empty() && clauses[0] >= 'a' && clauses[0] <= 'z') {
    clauses[0] = static_cast<char>(clauses[0] - 'a' + 'A');
  }
  return clauses + ".";
}

}  // namespace

Source source_of(Clock clock) noexcept {
  switch (clock) {
    case Clock::timestamp:
      return Source::timestamp;
    case Clock::time_elapsed:
      return Source::time_elapsed;
    case Clock::fence:
      return Source::fence;
    default:
      return Source::none;
  }
}

ClockChoice choose_clock(const ContextInfo& info, Clock wanted, const Quirk* quirk, Clock best,
                         const std::string& tried) {
  ClockChoice choice;
  if (wanted != Clock::automatic) {
    const std::string missing = lack(info, wanted);
    if (missing.empty()) {
      choice = {wanted, bits_of(info, wanted), sentence("as GlOptions::clock asks, " + praise(info, wanted))};
    } else {
      choice.reason = sentence("the clock that GlOptions asks for can't be had: " + missing);
    }
    return choice;
  }
  std::string clauses;
  add_clause(clauses, tried);
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed, Clock::fence}) {
    if (clock < best) continue;
    const std::string missing = lack(info, clock);
    if (!missing.empty()) {
      add_clause(clauses, missing);
    } else if (quirk != nullptr && clock < quirk->best) {
      add_clause(clauses, std::string(quirk->reason) + " (" + quirk->source + ")");
    } else {
      add_clause(clauses, praise(info, clock));
      return {clock, bits_of(info, clock), sentence(clauses)};
    }
  }
  choice.reason = sentence(clauses);
  return choice;
}

}  // namespace passmeter::gl
