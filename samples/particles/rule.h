// The rule of the particles, in whole numbers only, so that every GPU and the replay on the CPU agree to the
// last one.
#pragma once

#include <cstdint>

namespace particles {

// As the shaders have it: two times four integers.
struct Particle {
  std::int32_t position[3];
  std::int32_t life;  // frames left; 0 is dead
  std::int32_t velocity[3];
  std::uint32_t seed;
};

inline constexpr int longest_life = 103;
inline constexpr std::int32_t reach = 1 << 18;  // half the width of what is drawn

struct Options {
  std::uint32_t capacity = 1u << 16;  // room for particles
  std::uint32_t emit = 500;           // new ones a frame, at most; half of it in every second 20 frames
};

// New particles of a frame.
std::uint32_t emitted(const Options& options, std::uint32_t frame);
Particle born(std::uint32_t frame, std::uint32_t index);
// One frame older; false if it is dead now.
bool step(Particle& particle);

}  // namespace particles
