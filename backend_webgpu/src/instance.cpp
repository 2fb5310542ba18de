#include "instance.h"

namespace passmeter::webgpu {

// wgpuDeviceGetAdapter and wgpuAdapterGetInstance are not in the standard header; the build looks for them.
InstanceHandle instance_of(WGPUDevice device) noexcept {
#ifdef PASSMETER_WEBGPU_DEVICE_KNOWS_INSTANCE
  const AdapterHandle adapter(wgpuDeviceGetAdapter(device));
  if (adapter) return InstanceHandle(wgpuAdapterGetInstance(adapter.get()));
#else
  (void)device;
#endif
  return {};
}

}  // namespace passmeter::webgpu
