// Drivers whose timers are known to lie. The same table, with sources, is in docs/quirks.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "passmeter/gl/gl_timer.h"

namespace passmeter::gl {

struct Quirk {
  /// Each must be contained in the context's string, without regard to case; "" matches anything.
  const char* vendor;
  const char* renderer;
  const char* version;
  /// The best clock that may be used there.
  Clock best;
  const char* reason;  ///< What is wrong, a clause: "its timer queries measure CPU time".
  const char* source;  ///< Where that is documented publicly.
};

std::span<const Quirk> quirks() noexcept;

/// The first quirk that matches, or nullptr.
const Quirk* find_quirk(std::string_view vendor, std::string_view renderer,
                        std::string_view version) noexcept;

}  // namespace passmeter::gl
