// Drivers whose timers are known to lie. The same table, with sources, is in docs/quirks.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "passmeter/gl/gl_timer.h"

namespace passmeter::gl {

struct Quirk {
  /// What the context's GL_RENDERER contains, without regard to case.
  const char* renderer;
  /// The best clock that may be used there.
  Clock best;
  const char* reason;  ///< What is wrong, a clause: "its timer queries measure CPU time".
  const char* source;  ///< Where that is documented publicly.
};

std::span<const Quirk> quirks() noexcept;

/// The first quirk that matches, or nullptr. All of the table is about the GPU vendors' own drivers, so
/// nothing matches under ANGLE and Mesa, whose strings name the same GPUs.
const Quirk* find_quirk(std::string_view renderer, std::string_view version) noexcept;

}  // namespace passmeter::gl
