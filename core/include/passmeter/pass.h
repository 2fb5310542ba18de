#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace passmeter {

/// A pass of one timer: its place in the timer's table. Default-constructed: no pass.
struct PassId {
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  std::uint32_t index = none;

  bool valid() const noexcept { return index != none; }
  friend bool operator==(PassId, PassId) = default;
};

/// The passes of a timer: names declared up front, order kept. Not thread-safe.
class PassTable {
 public:
  enum class Added : std::uint8_t { added, duplicate, empty };

  /// Adds a name (copied). A duplicate or empty one changes nothing.
  Added add(std::string_view name);
  /// The pass of that name, or an invalid id.
  PassId find(std::string_view name) const noexcept;
  /// "" for an invalid id.
  std::string_view name(PassId pass) const noexcept;
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(names_.size()); }
  bool contains(PassId pass) const noexcept { return pass.index < names_.size(); }

 private:
  std::vector<std::string> names_;
};

}  // namespace passmeter
