// One backend that runs the particles, timed, with its counts read back late.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "passmeter/report.h"
#include "rule.h"

namespace particles {

struct SideOptions {
  Options rule;
  int size = 512;
  bool gles = false;    // OpenGL ES instead of OpenGL
  bool by_age = false;  // without the geometry shader
};

// A count that has come back.
struct Counted {
  std::uint64_t frame = 0;    // that it is of
  std::uint64_t latency = 0;  // frames it took
  std::uint64_t alive = 0;
  std::uint64_t generated = 0;
  bool generated_known = false;
};

class Side {
 public:
  virtual ~Side() = default;

  virtual const std::string& why() const = 0;  // "" when it works
  virtual std::string how() const = 0;         // what counts, in words
  // Whether the count is of the living (else of all that was drawn).
  virtual bool counts_alive() const = 0;
  // Frames from 0, in order. True if a count has come back with it.
  virtual bool draw(std::uint32_t frame, Counted& counted) = 0;
  // What was drawn in the last frame: with OpenGL the late count and what may have been added since; 0 where
  // the GPU knows by itself.
  virtual std::uint32_t drawn() const = 0;
  virtual std::uint64_t overflowed_frames() const = 0;
  virtual void drain() = 0;
  virtual passmeter::Report report() = 0;
  virtual std::vector<std::uint8_t> picture() = 0;
  virtual int errors() = 0;
};

std::unique_ptr<Side> make_gl_side(const SideOptions& options);
std::unique_ptr<Side> make_webgpu_side(const SideOptions& options);

}  // namespace particles
