// The scene of scene_data.h, drawn with WebGPU (webgpu.h).
#pragma once

#include <webgpu/webgpu.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "scene_data.h"
#include "shaders.h"

namespace scene {

// Called around each pass. `writes` is asked right before the pass begins for where its timestamps go: null
// is nowhere; what it answers must live until the call after it. `end` is called right after the pass has
// ended.
struct WebGpuPassHooks {
  void* user = nullptr;
  const WGPUPassTimestampWrites* (*writes)(void* user, int pass) = nullptr;
  void (*end)(void* user, int pass) = nullptr;
};

// Not thread safe. Holds references to device and queue until destroyed. Errors go to the device's callbacks.
class WebGpuRenderer {
 public:
  struct Options {
    int size = default_size;  // width and height of the picture, clamped to 16..8192
    float load = 1.0F;        // see make_uniforms
    int counts_a_turn = default_counts_a_turn;
    WGPUTextureFormat picture_format = WGPUTextureFormat_RGBA8Unorm;  // not sRGB
  };

  WebGpuRenderer(WGPUDevice device, WGPUQueue queue, const Options& options);
  ~WebGpuRenderer();
  WebGpuRenderer(const WebGpuRenderer&) = delete;
  WebGpuRenderer& operator=(const WebGpuRenderer&) = delete;

  // Encodes one frame, one render pass per named pass; the caller finishes and submits the encoder. The
  // frame's data is put on the queue here, so submit before the next encode().
  void encode(WGPUCommandEncoder encoder, int frame, const WebGpuPassHooks& hooks = {});

  // One pass of the frame that was encoded last, once more: for measuring it by itself.
  void encode_pass_again(WGPUCommandEncoder encoder, Pass pass, const WGPUPassTimestampWrites* writes);

  // Where the last pass draws from now on: a view of size() x size() and picture_format, such as a surface's,
  // which must live until the encode() that uses it returns. Null: the renderer's own picture.
  void set_target(WGPUTextureView view);

  // The renderer's own picture, four bytes a pixel, top row first. Waits for the GPU, pumping the instance;
  // false when it cannot be read (a lost device, a picture that is still never drawn is not an error). Not
  // for browsers.
  bool read_pixels(WGPUInstance instance, std::vector<std::uint8_t>& rgba);

  void set_load(float load);
  void resize(int size);
  int size() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scene
