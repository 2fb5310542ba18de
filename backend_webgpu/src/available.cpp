#include "passmeter/webgpu/available.h"

namespace passmeter::webgpu {

Available::WebGpu available(WGPUAdapter adapter, WGPUDevice device) {
  return {.adapter = adapter != nullptr,
          .adapter_timestamps =
              adapter != nullptr && wgpuAdapterHasFeature(adapter, WGPUFeatureName_TimestampQuery) != 0,
          .device = device != nullptr,
          .device_timestamps =
              device != nullptr && wgpuDeviceHasFeature(device, WGPUFeatureName_TimestampQuery) != 0};
}

}  // namespace passmeter::webgpu
