// A WebGPU device from the browser: asked for, given or refused some time later, lost some day. The place in
// this sample that knows both of Emscripten's webgpu.h.
#pragma once

#include <webgpu/webgpu.h>

#include <functional>
#include <memory>
#include <string>

#include "passmeter/choose.h"

namespace web {

class WebGpuDevice {
 public:
  WebGpuDevice(bool want_timestamps, std::function<void()> answered, std::function<void()> lost);
  ~WebGpuDevice();
  WebGpuDevice(const WebGpuDevice&) = delete;
  WebGpuDevice& operator=(const WebGpuDevice&) = delete;

  /// Once: asks the browser for an adapter and a device, with timestamp-query if it is wanted and there.
  /// `answered` is called once, unless this object is gone by then: later, or at once without WebGPU.
  void request();

  WGPUDevice device() const;  // nullptr: not there, see why()
  WGPUAdapter adapter() const;
  const std::string& why() const;
  const passmeter::Available::WebGpu& available() const;
  int errors() const;  // uncaptured ones
  /// As if the driver had crashed.
  void destroy();

  struct Surface {
    WGPUSurface surface = nullptr;  // nullptr: refused
    WGPUTextureFormat format = WGPUTextureFormat_BGRA8Unorm;
  };
  /// The canvas of that CSS selector, showing size x size pixels drawn by this device, in the format that the
  /// browser prefers: others cost a copy or, in some, the process.
  Surface surface(const char* canvas, int size);
  /// Counts the work submitted by now; idle() says whether all that was counted is done.
  void note_submit();
  bool idle() const;

  struct State;

 private:
  std::shared_ptr<State> state_;  // callbacks hold it too: they may come after this object
};

}  // namespace web
