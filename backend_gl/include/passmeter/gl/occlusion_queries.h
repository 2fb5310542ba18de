#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "passmeter/gl/gl_timer.h"
#include "passmeter/visibility.h"

namespace passmeter::gl {

/// What a test of an object asks the GPU.
enum class OcclusionTarget : std::uint8_t {
  automatic,                 ///< any_samples where the context has it, else samples.
  any_samples,               ///< ANY_SAMPLES_PASSED: OpenGL 3.3, ES 3.0, WebGL2, EXT_occlusion_query_boolean.
  any_samples_conservative,  ///< May say yes where nothing passed; OpenGL 4.3, ES 3.0 and the others.
  samples,                   ///< SAMPLES_PASSED, which counts them. OpenGL only.
};

struct OcclusionOptions {
  OcclusionTarget target = OcclusionTarget::automatic;
  /// Queries in flight at once: the cap of the pool. 0: as many as there are objects, at most 4096. At most
  /// 65536 (Diagnostic::bad_config). Objects for which none is left are skipped, counted, and tested first in
  /// the next frame.
  std::uint32_t max_queries = 0;
};

class OcclusionQueries;

/// An open test; ends it at the latest on destruction. Must not outlive its OcclusionQueries.
class [[nodiscard]] OcclusionScope {
 public:
  OcclusionScope() = default;
  OcclusionScope(OcclusionScope&& other) noexcept : queries_(std::exchange(other.queries_, nullptr)) {}
  OcclusionScope& operator=(OcclusionScope&& other) noexcept;
  OcclusionScope(const OcclusionScope&) = delete;
  OcclusionScope& operator=(const OcclusionScope&) = delete;
  ~OcclusionScope() { close(); }

  /// Whether to draw the object's bounds now. False: it is not tested in this frame.
  bool active() const noexcept { return queries_ != nullptr; }
  explicit operator bool() const noexcept { return active(); }
  void close() noexcept;

 private:
  friend class OcclusionQueries;
  explicit OcclusionScope(OcclusionQueries* queries) noexcept : queries_(queries) {}
  OcclusionQueries* queries_ = nullptr;
};

/// While it lives, draws write neither colour nor depth; then both masks are as they were before. Around the
/// bounds of all objects of a frame, not around each: it asks the driver for the masks twice. OpenGL's
/// indexed colour masks of single draw buffers are not told apart: all get the mask of the first.
class [[nodiscard]] ProxyState {
 public:
  ProxyState() = default;
  ProxyState(ProxyState&& other) noexcept;
  ProxyState& operator=(ProxyState&& other) noexcept;
  ProxyState(const ProxyState&) = delete;
  ProxyState& operator=(const ProxyState&) = delete;
  ~ProxyState() { restore(); }

  void restore() noexcept;

 private:
  friend class OcclusionQueries;
  OcclusionQueries* queries_ = nullptr;
  bool color_[4] = {true, true, true, true};
  bool depth_ = true;
};

/// Which of many objects can be seen, by occlusion queries around their bounds (OpenGL 4.6 core, "Occlusion
/// Queries"; ES 3.2, "Asynchronous Queries"). Never waits: answers arrive some frames later, see Visibility
/// for the rules that makes them safe to use.
///
///     queries.begin_frame();                              // takes the answers that have come
///     for (auto& object : objects)
///       if (queries.visible(object.id)) draw(object);
///     {
///       auto state = queries.proxy_state();
///       for (auto& object : objects)
///         if (auto test = queries.test(object.id)) draw_bounds(object);
///     }
///     queries.end_frame();
///
/// Bounds must enclose the object and be tested with the depth of what was drawn, LEQUAL. An object whose
/// bounds the near plane cuts must be drawn and not tested. A test in which nothing is drawn says hidden.
/// Leave clears and blits (a multisample resolve) outside: some drivers count their samples, Mesa's llvmpipe
/// does.
///
/// Where the context has no such queries, or there is none: nothing is tested, everything is visible,
/// reason() says why. All calls on the context's thread. Changes no GL state but the masks, and those only in
/// ProxyState.
///
/// Only one occlusion query can be active in a context: while the application has one of its own open, tests
/// are refused (Diagnostic::driver_error, once a frame). That is asked before each test, and at its end
/// whether what is active is still the test: glGetQueryiv(CURRENT_QUERY), up to four calls a test on OpenGL,
/// three on ES and WebGL. A test that did not begin, or that the application ended, has no answer
/// (Verdict::driver_error). Emscripten's own table of functions cannot tell of active queries; the one in
/// passmeter/gl/web.h can.
///
/// A driver tells of a reset once. Where a GlTimer and helpers share a context, pass the loss that the first
/// of them has noticed on to the others with notify_lost().
class OcclusionQueries {
 public:
  OcclusionQueries(VisibilityConfig config, GetProcAddress get_proc_address, OcclusionOptions options = {});
  OcclusionQueries(VisibilityConfig config, GetProcAddressVoid get_proc_address,
                   OcclusionOptions options = {});
  /// Deletes the queries. Without a context any more, call notify_lost() first.
  ~OcclusionQueries();
  OcclusionQueries(const OcclusionQueries&) = delete;
  OcclusionQueries& operator=(const OcclusionQueries&) = delete;

  /// Opens a frame and takes the answers that have come. At most one driver call more than answers.
  void begin_frame() noexcept;
  /// Closes it; flushes if answers do not come by themselves.
  void end_frame() noexcept;

  /// See Visibility.
  bool visible(std::uint32_t object) const noexcept;
  std::uint32_t age(std::uint32_t object) const noexcept;
  void forget(std::uint32_t object) noexcept;
  void forget_all() noexcept;

  /// Begins a test of the object if one is due and a query is free; draw its bounds then, and end it. One
  /// test at a time: a second one is refused and the open one goes on (Diagnostic::query_begun_twice).
  OcclusionScope test(std::uint32_t object) noexcept;
  /// The same without an object; end() after the draw if, and only if, it was true.
  bool begin(std::uint32_t object) noexcept;
  /// Without an open test: Diagnostic::end_without_begin.
  void end() noexcept;
  /// Switches colour and depth writes off until destroyed.
  ProxyState proxy_state() noexcept;

  /// What a test asks; automatic while there are no queries.
  OcclusionTarget target() const noexcept;
  State state() const noexcept;
  /// Why this state: one sentence.
  const char* reason() const noexcept;
  /// Everything else that is known: samples, counts, series, diagnostics.
  const Visibility& objects() const noexcept;
  /// Queries made so far, at most OcclusionOptions::max_queries.
  std::uint32_t queries_made() const noexcept;

  /// The context is gone: ids are forgotten without a driver call, everything is visible. Noticed by itself
  /// in begin_frame() where the context reports resets.
  void notify_lost() noexcept;
  /// Starts again with the context that is current now. True if it tests.
  bool restore() noexcept;

  /// Appends the rows "<name> tested", "... hidden", "... skipped" and "... latency". See Visibility.
  void append_to(Report& report) const;
  void reset_statistics() noexcept;

 private:
  friend class ProxyState;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace passmeter::gl
