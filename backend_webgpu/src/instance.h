#pragma once

#include "handle.h"

namespace passmeter::webgpu {

/// The instance that this device's callbacks go through, or nothing where the implementation can't tell.
InstanceHandle instance_of(WGPUDevice device) noexcept;

}  // namespace passmeter::webgpu
