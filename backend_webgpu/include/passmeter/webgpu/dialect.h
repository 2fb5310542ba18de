#pragma once

// The one place that knows there are two webgpu.h headers: the standard one (Dawn, wgpu-native, emdawnwebgpu)
// and the older one that Emscripten 3 brings for -sUSE_WEBGPU (plain C strings, callback + userdata, two
// types of timestamp writes). All else in passmeter is written against what this header offers.
//
// The two type names at the top are for users; namespace dialect is for the backend's own files.

#include <webgpu/webgpu.h>

#include <cstddef>
#include <cstdint>
#include <string>

// The standard header defines WGPU_STRLEN for its string views; the older one has no string views.
#if defined(__EMSCRIPTEN__) && !defined(WGPU_STRLEN)
#define PASSMETER_OLD_EMSCRIPTEN_WEBGPU 1
#else
#define PASSMETER_OLD_EMSCRIPTEN_WEBGPU 0
#endif

namespace passmeter::webgpu {

#if PASSMETER_OLD_EMSCRIPTEN_WEBGPU
/// What WGPURenderPassDescriptor::timestampWrites points at.
using PassTimestampWrites = WGPURenderPassTimestampWrites;
/// What WGPUComputePassDescriptor::timestampWrites points at.
using ComputePassTimestampWrites = WGPUComputePassTimestampWrites;
#else
/// What timestampWrites of a render pass and of a compute pass point at.
using PassTimestampWrites = WGPUPassTimestampWrites;
/// The same type; two names because it is two types in Emscripten's older header.
using ComputePassTimestampWrites = WGPUPassTimestampWrites;
#endif

namespace dialect {

/// Whether a function may wait for the GPU by pumping events: in a browser they come only when it has
/// returned.
#ifdef __EMSCRIPTEN__
inline constexpr bool can_wait = false;
#else
inline constexpr bool can_wait = true;
#endif

/// What became of an asynchronous request.
enum class Outcome : std::uint8_t {
  success,
  failed,   ///< Refused (a validation error, out of memory).
  aborted,  ///< Cancelled from outside: buffer unmapped or destroyed, device lost, instance gone.
};

/// Called once, on whatever thread delivers callbacks.
using Done = void (*)(void* user, Outcome outcome);

#if PASSMETER_OLD_EMSCRIPTEN_WEBGPU

using TexelCopyTexture = WGPUImageCopyTexture;
using TexelCopyBuffer = WGPUImageCopyBuffer;

inline void add_ref(WGPUDevice device) noexcept { wgpuDeviceReference(device); }
inline void add_ref(WGPUInstance instance) noexcept { wgpuInstanceReference(instance); }
// This implementation has no event queue of its own: callbacks come when the page's event loop runs.
inline void process_events(WGPUInstance) noexcept {}

inline const char* label(const char* text) noexcept { return text; }

template <Done done>
void map_read(WGPUBuffer buffer, std::size_t bytes, bool, void* user) noexcept {
  wgpuBufferMapAsync(
      buffer, WGPUMapMode_Read, 0, bytes,
      [](WGPUBufferMapAsyncStatus status, void* data) {
        switch (status) {
          case WGPUBufferMapAsyncStatus_Success:
            return done(data, Outcome::success);
          case WGPUBufferMapAsyncStatus_DeviceLost:
          case WGPUBufferMapAsyncStatus_DestroyedBeforeCallback:
          case WGPUBufferMapAsyncStatus_UnmappedBeforeCallback:
            return done(data, Outcome::aborted);
          default:
            return done(data, Outcome::failed);
        }
      },
      user);
}

template <Done done>
void on_work_done(WGPUQueue queue, bool, void* user) noexcept {
  wgpuQueueOnSubmittedWorkDone(
      queue,
      [](WGPUQueueWorkDoneStatus status, void* data) {
        done(data, status == WGPUQueueWorkDoneStatus_Success ? Outcome::success : Outcome::failed);
      },
      user);
}

template <Done done>
void pop_error_scope(WGPUDevice device, bool, void* user) noexcept {
  wgpuDevicePopErrorScope(
      device,
      [](WGPUErrorType type, const char*, void* data) {
        done(data, type == WGPUErrorType_NoError ? Outcome::success : Outcome::failed);
      },
      user);
}

/// Names of the adapter and its driver; false where this header has no way to ask.
inline bool adapter_names(WGPUDevice, WGPUAdapter adapter, std::string& name, std::string& driver) {
  if (adapter == nullptr) return false;
  WGPUAdapterInfo info = {};
  wgpuAdapterGetInfo(adapter, &info);
  const auto text = [](const char* given) { return std::string(given != nullptr ? given : ""); };
  name = text(info.device);
  if (name.empty()) name = text(info.vendor) + " " + text(info.architecture);
  driver = text(info.description);
  wgpuAdapterInfoFreeMembers(info);
  return true;
}

#else

using TexelCopyTexture = WGPUTexelCopyTextureInfo;
using TexelCopyBuffer = WGPUTexelCopyBufferInfo;

inline void add_ref(WGPUDevice device) noexcept { wgpuDeviceAddRef(device); }
inline void add_ref(WGPUInstance instance) noexcept { wgpuInstanceAddRef(instance); }
inline void process_events(WGPUInstance instance) noexcept { wgpuInstanceProcessEvents(instance); }

inline WGPUStringView label(const char* text) noexcept { return {text, WGPU_STRLEN}; }

/// Callbacks come from wgpuInstanceProcessEvents when somebody is known to call it.
inline WGPUCallbackMode callback_mode(bool pumped) noexcept {
  return pumped ? WGPUCallbackMode_AllowProcessEvents : WGPUCallbackMode_AllowSpontaneous;
}

template <Done done>
void map_read(WGPUBuffer buffer, std::size_t bytes, bool pumped, void* user) noexcept {
  WGPUBufferMapCallbackInfo info = {};
  info.mode = callback_mode(pumped);
  info.userdata1 = user;
  info.callback = [](WGPUMapAsyncStatus status, WGPUStringView, void* data, void*) {
    switch (status) {
      case WGPUMapAsyncStatus_Success:
        return done(data, Outcome::success);
      case WGPUMapAsyncStatus_Aborted:
      case WGPUMapAsyncStatus_CallbackCancelled:
        return done(data, Outcome::aborted);
      default:
        return done(data, Outcome::failed);
    }
  };
  wgpuBufferMapAsync(buffer, WGPUMapMode_Read, 0, bytes, info);
}

template <Done done>
void on_work_done(WGPUQueue queue, bool pumped, void* user) noexcept {
  WGPUQueueWorkDoneCallbackInfo info = {};
  info.mode = callback_mode(pumped);
  info.userdata1 = user;
  info.callback = [](WGPUQueueWorkDoneStatus status, WGPUStringView, void* data, void*) {
    done(data, status == WGPUQueueWorkDoneStatus_Success ? Outcome::success : Outcome::failed);
  };
  wgpuQueueOnSubmittedWorkDone(queue, info);
}

template <Done done>
void pop_error_scope(WGPUDevice device, bool pumped, void* user) noexcept {
  WGPUPopErrorScopeCallbackInfo info = {};
  info.mode = callback_mode(pumped);
  info.userdata1 = user;
  info.callback = [](WGPUPopErrorScopeStatus status, WGPUErrorType type, WGPUStringView, void* data, void*) {
    const bool error = status == WGPUPopErrorScopeStatus_Success && type != WGPUErrorType_NoError;
    done(data, error ? Outcome::failed : Outcome::success);
  };
  wgpuDevicePopErrorScope(device, info);
}

/// Names of the adapter and its driver; false where there is no way to ask.
inline bool adapter_names(WGPUDevice device, WGPUAdapter, std::string& name, std::string& driver) {
  WGPUAdapterInfo info = {};
  if (wgpuDeviceGetAdapterInfo(device, &info) != WGPUStatus_Success) return false;
  const auto text = [](WGPUStringView view) {
    if (view.data == nullptr) return std::string();
    return view.length == WGPU_STRLEN ? std::string(view.data) : std::string(view.data, view.length);
  };
  name = text(info.device);
  if (name.empty()) name = text(info.vendor) + " " + text(info.architecture);
  driver = text(info.description);
  wgpuAdapterInfoFreeMembers(info);
  return true;
}

#endif

}  // namespace dialect
}  // namespace passmeter::webgpu
