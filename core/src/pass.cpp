#include "passmeter/pass.h"

namespace passmeter {

PassTable::Added PassTable::add(std::string_view name) {
  if (name.empty()) return Added::empty;
  if (find(name).valid()) return Added::duplicate;
  names_.emplace_back(name);
  return Added::added;
}

PassId PassTable::find(std::string_view name) const noexcept {
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (names_[i] == name) return {i};
  }
  return {};
}

std::string_view PassTable::name(PassId pass) const noexcept {
  if (!contains(pass)) return "";
  return names_[pass.index];
}

}  // namespace passmeter
