#include "webgpu_sides.h"

#include "city_webgpu_side.h"
#include "particle_webgpu_side.h"
#include "webgpu_side.h"

namespace web {

std::unique_ptr<SceneSide> make_webgpu_scene(const char* canvas, int size) {
  return std::make_unique<WebGpuSide>(canvas, size);
}

std::unique_ptr<CitySide> make_webgpu_city(const char* canvas, int size, const city::City& city) {
  return std::make_unique<CityWebGpuSide>(canvas, size, city);
}

std::unique_ptr<ParticleSide> make_webgpu_particles(const char* canvas, int size,
                                                    const particles::Options& rule) {
  return std::make_unique<ParticleWebGpuSide>(canvas, size, rule);
}

}  // namespace web
