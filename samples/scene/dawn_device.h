// A WebGPU device made natively with Dawn, for samples and tests.
#pragma once

#include <webgpu/webgpu.h>

#include <memory>
#include <string>

namespace scene {

// Not thread safe. Errors and the loss of the device are kept here; with no window system and no surface.
class DawnDevice {
 public:
  struct Options {
    bool timestamp_query = true;              // ask for the feature where the adapter has it
    bool full_resolution_timestamps = false;  // without Dawn's rounding to 65,536 ns
  };

  // The adapter: Vulkan's if there is one, else any that offers itself. Waits until the device is there.
  explicit DawnDevice(const Options& options);
  ~DawnDevice();
  DawnDevice(const DawnDevice&) = delete;
  DawnDevice& operator=(const DawnDevice&) = delete;

  bool valid() const;              // false: device() and queue() are null, and why() says what failed
  const std::string& why() const;  // empty when valid

  WGPUInstance instance() const;
  WGPUAdapter adapter() const;
  WGPUDevice device() const;
  WGPUQueue queue() const;

  bool has_timestamp_query() const;
  const std::string& adapter_name() const;
  const std::string& driver() const;

  // Errors that no error scope caught, so far, and the first one's text.
  int error_count() const;
  const std::string& first_error() const;

  // Lost in any other way than by this object's destruction; learnt when the instance is pumped.
  bool lost() const;
  const std::string& lost_message() const;

  // wgpuInstanceProcessEvents once: callbacks are called from here.
  void pump() const;

  // Finishes the encoder, submits and releases it: a frame, which is then ahead of the GPU until its work is
  // done.
  void submit_frame(WGPUCommandEncoder encoder);
  // The same for a frame that was submitted elsewhere.
  void frame_submitted();
  // What a swapchain does for a windowed program: waits until at most so many frames are ahead. 0: until the
  // GPU is idle. Ends as well if the device is lost.
  void wait_until_ahead(int most_frames) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scene
