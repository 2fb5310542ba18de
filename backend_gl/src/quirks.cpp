#include "quirks.h"

#include <algorithm>
#include <array>

namespace passmeter::gl {
namespace {

constexpr std::array table{
    Quirk{"Adreno", Clock::fence, "timer queries of Qualcomm's Adreno drivers are known to measure CPU time",
          "github.com/google/filament/pull/2318"},
    Quirk{"Mali", Clock::fence, "timer queries of ARM's Mali drivers are known to crash or to corrupt memory",
          "github.com/google/filament/pull/6998"},
};

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(std::string_view text, std::string_view part) noexcept {
  const auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end() || part.empty();
}

}  // namespace

std::span<const Quirk> quirks() noexcept { return table; }

const Quirk* find_quirk(std::string_view renderer, std::string_view version) noexcept {
  if (contains(renderer, "ANGLE") || contains(version, "Mesa")) return nullptr;
  for (const Quirk& quirk : table) {
    if (contains(renderer, quirk.renderer)) return &quirk;
  }
  return nullptr;
}

}  // namespace passmeter::gl
