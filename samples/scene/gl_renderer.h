// The scene of scene_data.h, drawn with OpenGL 3.3 core, OpenGL ES 3.0 or WebGL2.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scene_data.h"
#include "shaders.h"

namespace scene {

// Called right around each pass's GL work (framebuffer binding and clears included). Either may be null.
struct GlPassHooks {
  void* user = nullptr;
  void (*begin)(void* user, int pass) = nullptr;
  void (*end)(void* user, int pass) = nullptr;
};

// The context must be current, on one thread, in every call including the destructor. Between its calls the
// renderer relies on no GL state but its own objects' contents; it leaves framebuffer, program, vertex array,
// textures and viewport changed.
class GlRenderer {
 public:
  using Proc = void (*)();
  using ProcLoader = Proc (*)(const char* name);
  struct Options {
    int size = default_size;  // width and height of the picture, clamped to 16..8192
    float load = 1.0F;        // see make_uniforms
    int counts_a_turn = default_counts_a_turn;
    bool is_gles = false;  // OpenGL ES or WebGL2
  };

  GlRenderer(ProcLoader loader, const Options& options);
  ~GlRenderer();
  GlRenderer(const GlRenderer&) = delete;
  GlRenderer& operator=(const GlRenderer&) = delete;

  bool valid() const;              // false: nothing is drawn, and why() says what failed
  const std::string& why() const;  // one sentence, or a compiler's log; empty when valid

  void draw(int frame, const GlPassHooks& hooks = {});
  // One pass of the frame that was drawn last, once more: for measuring it by itself.
  void draw_pass_again(Pass pass);
  // Ends the drawing into the last pass's target. A renderer that works tile by tile does the marks between
  // two runs into one target with each tile; call this before the begin mark of a pass that is drawn again by
  // itself.
  void leave_target();

  // The picture as RGBA8, top row first. Waits for the GPU.
  void read_pixels(std::vector<std::uint8_t>& rgba);

  // Copies the picture to another framebuffer (0: the window or canvas, not multisampled), stretched,
  // upright.
  void present(unsigned framebuffer, int width, int height);

  void set_load(float load);
  void resize(int size);
  int size() const;

  // glGetError until there is none: how many errors there were.
  int take_error_count();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scene
