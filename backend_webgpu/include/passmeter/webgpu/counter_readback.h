#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "passmeter/late_counter.h"
#include "passmeter/webgpu/readback.h"

namespace passmeter::webgpu {

/// One 32-bit counter that shaders count in.
struct CounterSlot {
  std::string name;
  /// What there is room for: a greater value is an overflow (Diagnostic::overflow). 0: no limit.
  std::uint32_t limit = 0;
};

struct CounterConfig {
  /// In the order in which they lie in the buffer, 4 bytes each. Names are unique; they become rows of the
  /// report.
  std::vector<CounterSlot> counters;
  std::uint32_t late_after_frames = 0;  ///< 0: 300.
  double ema_alpha = 0.1;               ///< (0, 1].
  std::uint32_t percentile_window = 0;  ///< 0: 1024. At most 65536.
  LogCallback log = {};
};

/// How much the GPU counted, some frames later and without waiting: what transform feedback queries are on
/// OpenGL. All counters lie one behind the other in a storage buffer with CopySrc usage and come back in one
/// copy a frame. The GPU itself needs no answer: it draws indirectly from the same counters; the CPU's copy
/// is for showing and sizing.
///
///     counters.begin_frame();
///     ... submit the passes that count ...
///     counters.read(buffer);
///     counters.end_frame();
///     ... counters.counter(0).last()                       // of frame counters.counter(0).frame()
class CounterReadback {
 public:
  CounterReadback(CounterConfig config, WGPUDevice device, const HelperOptions& options = {});
  ~CounterReadback();
  CounterReadback(const CounterReadback&) = delete;
  CounterReadback& operator=(const CounterReadback&) = delete;

  void begin_frame() noexcept;
  /// Reads all counters from `offset` (a multiple of 4), as they are after what is submitted before
  /// end_frame(). Once a frame: a second time is refused (Diagnostic::query_begun_twice). False: refused;
  /// with the ring in flight the frame counts as no_free_slot.
  bool read(WGPUBuffer buffer, std::uint64_t offset = 0) noexcept;
  void end_frame() noexcept;

  std::uint32_t size() const noexcept;
  /// The counter at that place; one that never knows anything for a place out of range
  /// (Diagnostic::unknown_object).
  const LateCounter& counter(std::uint32_t place) const noexcept;
  /// The place of that name, or size().
  std::uint32_t find(std::string_view name) const noexcept;
  /// Frames in which the counter was above its limit.
  std::uint64_t overflowed_frames(std::uint32_t place) const noexcept;

  std::uint64_t frame() const noexcept;
  State state() const noexcept;
  const char* reason() const noexcept;
  std::uint64_t diagnostic_count(Diagnostic diagnostic) const noexcept;
  void notify_lost() noexcept;
  bool restore(WGPUDevice device) noexcept;

  /// Appends a row a counter.
  void append_to(Report& report) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace passmeter::webgpu
