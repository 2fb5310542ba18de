#include "dawn_device.h"

#include "passmeter/webgpu/webgpu_timer.h"

namespace passmeter::testing {
namespace {

std::string text(WGPUStringView view) {
  if (view.data == nullptr) return {};
  return view.length == WGPU_STRLEN ? std::string(view.data) : std::string(view.data, view.length);
}

WGPUStringView literal(const char* words) { return {words, WGPU_STRLEN}; }

// The loop's result goes to memory, so no compiler can leave it out.
constexpr const char* shader = R"(
@group(0) @binding(0) var<storage, read_write> data : array<u32>;
@compute @workgroup_size(64) fn work(@builtin(global_invocation_id) id : vec3u) {
  let index = id.x % 4096u;
  var value = data[index] + id.x / 4096u;
  for (var i = 0u; i < 1000u; i++) { value = value * 1664525u + 1013904223u; }
  data[index] = value;
}
)";

constexpr std::uint32_t invocations = 4096;

}  // namespace

DawnDevice::DawnDevice(const DawnSetup& setup) {
  instance_ = wgpuCreateInstance(nullptr);
  if (instance_ == nullptr) {
    why_ = "no WebGPU instance";
    return;
  }
  WGPURequestAdapterOptions options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
  options.backendType = WGPUBackendType_Vulkan;
  WGPURequestAdapterCallbackInfo on_adapter = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
  on_adapter.mode = WGPUCallbackMode_AllowProcessEvents;
  on_adapter.userdata1 = this;
  on_adapter.callback = [](WGPURequestAdapterStatus, WGPUAdapter adapter, WGPUStringView message, void* self,
                           void*) {
    static_cast<DawnDevice*>(self)->adapter_ = adapter;
    if (adapter == nullptr) static_cast<DawnDevice*>(self)->why_ = "no WebGPU adapter: " + text(message);
  };
  wgpuInstanceRequestAdapter(instance_, &options, on_adapter);
  for (int i = 0; i < 100000 && adapter_ == nullptr && why_.empty(); ++i)
    wgpuInstanceProcessEvents(instance_);
  if (adapter_ == nullptr) return;

  std::vector<WGPUFeatureName> features;
  if (setup.timestamps && !webgpu::add_timestamp_feature(adapter_, features)) {
    why_ = "the adapter has no timestamp-query";
    return;
  }
  if (setup.synchronized_device) features.push_back(WGPUFeatureName_ImplicitDeviceSynchronization);

  const char* off = "timestamp_quantization";
  WGPUDawnTogglesDescriptor toggles = WGPU_DAWN_TOGGLES_DESCRIPTOR_INIT;
  toggles.disabledToggleCount = setup.quantized ? 0 : 1;
  toggles.disabledToggles = &off;
  WGPUDeviceDescriptor descriptor = WGPU_DEVICE_DESCRIPTOR_INIT;
  descriptor.nextInChain = &toggles.chain;
  descriptor.requiredFeatureCount = features.size();
  descriptor.requiredFeatures = features.data();
  descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
  descriptor.deviceLostCallbackInfo.userdata1 = this;
  descriptor.deviceLostCallbackInfo.callback = [](WGPUDevice const*, WGPUDeviceLostReason, WGPUStringView,
                                                  void* self,
                                                  void*) { static_cast<DawnDevice*>(self)->lost_ = true; };
  descriptor.uncapturedErrorCallbackInfo.userdata1 = this;
  descriptor.uncapturedErrorCallbackInfo.callback = [](WGPUDevice const*, WGPUErrorType,
                                                       WGPUStringView message, void* user, void*) {
    auto* self = static_cast<DawnDevice*>(user);
    const std::lock_guard lock(self->mutex_);
    self->errors_.push_back(text(message));
  };
  device_ = wgpuAdapterCreateDevice(adapter_, &descriptor);
  if (device_ == nullptr) {
    why_ = "no WebGPU device";
    return;
  }
  queue_ = wgpuDeviceGetQueue(device_);
  make_pipeline();
}

void DawnDevice::make_pipeline() {
  WGPUTextureDescriptor texture = WGPU_TEXTURE_DESCRIPTOR_INIT;
  texture.size = {256, 256, 1};
  texture.format = WGPUTextureFormat_RGBA8Unorm;
  texture.usage = WGPUTextureUsage_RenderAttachment;
  texture_ = wgpuDeviceCreateTexture(device_, &texture);
  view_ = wgpuTextureCreateView(texture_, nullptr);

  WGPUShaderSourceWGSL wgsl = WGPU_SHADER_SOURCE_WGSL_INIT;
  wgsl.code = literal(shader);
  WGPUShaderModuleDescriptor module_descriptor = WGPU_SHADER_MODULE_DESCRIPTOR_INIT;
  module_descriptor.nextInChain = &wgsl.chain;
  WGPUShaderModule module = wgpuDeviceCreateShaderModule(device_, &module_descriptor);
  WGPUComputePipelineDescriptor pipeline = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
  pipeline.compute.module = module;
  pipeline.compute.entryPoint = literal("work");
  pipeline_ = wgpuDeviceCreateComputePipeline(device_, &pipeline);
  wgpuShaderModuleRelease(module);

  WGPUBufferDescriptor buffer = WGPU_BUFFER_DESCRIPTOR_INIT;
  buffer.usage = WGPUBufferUsage_Storage;
  buffer.size = invocations * 4;
  storage_ = wgpuDeviceCreateBuffer(device_, &buffer);
  WGPUBindGroupEntry entry = WGPU_BIND_GROUP_ENTRY_INIT;
  entry.buffer = storage_;
  WGPUBindGroupLayout layout = wgpuComputePipelineGetBindGroupLayout(pipeline_, 0);
  WGPUBindGroupDescriptor group = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
  group.layout = layout;
  group.entryCount = 1;
  group.entries = &entry;
  bindings_ = wgpuDeviceCreateBindGroup(device_, &group);
  wgpuBindGroupLayoutRelease(layout);
}

DawnDevice::~DawnDevice() {
  if (bindings_ != nullptr) wgpuBindGroupRelease(bindings_);
  if (storage_ != nullptr) wgpuBufferRelease(storage_);
  if (pipeline_ != nullptr) wgpuComputePipelineRelease(pipeline_);
  if (view_ != nullptr) wgpuTextureViewRelease(view_);
  if (texture_ != nullptr) wgpuTextureRelease(texture_);
  if (queue_ != nullptr) wgpuQueueRelease(queue_);
  if (device_ != nullptr) wgpuDeviceRelease(device_);
  if (adapter_ != nullptr) wgpuAdapterRelease(adapter_);
  if (instance_ != nullptr) wgpuInstanceRelease(instance_);
}

std::vector<std::string> DawnDevice::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

void DawnDevice::finish() {
  bool done = false;
  WGPUQueueWorkDoneCallbackInfo info = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowProcessEvents;
  info.userdata1 = &done;
  info.callback = [](WGPUQueueWorkDoneStatus, WGPUStringView, void* flag, void*) {
    *static_cast<bool*>(flag) = true;
  };
  wgpuQueueOnSubmittedWorkDone(queue_, info);
  while (!done) wgpuInstanceProcessEvents(instance_);
}

void DawnDevice::render_pass(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes) {
  WGPURenderPassColorAttachment color = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
  color.view = view_;
  color.loadOp = WGPULoadOp_Clear;
  color.storeOp = WGPUStoreOp_Store;
  WGPURenderPassDescriptor descriptor = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
  descriptor.colorAttachmentCount = 1;
  descriptor.colorAttachments = &color;
  descriptor.timestampWrites = writes;
  WGPURenderPassEncoder pass = wgpuCommandEncoderBeginRenderPass(encoder, &descriptor);
  wgpuRenderPassEncoderEnd(pass);
  wgpuRenderPassEncoderRelease(pass);
}

void DawnDevice::compute_pass(WGPUCommandEncoder encoder, const WGPUPassTimestampWrites* writes,
                              std::uint32_t rounds) {
  WGPUComputePassDescriptor descriptor = WGPU_COMPUTE_PASS_DESCRIPTOR_INIT;
  descriptor.timestampWrites = writes;
  WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, &descriptor);
  if (rounds > 0) {
    wgpuComputePassEncoderSetPipeline(pass, pipeline_);
    wgpuComputePassEncoderSetBindGroup(pass, 0, bindings_, 0, nullptr);
    wgpuComputePassEncoderDispatchWorkgroups(pass, rounds, 1, 1);
  }
  wgpuComputePassEncoderEnd(pass);
  wgpuComputePassEncoderRelease(pass);
}

WGPUCommandEncoder DawnDevice::encoder() { return wgpuDeviceCreateCommandEncoder(device_, nullptr); }

void DawnDevice::submit(WGPUCommandEncoder encoder) {
  WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuQueueSubmit(queue_, 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
}

}  // namespace passmeter::testing
