// Names of the standard webgpu.h for Emscripten's older one (-sUSE_WEBGPU=1), as far as the samples use them,
// so that the scene's renderer, written for the standard header, compiles with both. Put before its files by
// the compiler
// (-include). passmeter itself does not need it: see passmeter/webgpu/dialect.h.
#pragma once

#ifdef __cplusplus
#include <webgpu/webgpu.h>

#ifndef WGPU_STRLEN
#include <cstddef>

// The older header takes plain C strings; all that the samples give are.
struct WGPUStringView {
  const char* data;
  std::size_t length;
  operator const char*() const { return data; }
};

// As WGPUShaderModuleWGSLDescriptor lies in memory, with a string that can be given a length.
struct WGPUShaderSourceWGSL {
  struct Text {
    const char* data;
    Text() = default;
    Text(const char* given, std::size_t) : data(given) {}
  };
  WGPUChainedStruct chain;
  Text code;
};
static_assert(sizeof(WGPUShaderSourceWGSL) == sizeof(WGPUShaderModuleWGSLDescriptor));

using WGPUTexelCopyTextureInfo = WGPUImageCopyTexture;
using WGPUTexelCopyBufferInfo = WGPUImageCopyBuffer;
using WGPUPassTimestampWrites = WGPURenderPassTimestampWrites;
inline constexpr WGPUSType WGPUSType_ShaderSourceWGSL = WGPUSType_ShaderModuleWGSLDescriptor;
inline constexpr WGPUBool WGPUOptionalBool_True = 1;
inline constexpr WGPUBool WGPUOptionalBool_False = 0;

// A set of flags has a type of its own name there.
#define WGPUBufferUsage WGPUBufferUsageFlags
#define WGPUTextureUsage WGPUTextureUsageFlags

inline void wgpuDeviceAddRef(WGPUDevice device) { wgpuDeviceReference(device); }
inline void wgpuQueueAddRef(WGPUQueue queue) { wgpuQueueReference(queue); }
#endif
#endif
