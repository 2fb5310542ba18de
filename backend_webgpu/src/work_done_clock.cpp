#include "work_done_clock.h"

#include <cmath>

namespace passmeter::webgpu {

bool WorkDoneClock::ask(WGPUQueue queue, bool pumped) noexcept {
  if (ticket_.state() == Ticket::State::pending) return false;
  Ticket* ticket = ticket_.get();
  if (ticket == nullptr) return false;
  looked_ = false;
  dialect::on_work_done<Ticket::answer>(queue, pumped, ticket->expect_answer());
  return true;
}

WorkDoneClock::Answer WorkDoneClock::look(std::int64_t now_ns) noexcept {
  if (looked_) {
    const auto interval = static_cast<double>(now_ns - last_look_ns_);
    interval_ns_ = std::isnan(interval_ns_) ? interval : interval_ns_ + 0.1 * (interval - interval_ns_);
  }
  looked_ = true;
  last_look_ns_ = now_ns;
  const Ticket::State state = ticket_.state();
  if (state == Ticket::State::idle || state == Ticket::State::pending) return Answer::pending;
  ticket_.clear();
  return state == Ticket::State::success ? Answer::done : Answer::failed;
}

}  // namespace passmeter::webgpu
