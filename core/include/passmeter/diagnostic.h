#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace passmeter {

/// Everything that can be wrong with a call or with the driver. Each is counted every time and logged the
/// first time; none stops the renderer.
enum class Diagnostic : std::uint8_t {
  no_passes,            ///< The timer was made without passes: frames are counted, nothing is timed.
  duplicate_name,       ///< A pass name given twice: both uses mean the one pass.
  empty_name,           ///< A pass without a name: ignored.
  unknown_pass,         ///< A name or PassId this timer does not have: the scope measures nothing.
  end_without_begin,    ///< close() of a scope that is not open, or end_frame() without begin_frame().
  frame_begun_twice,    ///< begin_frame() inside a frame: the open frame is ended first.
  scope_outside_frame,  ///< scope() before begin_frame() or after end_frame(): measures nothing.
  scope_left_open,      ///< A scope still open at end_frame(): closed there.
  closed_out_of_order,  ///< A scope closed before one opened inside it: the inner one is closed first.
  scope_without_pass,   ///< WebGPU: a scope whose writes() nobody asked for, so nothing was measured.
  too_many_scopes,      ///< More scopes in a frame than TimerConfig::max_scopes_per_frame.
  pool_full,            ///< Queries or readback buffers all in flight: this frame is not measured.
  feature_missing,      ///< No timer feature here; see the reason.
  feature_refused,      ///< The driver refused to create a query, a set or a buffer.
  driver_error,         ///< A driver call of ours failed.
  disjoint,             ///< The GPU clock was interrupted.
  degraded,             ///< The clock gives no usable values although it is there.
  lost,                 ///< Context or device lost.
  bad_config,           ///< A TimerConfig value out of range: the nearest valid one is used.
  wrong_timer,          ///< A scope of one timer handed to another.
  unknown_object,       ///< An object or counter id that the helper does not have: visible, never tested.
  query_begun_twice,    ///< A query begun while another of the kind is open: the open one is kept.
  pass_without_set,     ///< WebGPU: a test in a pass that was not given the query set: not tested.
  overflow,             ///< A GPU counter or transform feedback buffer had no room for everything.
  read_out_of_range,    ///< A read outside its source, larger than a batch, or without a callback: refused.
};

inline constexpr std::size_t diagnostic_count = 25;

/// Short name, as in the enumerator. Never null.
const char* to_string(Diagnostic diagnostic) noexcept;

/// Receives each diagnostic the first time it happens, with one sentence that says what happened and with
/// which numbers. Called on the thread that made the call; `message` lives only for the duration of the call.
struct LogCallback {
  void (*call)(void* user, Diagnostic diagnostic, const char* message) = nullptr;
  void* user = nullptr;
};

/// Counts and first-time log of diagnostics. Not thread-safe: one owner, one thread.
class Diagnostics {
 public:
  explicit Diagnostics(LogCallback log = {}) noexcept : log_(log) {}

  /// Counts; logs `message` the first time. Never allocates, never blocks.
  void raise(Diagnostic diagnostic, const char* message) noexcept;
  std::uint64_t count(Diagnostic diagnostic) const noexcept {
    return counts_[static_cast<std::size_t>(diagnostic)];
  }

 private:
  LogCallback log_;
  std::array<std::uint64_t, diagnostic_count> counts_{};
};

}  // namespace passmeter
