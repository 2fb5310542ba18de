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
  if (flag_ == nullptr) return;
  wgpuDevicePushErrorScope(device_, WGPUErrorFilter_Validation);
  wgpuDevicePushErrorScope(device_, WGPUErrorFilter_OutOfMemory);
  wgpuDevicePushErrorScope(device_, WGPUErrorFilter_Internal);
}

void ErrorWatch::pop() noexcept {
  if (flag_ == nullptr) return;
  for (int scope = 0; scope < 3; ++scope) pop_one();
}

void ErrorWatch::pop_one() noexcept {
  flag_->references.fetch_add(1, std::memory_order_relaxed);
  dialect::pop_error_scope<answer>(device_, pumped_, flag_);
}

}  // namespace passmeter::webgpu
