#include "rule.h"

namespace particles {
namespace {

constexpr std::int32_t gravity = 180;

std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7FEB352Du;
  x ^= x >> 15;
  x *= 0x846CA68Bu;
  return x ^ (x >> 16);
}

}  // namespace

std::uint32_t emitted(const Options& options, std::uint32_t frame) {
  return frame / 20 % 2 == 0 ? options.emit : options.emit / 2;
}

// The shaders in particles_gl.cpp and particles_webgpu.cpp say the same.
Particle born(std::uint32_t frame, std::uint32_t index) {
  const std::uint32_t a = mix(frame * 65537u + index + 1u);
  const std::uint32_t b = mix(a + 0x9E3779B9u);
  Particle particle{};
  particle.life = 40 + static_cast<std::int32_t>(b & 63u);
  particle.velocity[0] = static_cast<std::int32_t>(a & 4095u) - 2048;
  particle.velocity[1] = 4000 + static_cast<std::int32_t>((a >> 12) & 4095u);
  particle.velocity[2] = static_cast<std::int32_t>((b >> 8) & 4095u) - 2048;
  particle.seed = b;
  return particle;
}

bool step(Particle& particle) {
  particle.velocity[1] -= gravity;
  for (int i = 0; i < 3; ++i) particle.position[i] += particle.velocity[i];
  --particle.life;
  return particle.life > 0 && particle.position[1] >= 0;
}

}  // namespace particles
