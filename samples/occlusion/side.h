// One backend that draws the city, with and without occlusion culling, and times both.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "city.h"
#include "passmeter/report.h"
#include "passmeter/visibility.h"

namespace city {

struct SideOptions {
  int size = 256;
  int pictures = 1;
  std::uint32_t max_queries = 0;  // 0: the helper's default
};

// What became of a frame. A frame without culling draws all that is in view.
struct Drawn {
  std::uint32_t in_view = 0;
  std::vector<std::uint8_t> objects;  // by id: was it drawn
  std::uint32_t count = 0;
};

class Side {
 public:
  virtual ~Side() = default;

  // "" when the side can draw, else one sentence.
  virtual const std::string& why() const = 0;
  // Draws a frame into that picture. Keeps at most two frames ahead of the GPU, as a swapchain would.
  virtual void draw(int frame, bool culling, int picture, Drawn& drawn) = 0;
  // Waits until the GPU is idle and results are collected; what follows is not timed from what was before.
  virtual void drain() = 0;
  virtual void reset_statistics() = 0;
  // With culling: the rows of the occlusion queries are in it.
  virtual passmeter::Report report(bool culling) = 0;
  virtual const passmeter::Visibility& visibility() const = 0;
  // RGBA8, top row first; they wait. numbers(): see CityGl::read_numbers().
  virtual std::vector<std::uint8_t> picture(int which) = 0;
  virtual std::vector<std::uint8_t> numbers() = 0;
  virtual int errors() = 0;
};

std::unique_ptr<Side> make_gl_side(const City& city, const SideOptions& options);
std::unique_ptr<Side> make_webgpu_side(const City& city, const SideOptions& options);

}  // namespace city
