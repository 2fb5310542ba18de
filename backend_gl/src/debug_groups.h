// Passes as debug groups, so that tools such as RenderDoc show them under their names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gl_functions.h"

namespace passmeter::gl {

/// Pushes what there is room for and pops exactly that: a push that failed must not pop the application's
/// group.
class DebugGroups {
 public:
  void start(std::uint32_t max_scopes, const ContextInfo& info) {
    pushed_.reserve(max_scopes);
    pushed_.clear();
    max_depth_ = info.max_debug_groups;
    max_length_ = static_cast<std::size_t>(info.max_debug_message);
  }

  void push(const GlFunctions& gl, std::uint32_t id, std::string_view name) noexcept {
    GLint depth = max_depth_;  // the application's groups count, too
    gl.get_integer_v(value::debug_group_stack_depth, &depth);
    const bool room = depth < max_depth_;
    pushed_.push_back(room ? 1 : 0);
    if (!room) return;
    name = name.substr(0, std::min(name.size(), max_length_ - 1));
    gl.push_debug_group(value::debug_source_application, id, static_cast<GLsizei>(name.size()), name.data());
  }
  /// For each push(), innermost first.
  void pop(const GlFunctions& gl) noexcept {
    if (pushed_.empty()) return;  // it was opened before a loss
    if (pushed_.back() != 0) gl.pop_debug_group();
    pushed_.pop_back();
  }
  void pop_all(const GlFunctions& gl) noexcept {
    while (!pushed_.empty()) pop(gl);
  }
  /// The context is gone.
  void forget() noexcept { pushed_.clear(); }

 private:
  std::vector<std::uint8_t> pushed_;  ///< Per open scope.
  GLint max_depth_ = 0;
  std::size_t max_length_ = 1;
};

}  // namespace passmeter::gl
