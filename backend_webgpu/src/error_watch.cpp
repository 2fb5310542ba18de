#include "error_watch.h"

namespace passmeter::webgpu {

void ErrorWatch::start(WGPUDevice device, bool pumped) noexcept {
  forget();
  device_ = device;
  pumped_ = pumped;
  flag_ = new (std::nothrow) Flag;
}

void ErrorWatch::forget() noexcept {
  device_ = nullptr;
  if (flag_ != nullptr) std::exchange(flag_, nullptr)->release();
}

void ErrorWatch::answer(void* user, dialect::Outcome outcome) {
  auto* flag = static_cast<Flag*>(user);
  if (outcome == dialect::Outcome::failed) flag->refused.store(true, std::memory_order_release);
  flag->release();
}

void ErrorWatch::push() noexcept {
  for (const WGPUErrorFilter filter :
       {WGPUErrorFilter_Validation, WGPUErrorFilter_OutOfMemory, WGPUErrorFilter_Internal}) {
    if (flag_ != nullptr) wgpuDevicePushErrorScope(device_, filter);
  }
}

void ErrorWatch::pop() noexcept {
  // Each of them may call the application back, which may say that the device is lost.
  for (int scope = 0; scope < 3 && flag_ != nullptr; ++scope) pop_one();
}

void ErrorWatch::pop_one() noexcept {
  flag_->references.fetch_add(1, std::memory_order_relaxed);
  dialect::pop_error_scope<answer>(device_, pumped_, flag_);
}

}  // namespace passmeter::webgpu
