#include "webgpu_make.h"

#include <algorithm>
#include <cstring>

namespace scene {

WGPUStringView webgpu_text(const char* text) { return {text, std::strlen(text)}; }

WGPUShaderModule make_module(WGPUDevice device, const std::string& code, const char* name) {
  WGPUShaderSourceWGSL source{};
  source.chain.sType = WGPUSType_ShaderSourceWGSL;
  source.code = {code.data(), code.size()};
  WGPUShaderModuleDescriptor descriptor{};
  descriptor.nextInChain = &source.chain;
  descriptor.label = webgpu_text(name);
  return wgpuDeviceCreateShaderModule(device, &descriptor);
}

WGPUBuffer make_buffer(WGPUDevice device, std::size_t bytes, WGPUBufferUsage usage) {
  WGPUBufferDescriptor descriptor{};
  descriptor.size = (bytes + 3) / 4 * 4;
  descriptor.usage = usage;
  return wgpuDeviceCreateBuffer(device, &descriptor);
}

WGPUBuffer make_filled_buffer(WGPUDevice device, WGPUQueue queue, const void* data, std::size_t bytes,
                              WGPUBufferUsage usage) {
  const WGPUBuffer buffer = make_buffer(device, bytes, usage | WGPUBufferUsage_CopyDst);
  wgpuQueueWriteBuffer(queue, buffer, 0, data, bytes);
  return buffer;
}

Image make_image(WGPUDevice device, WGPUTextureFormat format, WGPUTextureUsage usage, std::uint32_t size) {
  WGPUTextureDescriptor descriptor{};
  descriptor.usage = WGPUTextureUsage_RenderAttachment | usage;
  descriptor.dimension = WGPUTextureDimension_2D;
  descriptor.size = {size, size, 1};
  descriptor.format = format;
  descriptor.mipLevelCount = 1;
  descriptor.sampleCount = 1;
  Image image;
  image.texture = wgpuDeviceCreateTexture(device, &descriptor);
  image.view = wgpuTextureCreateView(image.texture, nullptr);
  return image;
}

void release(Image& image) {
  if (image.view != nullptr) wgpuTextureViewRelease(image.view);
  if (image.texture != nullptr) wgpuTextureRelease(image.texture);
  image = {};
}

WGPURenderPipeline make_plain_pipeline(WGPUDevice device, const std::string& code, const char* vertex_entry,
                                       const char* fragment_entry, WGPUTextureFormat format) {
  const WGPUShaderModule module = make_module(device, code);
  WGPUColorTargetState color{};
  color.format = format;
  color.writeMask = WGPUColorWriteMask_All;
  WGPUFragmentState fragment{};
  fragment.module = module;
  fragment.entryPoint = webgpu_text(fragment_entry);
  fragment.targetCount = 1;
  fragment.targets = &color;
  WGPURenderPipelineDescriptor descriptor{};
  descriptor.vertex.module = module;
  descriptor.vertex.entryPoint = webgpu_text(vertex_entry);
  descriptor.primitive.topology = WGPUPrimitiveTopology_TriangleList;
  descriptor.primitive.frontFace = WGPUFrontFace_CCW;
  descriptor.primitive.cullMode = WGPUCullMode_None;
  descriptor.multisample.count = 1;
  descriptor.multisample.mask = ~0U;
  descriptor.fragment = &fragment;
  const WGPURenderPipeline pipeline = wgpuDeviceCreateRenderPipeline(device, &descriptor);
  wgpuShaderModuleRelease(module);
  return pipeline;
}

WGPURenderPassColorAttachment cleared_color(WGPUTextureView view) {
  WGPURenderPassColorAttachment color{};
  color.view = view;
  color.depthSlice = WGPU_DEPTH_SLICE_UNDEFINED;
  color.loadOp = WGPULoadOp_Clear;
  color.storeOp = WGPUStoreOp_Store;
  return color;
}

WGPUDepthStencilState depth_state(WGPUTextureFormat format, WGPUCompareFunction compare, bool write) {
  WGPUDepthStencilState state{};
  state.format = format;
  state.depthWriteEnabled = write ? WGPUOptionalBool_True : WGPUOptionalBool_False;
  state.depthCompare = compare;
  for (WGPUStencilFaceState* face : {&state.stencilFront, &state.stencilBack}) {
    face->compare = WGPUCompareFunction_Always;
    face->failOp = face->depthFailOp = face->passOp = WGPUStencilOperation_Keep;
  }
  return state;
}

#ifndef __EMSCRIPTEN__
namespace {

void copy_to_buffer(WGPUDevice device, WGPUQueue queue, WGPUTexture texture, WGPUBuffer buffer,
                    std::uint32_t row_bytes, std::uint32_t size) {
  const WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(device, nullptr);
  WGPUTexelCopyTextureInfo from{};
  from.texture = texture;
  from.aspect = WGPUTextureAspect_All;
  WGPUTexelCopyBufferInfo to{};
  to.buffer = buffer;
  to.layout.bytesPerRow = row_bytes;
  to.layout.rowsPerImage = size;
  const WGPUExtent3D extent = {size, size, 1};
  wgpuCommandEncoderCopyTextureToBuffer(encoder, &from, &to, &extent);
  const WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
  wgpuQueueSubmit(queue, 1, &commands);
  wgpuCommandBufferRelease(commands);
  wgpuCommandEncoderRelease(encoder);
}

bool wait_for_map(WGPUInstance instance, WGPUBuffer buffer, std::size_t bytes) {
  struct State {
    bool done = false;
    bool success = false;
  } state;
  WGPUBufferMapCallbackInfo callback{};
  callback.mode = WGPUCallbackMode_AllowProcessEvents;
  callback.userdata1 = &state;
  callback.callback = [](WGPUMapAsyncStatus status, WGPUStringView, void* user, void*) {
    *static_cast<State*>(user) = {true, status == WGPUMapAsyncStatus_Success};
  };
  wgpuBufferMapAsync(buffer, WGPUMapMode_Read, 0, bytes, callback);
  while (!state.done) wgpuInstanceProcessEvents(instance);
  return state.success;
}

}  // namespace

std::vector<std::uint8_t> read_image(WGPUDevice device, WGPUQueue queue, WGPUInstance instance,
                                     WGPUTexture texture, std::uint32_t size) {
  const std::uint32_t row = size * 4;
  const std::uint32_t padded_row = (row + 255) / 256 * 256;  // copies want rows of whole 256 bytes
  const std::size_t bytes = std::size_t{padded_row} * size;
  const WGPUBuffer buffer = make_buffer(device, bytes, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
  copy_to_buffer(device, queue, texture, buffer, padded_row, size);
  const bool mapped = wait_for_map(instance, buffer, bytes);
  const void* data = mapped ? wgpuBufferGetConstMappedRange(buffer, 0, bytes) : nullptr;
  std::vector<std::uint8_t> pixels;
  if (data != nullptr) {
    pixels.resize(std::size_t{row} * size);
    for (std::size_t y = 0; y < size; ++y) {
      std::copy_n(static_cast<const std::uint8_t*>(data) + y * padded_row, row, pixels.data() + y * row);
    }
  }
  wgpuBufferRelease(buffer);
  return pixels;
}
#endif

}  // namespace scene
