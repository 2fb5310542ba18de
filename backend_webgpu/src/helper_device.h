// What the helpers beside the timer share: the device, its queue, its callbacks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "error_watch.h"
#include "handle.h"
#include "instance.h"
#include "passmeter/webgpu/helper_options.h"

namespace passmeter::webgpu {

class HelperDevice {
 public:
  explicit HelperDevice(const HelperOptions& options) noexcept : options_(options) {}

  /// Holds a reference of the device from now on. False: it is null or has no queue.
  bool use(WGPUDevice device) noexcept {
    drop();
    if (device == nullptr) return false;
    dialect::add_ref(device);
    device_.reset(device);
    queue_.reset(wgpuDeviceGetQueue(device));
    if (options_.instance != nullptr) {
      dialect::add_ref(options_.instance);
      instance_.reset(options_.instance);
    } else {
      instance_ = instance_of(device);
    }
    watch_.start(device, pumped());
    return static_cast<bool>(queue_);
  }
  /// Calls of WebGPU may call the application back, which may say that the device is lost and so come here:
  /// whoever goes on after such a call looks whether the device is still there.
  void drop() noexcept {
    watch_.forget();
    queue_.reset();
    instance_.reset();
    device_.reset();
  }

  WGPUDevice get() const noexcept { return device_.get(); }
  std::uint32_t frames_in_flight() const noexcept {
    return options_.frames_in_flight == 0 ? 4 : std::min(options_.frames_in_flight, 64u);
  }
  /// For what is created of the device. Once it has said refused, nothing will come of the helper.
  ErrorWatch& watch() noexcept { return watch_; }
  bool pumped() const noexcept { return static_cast<bool>(instance_); }
  void pump() const noexcept {
    if (instance_) dialect::process_events(instance_.get());
  }
  bool lost() const noexcept {
    return options_.device_lost != nullptr && options_.device_lost(options_.device_lost_user);
  }

  EncoderHandle encoder() const noexcept {
    if (!device_) return {};
    WGPUCommandEncoderDescriptor descriptor = {};
    descriptor.label = dialect::label("passmeter readback");
    return EncoderHandle(wgpuDeviceCreateCommandEncoder(device_.get(), &descriptor));
  }
  bool submit(EncoderHandle encoder) const noexcept {
    const CommandsHandle commands(wgpuCommandEncoderFinish(encoder.get(), nullptr));
    const WGPUCommandBuffer buffer = commands.get();
    if (buffer == nullptr || !queue_) return false;  // refused, or dropped meanwhile
    wgpuQueueSubmit(queue_.get(), 1, &buffer);
    return true;
  }

 private:
  HelperOptions options_;
  DeviceHandle device_;
  QueueHandle queue_;
  InstanceHandle instance_;
  ErrorWatch watch_;
};

}  // namespace passmeter::webgpu
