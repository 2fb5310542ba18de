#pragma once

#include <cstdint>
#include <limits>

#include "handle.h"
#include "ticket.h"

namespace passmeter::webgpu {

/// Estimates a frame's GPU time where there are no timestamps: from the frame's begin to when its submitted
/// work was seen done (wgpuQueueOnSubmittedWorkDone). Too long by up to the interval between two looks, and
/// by whatever earlier frames left to do. At most one request is in flight: asking every frame costs
/// milliseconds of CPU in some implementations.
class WorkDoneClock {
 public:
  enum class Answer : std::uint8_t { pending, done, failed };

  /// Asks when the work submitted so far is done. False: one is pending already, or memory is out.
  bool ask(WGPUQueue queue, bool pumped) noexcept;
  /// Lets go of a pending request.
  void forget() noexcept { ticket_.forget(); }
  /// Looks at the pending request; `now_ns` by the timer's CPU clock.
  Answer look(std::int64_t now_ns) noexcept;

  /// Mean time between two looks: what the estimate can't resolve. NaN at first.
  double resolution_ns() const noexcept { return interval_ns_; }

 private:
  TicketHandle ticket_;
  std::int64_t last_look_ns_ = 0;
  bool looked_ = false;
  double interval_ns_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace passmeter::webgpu
