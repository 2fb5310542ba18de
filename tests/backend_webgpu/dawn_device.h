// A headless WebGPU device for tests: Dawn on whatever Vulkan driver there is (lavapipe on machines without a
// GPU).
#pragma once

#include <webgpu/webgpu.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace passmeter::testing {

struct DawnSetup {
  bool timestamps = true;
  bool quantized = false;            // Dawn's default is to round timestamps to 65,536 ns
  bool synchronized_device = false;  // the device may be used from several threads
};

// Instance, adapter and device. ok() is false, and why() says why, where there is no adapter.
class DawnDevice {
 public:
  explicit DawnDevice(const DawnSetup& setup = {});
  ~DawnDevice();
  DawnDevice(const DawnDevice&) = delete;
  DawnDevice& operator=(const DawnDevice&) = delete;

  bool ok() const { return device_ != nullptr; }
  const std::string& why() const { return why_; }
  WGPUInstance instance() const { return instance_; }
  WGPUAdapter adapter() const { return adapter_; }
  WGPUDevice device() const { return device_; }
  WGPUQueue queue() const { return queue_; }

  // Validation and other errors since the device was made, each with its message.
  std::vector<std::string> errors() const;
  bool lost() const { return lost_.load(); }
  void destroy() { wgpuDeviceDestroy(device_); }
  // Pumps events until everything submitted is done. For the end of tests, never inside a timer's frame.
  void finish();

  // Encodes a pass into `encoder`. A render pass clears a small texture `clears` times worth of area; a
  // compute pass runs a loop of `rounds` multiply-adds in each of 4096 invocations, or dispatches nothing for
  // 0.
  void render_pass(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes);
  void compute_pass(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes, std::uint32_t rounds);
  WGPUCommandEncoder encoder();
  // Finishes, submits and releases it.
  void submit(WGPUCommandEncoder encoder);

 private:
  void make_pipeline();

  WGPUInstance instance_ = nullptr;
  WGPUAdapter adapter_ = nullptr;
  WGPUDevice device_ = nullptr;
  WGPUQueue queue_ = nullptr;
  WGPUTexture texture_ = nullptr;
  WGPUTextureView view_ = nullptr;
  WGPUComputePipeline pipeline_ = nullptr;
  WGPUBuffer storage_ = nullptr;
  WGPUBindGroup bindings_ = nullptr;
  std::string why_;
  mutable std::mutex mutex_;
  std::vector<std::string> errors_;
  std::atomic<bool> lost_{false};
};

}  // namespace passmeter::testing
