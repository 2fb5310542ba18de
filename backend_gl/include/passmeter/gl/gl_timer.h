#pragma once

#include <cstdint>
#include <memory>

#include "passmeter/gpu_timer.h"
#include "passmeter/median.h"

namespace passmeter::gl {

/// Any OpenGL function, to be cast to its real type.
using Proc = void (*)();

/// Looks up OpenGL functions by name: glfwGetProcAddress and eglGetProcAddress as they are. Called only while
/// a GlTimer is constructed or restored. (On Windows wglGetProcAddress alone is not enough, it lacks
/// OpenGL 1.1.)
using GetProcAddress = Proc (*)(const char* name);
/// The shape SDL_GL_GetProcAddress and emscripten_webgl_get_proc_address have.
using GetProcAddressVoid = void* (*)(const char* name);

/// How passes are timed. See docs/clocks.md.
enum class Clock : std::uint8_t {
  automatic,  ///< The best of the following that the context has and the quirk table does not advise against.
  timestamp,  ///< A GPU timestamp at both ends of a pass (glQueryCounter).
  time_elapsed,  ///< GL_TIME_ELAPSED queries. Only one can be active, so an inner pass splits the outer one.
  fence,         ///< Estimates from fences polled without waiting: as coarse as the polling.
  none,          ///< Nothing is timed.
};

struct GlOptions {
  /// Other than automatic: this clock or none (the reason then says what is missing).
  Clock clock = Clock::automatic;
  /// Do not let the table of known bad drivers (docs/quirks.md) choose.
  bool ignore_quirks = false;
  /// Wrap each pass in a debug group (KHR_debug) of the pass's name, for frame debuggers. Costs two more
  /// calls a pass. Does nothing where the context lacks KHR_debug.
  bool debug_groups = false;
};

/// Times passes on OpenGL 3.3 and later, OpenGL ES 2 and later, and WebGL, with the timer queries the context
/// has: ARB_timer_query (core since 3.3) or EXT_disjoint_timer_query.
///
/// Construct, use and destroy it on the context's thread with the context current. If the context is gone by
/// then, call notify_lost() before destroying the timer.
///
/// What it does in the context: it makes queries (or fences), ends, reads and deletes them, asks for the
/// reset status once a frame if the context was made with reset notification, and flushes when results do not
/// come by themselves. It changes no other state, never calls glGetError, and never waits, measure_median()
/// aside.
///
/// TIME_ELAPSED can be active once per context. With Clock::time_elapsed, an application's own TIME_ELAPSED
/// query that is active when a scope is opened makes the timer refuse that scope and the rest of the frame
/// (Diagnostic::driver_error). Asking costs as much as a mark: each scope that is not inside another asks in
/// the first 120 frames, and for good once the answer was yes; later two scopes a frame do, the first and
/// another in turn, so an application that starts with it only then is noticed within as many frames as it
/// has scopes. A query that the application begins inside a scope fails with GL_INVALID_OPERATION, as OpenGL
/// has it.
class GlTimer final : public GpuTimer {
 public:
  /// Loads the functions and chooses the clock; makes no query yet. Without a current context, or with
  /// nothing to time with, the timer works, measures nothing and reason() says why. A null function counts as
  /// no context.
  GlTimer(TimerConfig config, GetProcAddress get_proc_address, GlOptions options = {});
  GlTimer(TimerConfig config, GetProcAddressVoid get_proc_address, GlOptions options = {});
  ~GlTimer() override;

  /// The clock in use; none while nothing can be timed. Changes only at restore(), or when a clock turns out
  /// to give nothing but zeros and the next one takes over.
  Clock clock() const noexcept;

  /// Waits. Runs `work` n times, each time finishing all GPU work before and after, and answers the median
  /// and quartiles of its GPU time. The truth to compare a timer with; not for frames that are shown. Not
  /// inside a frame (the result is then invalid). With Clock::fence it is CPU time between two glFinish.
  /// Allocates n values. It uses queries of its own and does not touch the statistics.
  MedianResult measure_median(unsigned n, FunctionRef work);

 private:
  struct Impl;

  bool on_begin_frame(Frame& frame) noexcept override;
  bool on_open(Frame& frame, std::uint32_t interval) noexcept override;
  void on_close(Frame& frame, std::uint32_t interval) noexcept override;
  bool on_end_frame(Frame& frame) noexcept override;
  void on_collect() noexcept override;
  void on_abandon(Frame& frame) noexcept override;
  void on_lost() noexcept override;
  bool on_restore() noexcept override;
  bool on_check_lost() noexcept override;
  bool on_degraded() noexcept override;

  bool open_slowly(Frame& frame, std::uint32_t interval) noexcept;
  void deliver_available() noexcept;

  std::unique_ptr<Impl> impl_;
};

}  // namespace passmeter::gl
