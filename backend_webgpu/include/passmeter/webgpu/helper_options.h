#pragma once

#include <cstdint>

#include "passmeter/webgpu/dialect.h"

namespace passmeter::webgpu {

/// What the helpers beside the timer can be told about the device. As in WebGpuOptions.
struct HelperOptions {
  /// The instance whose callbacks are pumped in begin_frame(). nullptr: found from the device where the
  /// implementation can tell; else callbacks come whenever the implementation likes.
  WGPUInstance instance = nullptr;
  /// Frames whose answers may be pending. 0: 4. At most 64.
  std::uint32_t frames_in_flight = 0;
  /// Asked once per begin_frame(): has the device been lost? nullptr: only notify_lost() and aborted maps
  /// tell.
  bool (*device_lost)(void* user) = nullptr;
  void* device_lost_user = nullptr;
};

}  // namespace passmeter::webgpu
