#include "dawn_device.h"

#include <array>

namespace scene {
namespace {

std::string to_string(WGPUStringView view) {
  if (view.data == nullptr) return {};
  return view.length == WGPU_STRLEN ? std::string(view.data) : std::string(view.data, view.length);
}

}  // namespace

struct DawnDevice::State {
  WGPUInstance instance = nullptr;
  WGPUAdapter adapter = nullptr;
  WGPUDevice device = nullptr;
  WGPUQueue queue = nullptr;
  bool timestamps = false;
  std::string why;
  std::string adapter_name;
  std::string driver;
  int error_count = 0;
  int frames_ahead = 0;  // submitted, not done
  std::string first_error;
  bool closing = false;
  bool lost = false;
  std::string lost_message;

  void request_adapter(WGPUBackendType backend);
  void request_device(const Options& options);
  void describe_adapter();
};

void DawnDevice::State::request_adapter(WGPUBackendType backend) {
  struct Answer {
    State& state;
    bool done;
  } answer{*this, false};
  WGPURequestAdapterOptions wanted{};
  wanted.featureLevel = WGPUFeatureLevel_Core;
  wanted.backendType = backend;
  WGPURequestAdapterCallbackInfo callback{};
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.userdata1 = &answer;
  callback.callback = [](WGPURequestAdapterStatus, WGPUAdapter given, WGPUStringView message, void* user,
                         void*) {
    auto& a = *static_cast<Answer*>(user);
    a.done = true;
    a.state.adapter = given;
    if (given == nullptr) a.state.why = "no WebGPU adapter: " + to_string(message);
  };
  wgpuInstanceRequestAdapter(instance, &wanted, callback);
  while (!answer.done) wgpuInstanceProcessEvents(instance);
}

void DawnDevice::State::describe_adapter() {
  WGPUAdapterInfo info{};
  if (wgpuAdapterGetInfo(adapter, &info) != WGPUStatus_Success) return;
  adapter_name = to_string(info.device);
  driver = to_string(info.description);
  wgpuAdapterInfoFreeMembers(info);
}

void DawnDevice::State::request_device(const Options& options) {
  WGPUDeviceDescriptor descriptor{};
  const WGPUFeatureName feature = WGPUFeatureName_TimestampQuery;
  timestamps = options.timestamp_query && wgpuAdapterHasFeature(adapter, feature) != 0U;
  descriptor.requiredFeatureCount = timestamps ? 1 : 0;
  descriptor.requiredFeatures = &feature;

  const std::array<const char*, 1> disabled = {"timestamp_quantization"};
  WGPUDawnTogglesDescriptor toggles{};
  toggles.chain.sType = WGPUSType_DawnTogglesDescriptor;
  toggles.disabledToggleCount = disabled.size();
  toggles.disabledToggles = disabled.data();
  if (options.full_resolution_timestamps) descriptor.nextInChain = &toggles.chain;

  descriptor.uncapturedErrorCallbackInfo.userdata1 = this;
  descriptor.uncapturedErrorCallbackInfo.callback = [](WGPUDevice const*, WGPUErrorType,
                                                       WGPUStringView message, void* user, void*) {
    auto& state = *static_cast<State*>(user);
    if (state.error_count++ == 0) state.first_error = to_string(message);
  };
  descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowProcessEvents;
  descriptor.deviceLostCallbackInfo.userdata1 = this;
  descriptor.deviceLostCallbackInfo.callback = [](WGPUDevice const*, WGPUDeviceLostReason,
                                                  WGPUStringView message, void* user, void*) {
    auto& state = *static_cast<State*>(user);
    if (state.closing) return;
    state.lost = true;
    state.lost_message = to_string(message);
  };

  struct Answer {
    State& state;
    bool done;
  } answer{*this, false};
  WGPURequestDeviceCallbackInfo callback{};
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.userdata1 = &answer;
  callback.callback = [](WGPURequestDeviceStatus, WGPUDevice given, WGPUStringView message, void* user,
                         void*) {
    auto& a = *static_cast<Answer*>(user);
    a.done = true;
    a.state.device = given;
    if (given == nullptr) a.state.why = "no WebGPU device: " + to_string(message);
  };
  wgpuAdapterRequestDevice(adapter, &descriptor, callback);
  while (!answer.done) wgpuInstanceProcessEvents(instance);
  if (device != nullptr) queue = wgpuDeviceGetQueue(device);
}

DawnDevice::DawnDevice(const Options& options) : state_(std::make_unique<State>()) {
  state_->instance = wgpuCreateInstance(nullptr);
  if (state_->instance == nullptr) {
    state_->why = "no WebGPU instance";
    return;
  }
  state_->request_adapter(WGPUBackendType_Vulkan);
  if (state_->adapter == nullptr) state_->request_adapter(WGPUBackendType_Undefined);
  if (state_->adapter == nullptr) return;
  state_->why.clear();
  state_->describe_adapter();
  state_->request_device(options);
}

DawnDevice::~DawnDevice() {
  // The loss that follows from the last release is reported to the state, which therefore outlives the
  // instance.
  state_->closing = true;
  if (state_->queue != nullptr) wgpuQueueRelease(state_->queue);
  if (state_->device != nullptr) wgpuDeviceRelease(state_->device);
  if (state_->adapter != nullptr) wgpuAdapterRelease(state_->adapter);
  if (state_->instance == nullptr) return;
  wgpuInstanceProcessEvents(state_->instance);
  wgpuInstanceRelease(state_->instance);
}

bool DawnDevice::valid() const { return state_->device != nullptr; }
const std::string& DawnDevice::why() const { return state_->why; }
WGPUInstance DawnDevice::instance() const { return state_->instance; }
WGPUAdapter DawnDevice::adapter() const { return state_->adapter; }
WGPUDevice DawnDevice::device() const { return state_->device; }
WGPUQueue DawnDevice::queue() const { return state_->queue; }
bool DawnDevice::has_timestamp_query() const { return state_->timestamps; }
const std::string& DawnDevice::adapter_name() const { return state_->adapter_name; }
const std::string& DawnDevice::driver() const { return state_->driver; }
int DawnDevice::error_count() const { return state_->error_count; }
const std::string& DawnDevice::first_error() const { return state_->first_error; }
bool DawnDevice::lost() const { return state_->lost; }
const std::string& DawnDevice::lost_message() const { return state_->lost_message; }
void DawnDevice::pump() const { wgpuInstanceProcessEvents(state_->instance); }

void DawnDevice::submit_frame(WGPUCommandEncoder encoder) {
  const WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuQueueSubmit(queue(), 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
  frame_submitted();
}

void DawnDevice::frame_submitted() {
  ++state_->frames_ahead;
  WGPUQueueWorkDoneCallbackInfo done = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
  done.mode = WGPUCallbackMode_AllowProcessEvents;
  done.callback = [](WGPUQueueWorkDoneStatus, WGPUStringView, void* state, void*) {
    --static_cast<State*>(state)->frames_ahead;
  };
  done.userdata1 = state_.get();
  wgpuQueueOnSubmittedWorkDone(queue(), done);
}

void DawnDevice::wait_until_ahead(int most_frames) const {
  while (state_->frames_ahead > most_frames && !lost()) pump();
}

}  // namespace scene
