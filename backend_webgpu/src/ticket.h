#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "passmeter/webgpu/dialect.h"

namespace passmeter::webgpu {

/// Where a callback leaves its answer. The callback may come on any thread, after the timer is gone, or
/// never, so it touches nothing but this: a state and a reference count. Only the timer's thread looks at the
/// state.
///
/// A request that is given up keeps its ticket to itself and the next one gets a new ticket: a late answer
/// then reaches nobody.
class Ticket {
 public:
  enum class State : std::uint8_t { idle, pending, success, failed, aborted };

  /// nullptr when memory is out. The caller holds the one reference.
  static Ticket* create() noexcept { return new (std::nothrow) Ticket; }

  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  /// The answer has been seen; the ticket can be used for the next request.
  void clear() noexcept { state_.store(State::idle, std::memory_order_relaxed); }

  /// Before the request: the callback holds a reference of its own. Returns the callback's user pointer.
  void* expect_answer() noexcept {
    references_.fetch_add(1, std::memory_order_relaxed);
    state_.store(State::pending, std::memory_order_relaxed);
    return this;
  }

  /// The callback.
  static void answer(void* user, dialect::Outcome outcome) {
    auto* ticket = static_cast<Ticket*>(user);
    ticket->state_.store(to_state(outcome), std::memory_order_release);
    ticket->release();
  }

  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  Ticket() = default;
  ~Ticket() = default;

  static State to_state(dialect::Outcome outcome) noexcept {
    switch (outcome) {
      case dialect::Outcome::success:
        return State::success;
      case dialect::Outcome::aborted:
        return State::aborted;
      case dialect::Outcome::failed:
        break;
    }
    return State::failed;
  }

  std::atomic<std::uint32_t> references_{1};
  std::atomic<State> state_{State::idle};
};

/// The timer's reference to a ticket.
class TicketHandle {
 public:
  TicketHandle() = default;
  TicketHandle(TicketHandle&& other) noexcept : ticket_(std::exchange(other.ticket_, nullptr)) {}
  TicketHandle& operator=(TicketHandle&& other) noexcept {
    std::swap(ticket_, other.ticket_);
    return *this;
  }
  TicketHandle(const TicketHandle&) = delete;
  TicketHandle& operator=(const TicketHandle&) = delete;
  ~TicketHandle() { forget(); }

  /// The ticket, made if there is none; nullptr when memory is out.
  Ticket* get() noexcept {
    if (ticket_ == nullptr) ticket_ = Ticket::create();
    return ticket_;
  }
  Ticket::State state() const noexcept { return ticket_ != nullptr ? ticket_->state() : Ticket::State::idle; }
  void clear() noexcept {
    if (ticket_ != nullptr) ticket_->clear();
  }
  /// Lets go of a pending request: its answer will reach nobody.
  void forget() noexcept {
    if (ticket_ != nullptr) std::exchange(ticket_, nullptr)->release();
  }

 private:
  Ticket* ticket_ = nullptr;
};

}  // namespace passmeter::webgpu
