#pragma once

#include <webgpu/webgpu.h>

#include "passmeter/choose.h"

namespace passmeter::webgpu {

/// What an adapter and a device offer, for choose(). Either may be nullptr: not there (yet). Does not block.
Available::WebGpu available(WGPUAdapter adapter, WGPUDevice device);

}  // namespace passmeter::webgpu
