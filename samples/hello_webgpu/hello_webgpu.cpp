// The shortest honest use of passmeter with WebGPU: a device without a window, two passes, one report.
#include <webgpu/webgpu.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "passmeter/webgpu/webgpu_timer.h"
#include "passmeter/writers.h"

// Waits for an adapter by pumping the instance: this happens once, before anything is drawn.
static WGPUAdapter request_adapter(WGPUInstance instance) {
  struct Answer {
    WGPUAdapter adapter = nullptr;
    bool here = false;
  } answer;
  WGPURequestAdapterCallbackInfo info = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowProcessEvents;
  info.userdata1 = &answer;
  info.callback = [](WGPURequestAdapterStatus, WGPUAdapter adapter, WGPUStringView, void* to, void*) {
    *static_cast<Answer*>(to) = {adapter, true};
  };
  wgpuInstanceRequestAdapter(instance, nullptr, info);
  while (!answer.here) wgpuInstanceProcessEvents(instance);
  return answer.adapter;
}

static void draw(WGPUCommandEncoder encoder, WGPUTextureView target, const WGPUPassTimestampWrites* writes) {
  WGPURenderPassColorAttachment color = WGPU_RENDER_PASS_COLOR_ATTACHMENT_INIT;
  color.view = target;
  color.loadOp = WGPULoadOp_Clear;
  color.storeOp = WGPUStoreOp_Store;
  WGPURenderPassDescriptor descriptor = WGPU_RENDER_PASS_DESCRIPTOR_INIT;
  descriptor.colorAttachmentCount = 1;
  descriptor.colorAttachments = &color;
  descriptor.timestampWrites = writes;  // null is fine: then the pass is not timed
  WGPURenderPassEncoder pass = wgpuCommandEncoderBeginRenderPass(encoder, &descriptor);
  wgpuRenderPassEncoderEnd(pass);
  wgpuRenderPassEncoderRelease(pass);
}

int main() {
  WGPUInstance instance = wgpuCreateInstance(nullptr);
  WGPUAdapter adapter = request_adapter(instance);
  if (adapter == nullptr) return std::puts("no WebGPU adapter here"), 1;
  std::vector<WGPUFeatureName> features;
  passmeter::webgpu::add_timestamp_feature(adapter, features);  // only if the adapter has it
  WGPUDeviceDescriptor wanted = WGPU_DEVICE_DESCRIPTOR_INIT;
  wanted.requiredFeatureCount = features.size();
  wanted.requiredFeatures = features.data();
  WGPUDevice device =
      wgpuAdapterCreateDevice(adapter, &wanted);  // Dawn's; elsewhere wgpuAdapterRequestDevice
  WGPUQueue queue = wgpuDeviceGetQueue(device);
  WGPUTextureDescriptor shape = WGPU_TEXTURE_DESCRIPTOR_INIT;
  shape.size = {1024, 1024, 1};
  shape.format = WGPUTextureFormat_RGBA8Unorm;
  shape.usage = WGPUTextureUsage_RenderAttachment;
  WGPUTexture texture = wgpuDeviceCreateTexture(device, &shape);
  WGPUTextureView target = wgpuTextureCreateView(texture, nullptr);

  passmeter::webgpu::WebGpuTimer timer({.passes = {"scene", "overlay"}}, device);
  for (int frame = 0; frame < 100; ++frame) {
    timer.begin_frame();
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(device, nullptr);
    for (const char* name : {"scene", "overlay"}) {
      auto scope = timer.scope(timer.pass(name));
      draw(encoder, target, timer.writes(scope));
    }
    timer.resolve(encoder);
    WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
    wgpuQueueSubmit(queue, 1, &commands);
    wgpuCommandBufferRelease(commands);
    wgpuCommandEncoderRelease(encoder);
    timer.end_frame();                                          // after the submit; never waits
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // in place of a window's vsync
  }
  std::puts(passmeter::to_text(timer.report()).c_str());
}  // a sample: the process's end releases the WebGPU objects
