#pragma once

#include <webgpu/webgpu.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "passmeter/webgpu/dialect.h"

namespace passmeter::webgpu {

/// Learns whether the device refused to create an object. WebGPU answers a refused creation with an object
/// that is invalid, not with null, and reports the error elsewhere: to an error scope, if there is one, which
/// also keeps it from the application's own error callback. The answer comes later, on any thread; refused()
/// then says so for good.
class ErrorWatch {
 public:
  ErrorWatch() = default;
  ErrorWatch(const ErrorWatch&) = delete;
  ErrorWatch& operator=(const ErrorWatch&) = delete;
  ~ErrorWatch() { forget(); }

  void start(WGPUDevice device, bool pumped) noexcept;
  /// Lets go of what was asked; late answers reach nobody.
  void forget() noexcept;
  bool refused() const noexcept { return flag_ != nullptr && flag_->refused.load(std::memory_order_acquire); }

  /// Watches what is created while it lives; null: watches nothing.
  class Guard {
   public:
    explicit Guard(ErrorWatch* watch) noexcept : watch_(watch) {
      if (watch_ != nullptr) watch_->push();
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
      if (watch_ != nullptr) watch_->pop();
    }

   private:
    ErrorWatch* watch_;
  };

 private:
  struct Flag {
    std::atomic<std::uint32_t> references{1};
    std::atomic<bool> refused{false};
    void release() noexcept {
      if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
    }
  };

  static void answer(void* user, dialect::Outcome outcome);
  void push() noexcept;
  void pop() noexcept;
  void pop_one() noexcept;

  WGPUDevice device_ = nullptr;
  bool pumped_ = false;
  Flag* flag_ = nullptr;
};

}  // namespace passmeter::webgpu
