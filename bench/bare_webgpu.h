// The least that timing passes with WebGPU timestamp queries costs: query set, resolve, copy and a ring of
// mapped buffers, written out by hand, as many frames deep as passmeter's. No statistics are kept.
#pragma once

#include <webgpu/webgpu.h>

#include <array>
#include <cstdint>

#include "dawn_device.h"
#include "interleaved.h"

namespace passmeter::bench {

class BareWebGpu {
 public:
  explicit BareWebGpu(testing::DawnDevice& device);
  ~BareWebGpu();
  BareWebGpu(const BareWebGpu&) = delete;
  BareWebGpu& operator=(const BareWebGpu&) = delete;

  // A frame of passes with timestamps; reads what has been mapped since.
  void frame();

  std::uint64_t frames() const { return frames_; }
  std::uint64_t frames_read() const { return frames_read_; }

 private:
  static constexpr std::uint32_t depth = 4;  // as TimerConfig::frames_in_flight for WebGPU
  static constexpr std::uint32_t stamps = 2 * passes_per_frame;
  static constexpr std::uint64_t bytes = stamps * sizeof(std::uint64_t);

  struct Slot {
    enum class State : std::uint8_t { free, in_flight, mapped };
    WGPUBuffer buffer = nullptr;
    State state = State::free;
  };

  void record(WGPUBuffer target);
  void map(Slot& slot);
  void read(Slot& slot);

  testing::DawnDevice& device_;
  WGPUQuerySet set_ = nullptr;
  WGPUBuffer resolve_ = nullptr;
  std::array<Slot, depth> slots_;
  std::array<double, passes_per_frame> last_ns_{};
  std::uint64_t frames_ = 0;
  std::uint64_t frames_read_ = 0;
};

}  // namespace passmeter::bench
