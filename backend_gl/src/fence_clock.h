// Estimates for contexts without timer queries: a fence at each mark, looked at without waiting at every mark
// and poll. The time of a mark is the CPU time at which its fence was first seen signalled, so it is late by
// up to the time between two looks; that time, measured, is the clock's resolution.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gl_functions.h"
#include "passmeter/cpu_clock.h"
#include "passmeter/frame_sample.h"

namespace passmeter::gl {

class FenceClock {
 public:
  void start(const GlFunctions& functions, std::uint32_t slots, std::uint32_t max_scopes, CpuClock cpu_clock);
  /// The context is gone: no driver call.
  void forget() noexcept;
  void delete_all() noexcept;

  bool begin(std::uint32_t slot) noexcept;
  bool open(std::uint32_t slot, std::uint32_t interval) noexcept;
  void close(std::uint32_t slot, std::uint32_t interval) noexcept;

  /// Looks at the oldest fences until one is not signalled yet.
  void look() noexcept;
  bool ready(std::uint32_t slot) const noexcept { return slots_[slot].seen == slots_[slot].count; }
  /// Fills the intervals of a frame that is ready: verdict and position in time.
  void fill(std::uint32_t slot, std::span<Interval> intervals) noexcept;
  void abandon(std::uint32_t slot) noexcept;

  /// Mean time between two looks of which the second saw a fence signalled, in nanoseconds; NaN before the
  /// first.
  double resolution_ns() const noexcept { return resolution_ns_; }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;
  static constexpr std::int64_t failed = INT64_MIN;

  struct Marks {
    std::uint32_t begin, end;
  };
  struct SlotState {
    std::uint32_t count = 0;
    std::uint32_t seen = 0;
    std::int64_t longest_gap_ns = 0;
  };
  struct Pending {
    GLsync sync;  ///< nullptr: given up.
    std::uint32_t slot;
    std::uint32_t mark;
  };

  Marks* marks(std::uint32_t slot) noexcept { return marks_.data() + std::size_t{slot} * (stride_ / 2); }
  std::int64_t* times(std::uint32_t slot) noexcept { return times_.data() + std::size_t{slot} * stride_; }
  Pending& pending(std::uint32_t index) noexcept { return ring_[(head_ + index) % ring_.size()]; }
  std::uint32_t make_mark(std::uint32_t slot) noexcept;
  void note_resolution(double gap_ns) noexcept;

  const GlFunctions* functions_ = nullptr;
  CpuClock cpu_clock_;
  std::uint32_t stride_ = 0;
  std::vector<SlotState> slots_;
  std::vector<Marks> marks_;         ///< Per slot and interval.
  std::vector<std::int64_t> times_;  ///< Per slot and mark, CPU nanoseconds.
  std::vector<Pending> ring_;        ///< All fences not seen signalled yet, in the order they were made.
  std::uint32_t head_ = 0;
  std::uint32_t used_ = 0;
  std::int64_t last_look_ns_ = 0;
  double resolution_ns_ = 0;
};

}  // namespace passmeter::gl
