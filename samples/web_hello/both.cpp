// The starter on both APIs at once, WebGL2 and WebGPU, each clearing a canvas. Its download with and without
// passmeter (WEB_HELLO_PLAIN) is what tools/web-size.sh compares; written for Emscripten's older webgpu.h
// (-sUSE_WEBGPU=1).
#include <GLES3/gl3.h>
#include <emscripten/html5.h>
#include <webgpu/webgpu.h>

#include <cstdio>

#ifndef WEB_HELLO_PLAIN
#include "passmeter/gl/gl_timer.h"
#include "passmeter/gl/web.h"
#include "passmeter/webgpu/webgpu_timer.h"

static passmeter::gl::GlTimer* gl_timer;
static passmeter::webgpu::WebGpuTimer* gpu_timer;

static void print(passmeter::GpuTimer& timer) {
  std::printf("%.3f ms, by %s\n", timer.ema_ns(timer.pass("clear")) * 1e-6, to_string(timer.source()));
}
#endif

static WGPUInstance instance;
static WGPUAdapter adapter;
static WGPUDevice device;
static WGPUQueue queue;
static WGPUSurface surface;
static int frames;

static void clear_with_gl() {
  glClearColor(0.1F, 0.3F, 0.5F, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

static void clear_with_webgpu(const WGPURenderPassTimestampWrites* writes) {
  WGPUSurfaceTexture canvas = {};
  wgpuSurfaceGetCurrentTexture(surface, &canvas);
  WGPURenderPassColorAttachment color = {};
  color.view = wgpuTextureCreateView(canvas.texture, nullptr);
  color.depthSlice = WGPU_DEPTH_SLICE_UNDEFINED;
  color.loadOp = WGPULoadOp_Clear;
  color.storeOp = WGPUStoreOp_Store;
  color.clearValue = {0.1, 0.3, 0.5, 1};
  WGPURenderPassDescriptor descriptor = {};
  descriptor.colorAttachmentCount = 1;
  descriptor.colorAttachments = &color;
  descriptor.timestampWrites = writes;
  const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(device, nullptr);
  const WGPURenderPassEncoder pass = wgpuCommandEncoderBeginRenderPass(encoder, &descriptor);
  wgpuRenderPassEncoderEnd(pass);
  const WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuQueueSubmit(queue, 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuRenderPassEncoderRelease(pass);
  wgpuCommandEncoderRelease(encoder);
  wgpuTextureViewRelease(color.view);
  wgpuTextureRelease(canvas.texture);
}

static EM_BOOL frame(double time_ms, void*) {
  ++frames;
#ifdef WEB_HELLO_PLAIN
  clear_with_gl();
  clear_with_webgpu(nullptr);
#else
  gl_timer->begin_frame();
  {
    const auto scope = gl_timer->scope(gl_timer->pass("clear"));
    clear_with_gl();
  }
  gl_timer->end_frame();
  gpu_timer->begin_frame();
  {
    const auto scope = gpu_timer->scope(gpu_timer->pass("clear"));
    clear_with_webgpu(gpu_timer->writes(scope));
  }
  gpu_timer->end_frame();
#endif
  if (frames % 120 == 0) {
    std::printf("%.1f s\n", time_ms / 1000);
#ifndef WEB_HELLO_PLAIN
    print(*gl_timer);
    print(*gpu_timer);
#endif
  }
  return EM_TRUE;
}

static void start() {
  EmscriptenWebGLContextAttributes attributes;
  emscripten_webgl_init_context_attributes(&attributes);
  attributes.majorVersion = 2;
  emscripten_webgl_make_context_current(emscripten_webgl_create_context("#gl-canvas", &attributes));
  queue = wgpuDeviceGetQueue(device);
  WGPUSurfaceDescriptorFromCanvasHTMLSelector canvas = {};
  canvas.chain.sType = WGPUSType_SurfaceDescriptorFromCanvasHTMLSelector;
  canvas.selector = "#webgpu-canvas";
  WGPUSurfaceDescriptor descriptor = {};
  descriptor.nextInChain = &canvas.chain;
  surface = wgpuInstanceCreateSurface(instance, &descriptor);
  WGPUSurfaceConfiguration configuration = {};
  configuration.device = device;
  configuration.format = wgpuSurfaceGetPreferredFormat(surface, adapter);
  configuration.usage = WGPUTextureUsage_RenderAttachment;
  configuration.alphaMode = WGPUCompositeAlphaMode_Opaque;
  configuration.presentMode = WGPUPresentMode_Fifo;
  wgpuSurfaceConfigure(surface, &configuration);
#ifndef WEB_HELLO_PLAIN
  gl_timer = new passmeter::gl::GlTimer({.passes = {"clear"}}, passmeter::gl::web_functions);
  gpu_timer = new passmeter::webgpu::WebGpuTimer({.passes = {"clear"}}, device, {.adapter = adapter});
#endif
  emscripten_request_animation_frame_loop(frame, nullptr);
}

static void request_device() {
  const WGPUFeatureName feature = WGPUFeatureName_TimestampQuery;
  WGPUDeviceDescriptor descriptor = {};
  descriptor.requiredFeatureCount = wgpuAdapterHasFeature(adapter, feature) ? 1 : 0;
  descriptor.requiredFeatures = &feature;
  wgpuAdapterRequestDevice(
      adapter, &descriptor,
      [](WGPURequestDeviceStatus, WGPUDevice given, const char*, void*) {
        device = given;
        if (device != nullptr) start();
      },
      nullptr);
}

int main() {
  instance = wgpuCreateInstance(nullptr);
  wgpuInstanceRequestAdapter(
      instance, nullptr,
      [](WGPURequestAdapterStatus, WGPUAdapter given, const char*, void*) {
        adapter = given;
        if (adapter != nullptr) request_device();
      },
      nullptr);
}
