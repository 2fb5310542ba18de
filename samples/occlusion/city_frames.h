// Frames of the city, each timed, with and without occlusion culling. Nothing here waits: what the program
// and the web page share.
#pragma once

#include <cstdint>
#include <vector>

#include "passmeter/gpu_timer.h"
#include "passmeter/report.h"
#include "passmeter/visibility.h"

namespace city {

struct FrameOptions {
  int size = 256;
  int pictures = 1;
  std::uint32_t max_queries = 0;  // 0: the helper's default
};

// What became of a frame. A frame without culling draws all that is in view.
struct Drawn {
  std::uint32_t in_view = 0;
  std::vector<std::uint8_t> objects;  // by id: was it drawn
  std::uint32_t count = 0;
  std::uint32_t tested = 0;
};

class Frames {
 public:
  virtual ~Frames() = default;

  // Draws and submits a frame into that picture. Keeping the GPU's distance is the caller's.
  virtual void draw(int frame, bool culling, int picture, Drawn& drawn) = 0;
  // One for the frames with culling, one for those without, so that a report is about one kind alone.
  virtual passmeter::GpuTimer& timer(bool culling) = 0;
  // With culling: the rows of the occlusion queries are in it.
  virtual passmeter::Report report(bool culling) = 0;
  virtual const passmeter::Visibility& visibility() const = 0;
  // The context or device is gone: what is destroyed later makes no call of the driver.
  virtual void notify_lost() = 0;
};

inline constexpr const char* passes[] = {"gbuffer", "bounds", "lighting"};

}  // namespace city
