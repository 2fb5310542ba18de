// The particles' frames on one backend, with what only a program may do that can wait for the GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "particle_frames.h"

namespace particles {

struct SideOptions {
  Options rule;
  int size = 512;
  bool gles = false;    // OpenGL ES instead of OpenGL
  bool by_age = false;  // without the geometry shader
};

class Side {
 public:
  virtual ~Side() = default;

  virtual const std::string& why() const = 0;  // "" when it works, else nothing else may be called
  virtual Frames& frames() = 0;
  // As Frames::draw(). Keeps at most two frames ahead of the GPU, as a swapchain would.
  virtual bool draw(std::uint32_t frame, Counted& counted) = 0;
  virtual void drain() = 0;
  virtual std::vector<std::uint8_t> picture() = 0;
  virtual int errors() = 0;
};

std::unique_ptr<Side> make_gl_side(const SideOptions& options);
std::unique_ptr<Side> make_webgpu_side(const SideOptions& options);

}  // namespace particles
