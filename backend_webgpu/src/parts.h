#pragma once

#include <cstdint>
#include <vector>

#include "error_watch.h"
#include "handle.h"
#include "passmeter/webgpu/webgpu_timer.h"
#include "query_pages.h"
#include "readback_ring.h"
#include "scope_times.h"
#include "work_done_clock.h"

namespace passmeter::webgpu {

/// What a WebGpuTimer is made of.
struct WebGpuTimer::Parts {
  enum class Clock : std::uint8_t { none, work_done, timestamps };

  /// Where a frame's stamps lie. The buffer that all frames resolve into has two halves, used in turn, and
  /// each frame's copy brings both: its own stamps, and what the queries held before, which is what a query
  /// holds still that the frame never wrote.
  struct Layout {
    std::uint32_t stride = 0;  // pairs in a half; 0: nothing is resolved yet
    std::uint32_t half = 0;
    std::uint32_t pairs = 0;  // resolved: also those that only the frame before used, so that
                              // both halves know each query's last stamps
    QueryPages::Move move;    // since the frame before

    std::uint64_t bytes() const noexcept { return (stride + pairs) * QueryPages::bytes_per_pair; }
  };

  /// Beside each Frame, by slot.
  struct FrameMarks {
    std::vector<std::uint32_t> pair_interval;  // pair n belongs to that interval
    std::uint32_t buffer = ReadbackRing::none;
    std::uint32_t resolved = 0;  // pairs whose resolve and copy are on an encoder
    Layout layout;
    bool waits_for_work_done = false;
  };

  Parts(const WebGpuOptions& given, std::uint32_t max_pairs)
      : options(given), pair_cap(max_pairs), times(max_pairs, max_pairs) {}

  bool pumped() const noexcept { return static_cast<bool>(instance); }
  void pump() const noexcept {
    if (instance) dialect::process_events(instance.get());
  }

  /// Adds the resolve of all pairs so far, and the copy to the frame's readback buffer, to an encoder.
  bool encode_resolve(WGPUCommandEncoder encoder, FrameMarks& frame) noexcept;
  /// The same with an encoder of its own, submitted.
  bool submit_resolve(FrameMarks& frame) noexcept;
  /// Calls of WebGPU may call the application back, which may say that the device is lost: after each of them
  /// what this holds may be gone.
  bool has_timestamps() const noexcept { return clock == Clock::timestamps; }
  void drop_device_objects() noexcept;

  WebGpuOptions options;
  bool named = false;  // the adapter's names were asked for
  std::uint32_t pair_cap;
  DeviceHandle device;
  QueueHandle queue;
  InstanceHandle instance;
  ErrorWatch watch;
  QueryPages pages;
  BufferHandle resolved;  // one for all frames: the queue runs one frame's copy before the next one's resolve
  std::uint32_t stride = 0;     // pairs in one of its halves
  std::uint32_t half = 0;       // that was resolved into last
  std::uint32_t last_used = 0;  // pairs of the frame resolved last
  QueryPages::Move move;        // of the pairs since then
  ReadbackRing ring;
  std::vector<FrameMarks> frames;
  std::vector<std::uint8_t> has_writes;  // of the frame being drawn, by interval
  ScopeTimes times;
  StampRule rule;
  WorkDoneClock work_done;
  Clock clock = Clock::none;
  const PassTimestampWrites* median_writes = nullptr;

 private:
  void lay_out(FrameMarks& frame) noexcept;
  bool room_to_resolve(WGPUCommandEncoder encoder, std::uint32_t pairs) noexcept;
  bool room_to_read(FrameMarks& frame) noexcept;
};

}  // namespace passmeter::webgpu
