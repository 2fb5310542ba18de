#include "webgpu_device.h"

#include <emscripten/html5.h>

#include <vector>

#include "passmeter/webgpu/available.h"
#include "passmeter/webgpu/webgpu_timer.h"

namespace web {

struct WebGpuDevice::State {
  WGPUInstance instance = nullptr;
  WGPUAdapter adapter = nullptr;
  WGPUDevice device = nullptr;
  WGPUQueue queue = nullptr;
  passmeter::Available::WebGpu available;
  bool want_timestamps = true;
  bool owned = true;  // the WebGpuDevice is still there
  bool lost = false;
  int errors = 0;
  int pending = 0;
  std::string why = "Waiting for a WebGPU adapter.";
  std::function<void()> answered, on_lost;
  std::vector<WGPUFeatureName> features;

  ~State() {
    if (queue != nullptr) wgpuQueueRelease(queue);
    if (device != nullptr) wgpuDeviceRelease(device);
    if (adapter != nullptr) wgpuAdapterRelease(adapter);
    if (instance != nullptr) wgpuInstanceRelease(instance);
  }

  void answer() {
    if (owned && answered) answered();
  }
  void refuse(std::string sentence) {
    why = std::move(sentence);
    answer();
  }
  void take(WGPUDevice given) {
    device = given;
    if (!owned) {  // another was asked for meanwhile
      wgpuDeviceDestroy(device);
      return;
    }
    queue = wgpuDeviceGetQueue(device);
    available = passmeter::webgpu::available(adapter, device);
    why.clear();
    answer();
  }
  void note_lost() {
    if (lost) return;
    lost = true;
    why = "The WebGPU device is lost.";
    if (owned && on_lost) on_lost();
  }
  void request_device(const std::shared_ptr<State>& self);
};

namespace {

using State = WebGpuDevice::State;
using Holder = std::shared_ptr<State>;

// Every callback owns one reference, so that a late one finds its state alive.
void* hold(const Holder& state) { return new Holder(state); }
Holder take(void* user) {
  std::unique_ptr<Holder> holder(static_cast<Holder*>(user));
  return std::move(*holder);
}

#if PASSMETER_OLD_EMSCRIPTEN_WEBGPU

void request_adapter(const Holder& state) {
  state->instance = wgpuCreateInstance(nullptr);
  wgpuInstanceRequestAdapter(
      state->instance, nullptr,
      [](WGPURequestAdapterStatus status, WGPUAdapter adapter, const char*, void* user) {
        const Holder held = take(user);
        if (status != WGPURequestAdapterStatus_Success || adapter == nullptr) {
          return held->refuse("This browser gives no WebGPU adapter.");
        }
        held->adapter = adapter;
        held->request_device(held);
      },
      hold(state));
}

void request_device(const Holder& state) {
  WGPUDeviceDescriptor descriptor = {};
  descriptor.requiredFeatureCount = state->features.size();
  descriptor.requiredFeatures = state->features.data();
  descriptor.deviceLostCallback = [](WGPUDeviceLostReason, const char*, void* user) {
    take(user)->note_lost();
  };
  descriptor.deviceLostUserdata = hold(state);
  wgpuAdapterRequestDevice(
      state->adapter, &descriptor,
      [](WGPURequestDeviceStatus status, WGPUDevice device, const char*, void* user) {
        const Holder held = take(user);
        if (status != WGPURequestDeviceStatus_Success)
          return held->refuse("The adapter refuses a WebGPU device.");
        wgpuDeviceSetUncapturedErrorCallback(
            device, [](WGPUErrorType, const char*, void* counter) { ++static_cast<State*>(counter)->errors; },
            held.get());
        held->take(device);
      },
      hold(state));
}

void count_when_done(const Holder& state) {
  wgpuQueueOnSubmittedWorkDone(
      state->queue, [](WGPUQueueWorkDoneStatus, void* user) { --take(user)->pending; }, hold(state));
}

using CanvasSelector = WGPUSurfaceDescriptorFromCanvasHTMLSelector;
constexpr WGPUSType canvas_selector_type = WGPUSType_SurfaceDescriptorFromCanvasHTMLSelector;
const char* text(const char* string) { return string; }

WGPUTextureFormat preferred_format(WGPUSurface surface, WGPUAdapter adapter) {
  return wgpuSurfaceGetPreferredFormat(surface, adapter);
}

#else

void request_adapter(const Holder& state) {
  state->instance = wgpuCreateInstance(nullptr);
  WGPURequestAdapterCallbackInfo info = {};
  info.mode = WGPUCallbackMode_AllowSpontaneous;
  info.userdata1 = hold(state);
  info.callback = [](WGPURequestAdapterStatus status, WGPUAdapter adapter, WGPUStringView, void* user,
                     void*) {
    const Holder held = take(user);
    if (status != WGPURequestAdapterStatus_Success)
      return held->refuse("This browser gives no WebGPU adapter.");
    held->adapter = adapter;
    held->request_device(held);
  };
  wgpuInstanceRequestAdapter(state->instance, nullptr, info);
}

void request_device(const Holder& state) {
  WGPUDeviceDescriptor descriptor = {};
  descriptor.requiredFeatureCount = state->features.size();
  descriptor.requiredFeatures = state->features.data();
  descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
  descriptor.deviceLostCallbackInfo.userdata1 = hold(state);
  descriptor.deviceLostCallbackInfo.callback = [](const WGPUDevice*, WGPUDeviceLostReason, WGPUStringView,
                                                  void* user, void*) { take(user)->note_lost(); };
  descriptor.uncapturedErrorCallbackInfo.userdata1 = state.get();
  descriptor.uncapturedErrorCallbackInfo.callback = [](const WGPUDevice*, WGPUErrorType, WGPUStringView,
                                                       void* user,
                                                       void*) { ++static_cast<State*>(user)->errors; };
  WGPURequestDeviceCallbackInfo info = {};
  info.mode = WGPUCallbackMode_AllowSpontaneous;
  info.userdata1 = hold(state);
  info.callback = [](WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView, void* user, void*) {
    const Holder held = take(user);
    if (status != WGPURequestDeviceStatus_Success)
      return held->refuse("The adapter refuses a WebGPU device.");
    held->take(device);
  };
  wgpuAdapterRequestDevice(state->adapter, &descriptor, info);
}

void count_when_done(const Holder& state) {
  WGPUQueueWorkDoneCallbackInfo info = {};
  info.mode = WGPUCallbackMode_AllowSpontaneous;
  info.userdata1 = hold(state);
  info.callback = [](WGPUQueueWorkDoneStatus, WGPUStringView, void* user, void*) { --take(user)->pending; };
  wgpuQueueOnSubmittedWorkDone(state->queue, info);
}

using CanvasSelector = WGPUEmscriptenSurfaceSourceCanvasHTMLSelector;
constexpr WGPUSType canvas_selector_type = WGPUSType_EmscriptenSurfaceSourceCanvasHTMLSelector;
WGPUStringView text(const char* string) { return {string, WGPU_STRLEN}; }

WGPUTextureFormat preferred_format(WGPUSurface surface, WGPUAdapter adapter) {
  WGPUSurfaceCapabilities capabilities = {};
  WGPUTextureFormat format = WGPUTextureFormat_BGRA8Unorm;
  if (wgpuSurfaceGetCapabilities(surface, adapter, &capabilities) == WGPUStatus_Success) {
    if (capabilities.formatCount > 0) format = capabilities.formats[0];
    wgpuSurfaceCapabilitiesFreeMembers(capabilities);
  }
  return format;
}

#endif

}  // namespace

void WebGpuDevice::State::request_device(const std::shared_ptr<State>& self) {
  why = "Waiting for a WebGPU device.";
  available = passmeter::webgpu::available(adapter, nullptr);
  if (want_timestamps) passmeter::webgpu::add_timestamp_feature(adapter, features);
  web::request_device(self);
}

WebGpuDevice::WebGpuDevice(bool want_timestamps, std::function<void()> answered, std::function<void()> lost)
    : state_(std::make_shared<State>()) {
  state_->want_timestamps = want_timestamps;
  state_->answered = std::move(answered);
  state_->on_lost = std::move(lost);
}

WebGpuDevice::~WebGpuDevice() {
  state_->owned = false;
  if (state_->device != nullptr) wgpuDeviceDestroy(state_->device);
}

void WebGpuDevice::request() { request_adapter(state_); }

WGPUDevice WebGpuDevice::device() const { return state_->device; }
WGPUAdapter WebGpuDevice::adapter() const { return state_->adapter; }
const std::string& WebGpuDevice::why() const { return state_->why; }
const passmeter::Available::WebGpu& WebGpuDevice::available() const { return state_->available; }
int WebGpuDevice::errors() const { return state_->errors; }

void WebGpuDevice::destroy() {
  if (state_->device != nullptr) wgpuDeviceDestroy(state_->device);
}

WebGpuDevice::Surface WebGpuDevice::surface(const char* canvas, int size) {
  CanvasSelector selector = {};
  selector.chain.sType = canvas_selector_type;
  selector.selector = text(canvas);
  WGPUSurfaceDescriptor descriptor = {};
  descriptor.nextInChain = &selector.chain;
  const WGPUSurface surface = wgpuInstanceCreateSurface(state_->instance, &descriptor);
  if (surface == nullptr) return {};
  const WGPUTextureFormat format = preferred_format(surface, state_->adapter);
  emscripten_set_canvas_element_size(canvas, size, size);
  WGPUSurfaceConfiguration configuration = {};
  configuration.device = state_->device;
  configuration.format = format;
  configuration.usage = WGPUTextureUsage_RenderAttachment;
  configuration.alphaMode = WGPUCompositeAlphaMode_Opaque;
  configuration.presentMode = WGPUPresentMode_Fifo;
  configuration.width = static_cast<std::uint32_t>(size);
  configuration.height = static_cast<std::uint32_t>(size);
  wgpuSurfaceConfigure(surface, &configuration);
  return {surface, format};
}

void WebGpuDevice::note_submit() {
  ++state_->pending;
  count_when_done(state_);
}

bool WebGpuDevice::idle() const { return state_->pending == 0 || state_->lost; }

}  // namespace web
