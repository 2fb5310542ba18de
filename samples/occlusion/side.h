// The city's frames on one backend, with what only a program may do that can wait for the GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "city.h"
#include "city_frames.h"

namespace city {

class Side {
 public:
  virtual ~Side() = default;

  // "" when the side can draw, else one sentence, and nothing else may be called.
  virtual const std::string& why() const = 0;
  virtual Frames& frames() = 0;
  // Draws a frame into that picture. Keeps at most two frames ahead of the GPU, as a swapchain would.
  virtual void draw(int frame, bool culling, int picture, Drawn& drawn) = 0;
  virtual void wait_until_idle() = 0;
  // RGBA8, top row first; they wait. numbers(): see CityGl::read_numbers().
  virtual std::vector<std::uint8_t> picture(int which) = 0;
  virtual std::vector<std::uint8_t> numbers() = 0;
  virtual int errors() = 0;

  // Waits until the GPU is idle and results are collected; what follows is not timed from what was before.
  void drain() {
    wait_until_idle();
    for (const bool culling : {false, true}) {
      frames().timer(culling).poll();
      frames().timer(culling).skip_interval();
    }
  }
  void reset_statistics() {
    for (const bool culling : {false, true}) frames().timer(culling).reset_statistics();
  }
};

std::unique_ptr<Side> make_gl_side(const City& city, const FrameOptions& options);
std::unique_ptr<Side> make_webgpu_side(const City& city, const FrameOptions& options);

}  // namespace city
