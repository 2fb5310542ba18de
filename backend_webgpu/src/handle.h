#pragma once

#include <webgpu/webgpu.h>

#include <utility>

namespace passmeter::webgpu {

/// Owns one reference of a WebGPU object. Releasing is enough everywhere: an explicit destroy could
/// invalidate a command buffer that the application has recorded but not yet submitted.
template <class Object, void (*release)(Object)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(Object owned) noexcept : object_(owned) {}
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) reset(std::exchange(other.object_, nullptr));
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  void reset(Object owned = nullptr) noexcept {
    // Releasing may call the application back, which may come here again.
    const Object old = std::exchange(object_, owned);
    if (old != nullptr) release(old);
  }
  Object get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  Object object_ = nullptr;
};

using InstanceHandle = Handle<WGPUInstance, wgpuInstanceRelease>;
using AdapterHandle = Handle<WGPUAdapter, wgpuAdapterRelease>;
using DeviceHandle = Handle<WGPUDevice, wgpuDeviceRelease>;
using QueueHandle = Handle<WGPUQueue, wgpuQueueRelease>;
using QuerySetHandle = Handle<WGPUQuerySet, wgpuQuerySetRelease>;
using BufferHandle = Handle<WGPUBuffer, wgpuBufferRelease>;
using EncoderHandle = Handle<WGPUCommandEncoder, wgpuCommandEncoderRelease>;
using CommandsHandle = Handle<WGPUCommandBuffer, wgpuCommandBufferRelease>;

}  // namespace passmeter::webgpu
