// A bounded stock of queries of one target.
#pragma once

#include <cstdint>
#include <vector>

#include "gl_functions.h"

namespace passmeter::gl {

/// What asking the driver about a query came to.
enum class Answer : std::uint8_t {
  not_yet,
  yes,
  failed,  ///< The driver wrote nothing: the call failed.
};

// What the variables hold before the driver is to write them. If they still do after the call, it failed;
// that is cheaper than glGetError, and leaves the application's errors to the application.
inline constexpr GLuint available_untouched = 0x5A5A;
inline constexpr GLuint64 result_untouched = 0xA5C30FF05AE1D2B7u;

inline Answer ask_available(const GlFunctions& functions, GLuint id) noexcept {
  GLuint available = available_untouched;
  functions.get_query_object_uiv(id, value::query_result_available, &available);
  if (available == available_untouched) return Answer::failed;
  return available != 0 ? Answer::yes : Answer::not_yet;
}
/// Call only when available. False: the driver wrote nothing.
inline bool read_result(const GlFunctions& functions, GLuint id, std::uint64_t& result) noexcept {
  GLuint64 written = result_untouched;
  functions.get_query_object_ui64v(id, value::query_result, &written);
  result = written;
  return written != result_untouched;
}

/// Makes queries as they are needed, up to a cap, and gives them out again. An id keeps the target of its
/// first use (OpenGL demands it), so each target has a pool of its own. An id given up while pending is set
/// aside until the driver reports it available: using it again earlier would lose or mix up results, deleting
/// it would let the driver's memory grow without us seeing it.
class QueryPool {
 public:
  /// Takes the place of all former ids, which are forgotten. Reserves room for `cap` ids; no driver call.
  void start(const GlFunctions& functions, std::uint32_t cap);

  /// An id that is not in use, or 0: all are, or the driver refused to make more.
  GLuint take() noexcept {
    if (free_.empty() && !grow()) return 0;
    const GLuint id = free_.back();
    free_.pop_back();
    return id;
  }
  /// Whether take() would give that many without asking the driver for more than it may.
  bool has(std::uint32_t count) const noexcept { return free_.size() + (cap_ - made_) >= count; }
  /// Gives back an id whose result is available, or that was never begun.
  void put(GLuint id) noexcept { free_.push_back(id); }
  /// Gives back an id that is still pending.
  void set_aside(GLuint id) noexcept { aside_.push_back(id); }
  /// Deletes an id whose state is unknown because a call about it failed.
  void discard(GLuint id) noexcept;
  /// Takes back ids set aside that have become available. One driver call when none has, none when there are
  /// none.
  void sweep() noexcept;

  /// The driver refused to make queries since the last call of this.
  bool take_refusal() noexcept;
  std::uint32_t made() const noexcept { return made_; }

  /// Deletes the ids that are here; those out must have been given back.
  void delete_all() noexcept;
  /// The context is gone: no driver call.
  void forget() noexcept;

 private:
  bool grow() noexcept;

  const GlFunctions* functions_ = nullptr;
  std::uint32_t cap_ = 0;
  std::uint32_t made_ = 0;
  bool refused_ = false;
  std::vector<GLuint> free_;
  std::vector<GLuint> aside_;
  std::size_t next_aside_ = 0;
};

}  // namespace passmeter::gl
