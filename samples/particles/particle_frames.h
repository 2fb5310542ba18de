// Frames of the particles, timed, with their counts read back late. Nothing here waits: what the program and
// the web page share.
#pragma once

#include <cstdint>
#include <string>

#include "passmeter/gpu_timer.h"
#include "passmeter/report.h"
#include "rule.h"

namespace particles {

// A count that has come back.
struct Counted {
  std::uint64_t frame = 0;    // that it is of
  std::uint64_t latency = 0;  // frames it took
  std::uint64_t alive = 0;
  std::uint64_t generated = 0;
  bool generated_known = false;
};

class Frames {
 public:
  virtual ~Frames() = default;

  virtual std::string how() const = 0;  // what counts, in words
  // Whether the count is of the living (else of all that was drawn).
  virtual bool counts_alive() const = 0;
  // Draws and submits frames from 0, in order. True if a count has come back with it.
  virtual bool draw(std::uint32_t frame, Counted& counted) = 0;
  // What was drawn in the last frame: with OpenGL the late count and what may have been added since; 0 where
  // the GPU knows by itself.
  virtual std::uint32_t drawn() const = 0;
  virtual std::uint64_t overflowed_frames() const = 0;
  virtual passmeter::GpuTimer& timer() = 0;
  // The rows of the counts are in it.
  virtual passmeter::Report report() = 0;
  // The context or device is gone: what is destroyed later makes no call of the driver.
  virtual void notify_lost() = 0;
};

}  // namespace particles
