#include "quirks.h"

#include <algorithm>
#include <array>

namespace passmeter::gl {
namespace {

constexpr std::array table{
    Quirk{"", "Adreno", "", Clock::fence, "timer queries of this GPU's driver are known to measure CPU time",
          "github.com/google/filament, OpenGLContext: dont_use_timer_query"},
    Quirk{"", "Mali", "", Clock::fence, "timer queries of this GPU's driver are known to measure CPU time",
          "github.com/google/filament, OpenGLContext: dont_use_timer_query"},
};

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(std::string_view text, std::string_view part) noexcept {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end() || part.empty();
}

}  // namespace

std::span<const Quirk> quirks() noexcept { return table; }

const Quirk* find_quirk(std::string_view vendor, std::string_view renderer,
                        std::string_view version) noexcept {
  for (const Quirk& quirk : table) {
    if (contains(vendor, quirk.vendor) && contains(renderer, quirk.renderer) &&
        contains(version, quirk.version)) {
      return &quirk;
    }
  }
  return nullptr;
}

}  // namespace passmeter::gl
