// When to flush. Some drivers (llvmpipe, and any without a swap) report no result before the commands were
// flushed; elsewhere the swap does it and a flush of ours would only cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace passmeter::gl {

/// Waits some looks for a frame's results before it advises a flush. How many it learns: results that came
/// without our flush mean that the application flushes, so it becomes patient; results that came only after
/// it mean that nobody else does, so it flushes at the next end of a frame from then on: at most one flush
/// every two frames. Flushing at the end of a frame, never inside one: it would split a render pass on a
/// tiled GPU.
class FlushPolicy {
 public:
  void start(std::uint32_t slots) {
    frames_.assign(slots, {});
    // A frame must be flushed before all slots are used up, else frames would be skipped for nothing.
    most_patience_ = std::max(1u, std::min(6u, slots - 1));
    patience_ = std::min(3u, most_patience_);
    look_ = 0;
  }

  void frame_ended(std::uint32_t slot) noexcept { frames_[slot] = {look_, false}; }
  void next_look() noexcept { ++look_; }
  /// Whether this pending frame has waited long enough.
  bool wants_flush(std::uint32_t slot) const noexcept {
    return !frames_[slot].flushed && look_ - frames_[slot].ended > patience_;
  }
  void frame_flushed(std::uint32_t slot) noexcept { frames_[slot].flushed = true; }
  void frame_ready(std::uint32_t slot) noexcept { patience_ = frames_[slot].flushed ? 1 : most_patience_; }

 private:
  struct FrameState {
    std::uint64_t ended = 0;  ///< The look before its end.
    bool flushed = false;
  };

  std::vector<FrameState> frames_;
  std::uint64_t look_ = 0;
  std::uint32_t patience_ = 1;
  std::uint32_t most_patience_ = 1;
};

}  // namespace passmeter::gl
