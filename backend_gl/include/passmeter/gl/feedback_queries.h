#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passmeter/gl/gl_timer.h"
#include "passmeter/late_counter.h"

namespace passmeter::gl {

/// What a FeedbackQueries can be told. Zero-initialised numbers mean the default.
struct FeedbackConfig {
  std::vector<std::string> counters;  ///< Unique names; they become rows of the report.
  /// Scopes in flight at once, over all counters. 0: 8 frames of two scopes a counter, at least 16. At most
  /// 65536.
  std::uint32_t max_scopes = 0;
  std::uint32_t late_after_frames = 0;  ///< A result that has not come by then is given up. 0: 300.
  double ema_alpha = 0.1;               ///< (0, 1].
  std::uint32_t percentile_window = 0;  ///< 0: 1024. At most 65536.
  LogCallback log = {};
};

/// A counter of one FeedbackQueries: its place in FeedbackConfig::counters.
struct CounterId {
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  std::uint32_t index = none;
};

class FeedbackQueries;

/// An open scope; ends it at the latest on destruction. Must not outlive its FeedbackQueries.
class [[nodiscard]] FeedbackScope {
 public:
  FeedbackScope() = default;
  FeedbackScope(FeedbackScope&& other) noexcept : queries_(std::exchange(other.queries_, nullptr)) {}
  FeedbackScope& operator=(FeedbackScope&& other) noexcept;
  FeedbackScope(const FeedbackScope&) = delete;
  FeedbackScope& operator=(const FeedbackScope&) = delete;
  ~FeedbackScope() { close(); }

  bool active() const noexcept { return queries_ != nullptr; }
  void close() noexcept;

 private:
  friend class FeedbackQueries;
  explicit FeedbackScope(FeedbackQueries* queries) noexcept : queries_(queries) {}
  FeedbackQueries* queries_ = nullptr;
};

/// How many primitives transform feedback wrote, some frames later and without waiting: draw with the last
/// known count (OpenGL 4.6 core, "Primitive Queries": TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN; OpenGL 3.0,
/// ES 3.0, WebGL2).
///
///     feedback.begin_frame();
///     {
///       auto scope = feedback.scope(particles);
///       glBeginTransformFeedback(GL_POINTS); glDrawArrays(...); glEndTransformFeedback();
///     }
///     feedback.end_frame();
///     ... feedback.written(particles).last()              // of frame feedback.written(particles).frame()
///
/// Primitives, not vertices: 6 vertices drawn as triangles count as 2. A draw with feedback paused adds
/// nothing. Where the context has PRIMITIVES_GENERATED (OpenGL 3.0, ES 3.2; not WebGL2 and ES 3.0), each
/// scope asks for that too: more generated than written means that the buffer was full
/// (Diagnostic::overflow). Draws with feedback paused inside a scope would look the same: leave them outside.
/// On ES 3.0 and WebGL2 a draw without room is refused as a whole with GL_INVALID_OPERATION instead.
///
/// A vertex shader cannot drop a primitive: without a geometry shader the count is what was drawn.
///
/// Several scopes of one counter in a frame add up. All calls on the context's thread; changes no GL state;
/// never waits.
class FeedbackQueries {
 public:
  FeedbackQueries(FeedbackConfig config, GetProcAddress get_proc_address);
  FeedbackQueries(FeedbackConfig config, GetProcAddressVoid get_proc_address);
  /// Deletes the queries. Without a context any more, call notify_lost() first.
  ~FeedbackQueries();
  FeedbackQueries(const FeedbackQueries&) = delete;
  FeedbackQueries& operator=(const FeedbackQueries&) = delete;

  /// The counter of that name; an unknown one gives an id whose scopes do nothing
  /// (Diagnostic::unknown_object).
  CounterId counter(std::string_view name) noexcept;

  /// Opens a frame and takes the results that have come.
  void begin_frame() noexcept;
  /// Closes it; flushes if results do not come by themselves.
  void end_frame() noexcept;

  /// Counts until the scope is closed. One at a time in a context (OpenGL has one such query): an inner one
  /// is refused (Diagnostic::query_begun_twice), and so is one while the application has such a query of its
  /// own open (Diagnostic::driver_error, once a frame). That is asked as in OcclusionQueries: two calls of
  /// glGetQueryiv a scope, four with PRIMITIVES_GENERATED. With all scopes in flight: refused.
  /// A counter of which a scope was refused has no count for that frame (Verdict::no_free_slot); of what its
  /// other scopes counted nothing is accepted.
  FeedbackScope scope(CounterId counter) noexcept;
  bool begin(CounterId counter) noexcept;
  void end() noexcept;

  /// Primitives written a frame. An unknown id: a counter that never knows anything.
  const LateCounter& written(CounterId counter) const noexcept;
  /// Primitives that would have been written with room for all; never known where counts_generated() is
  /// false.
  const LateCounter& generated(CounterId counter) const noexcept;
  bool counts_generated() const noexcept;
  /// Frames in which more was generated than written.
  std::uint64_t overflowed_frames(CounterId counter) const noexcept;

  /// Number of the frame begun last, from 0.
  std::uint64_t frame() const noexcept;
  State state() const noexcept;
  /// Why this state: one sentence.
  const char* reason() const noexcept;
  std::uint64_t diagnostic_count(Diagnostic diagnostic) const noexcept;

  /// As OcclusionQueries'. Restored inside a frame, counting begins with the next one.
  void notify_lost() noexcept;
  bool restore() noexcept;

  /// Appends a row "<counter>" and, where it is counted, "<counter> generated", both counts a frame.
  void append_to(Report& report) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace passmeter::gl
