// The rule of the particles on the CPU: what the GPU's counts, which come some frames later, are compared
// with.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rule.h"

namespace particles {

class Replay {
 public:
  struct Count {
    std::uint32_t alive = 0;      // after the frame
    std::uint32_t generated = 0;  // would be, with room for all
  };

  virtual ~Replay() = default;
  // The next frame, from 0.
  Count advance();
  // What a frame had; nullptr for one that is to come, or so long ago that it is forgotten.
  const Count* of(std::uint64_t frame) const;

 protected:
  explicit Replay(const Options& options) : options_(options) {}
  virtual Count step(std::uint32_t frame) = 0;
  Options options_;

 private:
  // More than answers may be late, so that a page that runs for days does not grow.
  std::array<Count, 1024> history_{};
  std::uint64_t frames_ = 0;
};

// The dead leave at once.
class AliveReplay final : public Replay {
 public:
  explicit AliveReplay(const Options& options) : Replay(options) {}

 private:
  Count step(std::uint32_t frame) override;
  std::vector<Particle> alive_;
};

// The dead stay, and are drawn, until all of their generation must be dead: Compaction::by_age.
class DrawnReplay final : public Replay {
 public:
  explicit DrawnReplay(const Options& options) : Replay(options) {}

 private:
  Count step(std::uint32_t frame) override;
  std::array<std::uint32_t, longest_life> kept_{};  // of the last generations
  std::uint32_t all_ = 0;
};

}  // namespace particles
