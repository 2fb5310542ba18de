// What the samples' WebGPU painters all need: buffers, textures, shader modules, pipelines that cover a
// target, and a picture read back. The few calls that differ between versions of webgpu.h are in here.
#pragma once

#include <webgpu/webgpu.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace scene {

WGPUStringView webgpu_text(const char* text);

/// The name is for error messages and captures.
WGPUShaderModule make_module(WGPUDevice device, const std::string& code, const char* name = "");

/// Zeros; the size is rounded up to whole words, as writes and copies want it.
WGPUBuffer make_buffer(WGPUDevice device, std::size_t bytes, WGPUBufferUsage usage);
/// The same with this content; writable later on as well.
WGPUBuffer make_filled_buffer(WGPUDevice device, WGPUQueue queue, const void* data, std::size_t bytes,
                              WGPUBufferUsage usage);

struct Image {
  WGPUTexture texture = nullptr;
  WGPUTextureView view = nullptr;
};

/// A square texture to draw into, and its view.
Image make_image(WGPUDevice device, WGPUTextureFormat format, WGPUTextureUsage usage, std::uint32_t size);
/// Harmless when there is none.
void release(Image& image);

/// Draws triangles without vertex buffers, depth or culling into one target.
WGPURenderPipeline make_plain_pipeline(WGPUDevice device, const std::string& code, const char* vertex_entry,
                                       const char* fragment_entry, WGPUTextureFormat format);

/// An attachment that is cleared first (to transparent black) and stored.
WGPURenderPassColorAttachment cleared_color(WGPUTextureView view);
/// A depth state without stencil.
WGPUDepthStencilState depth_state(WGPUTextureFormat format, WGPUCompareFunction compare, bool write);

#ifndef __EMSCRIPTEN__
/// The texture's pixels of 4 bytes, top row first. Waits, pumping the instance. Empty if it can't be read.
std::vector<std::uint8_t> read_image(WGPUDevice device, WGPUQueue queue, WGPUInstance instance,
                                     WGPUTexture texture, std::uint32_t size);
#endif

}  // namespace scene
