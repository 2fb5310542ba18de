// Built in place of webgpu_sides.cpp where there is no WebGPU.
#include "webgpu_sides.h"

namespace web {

std::unique_ptr<SceneSide> make_webgpu_scene(const char*, int) { return nullptr; }
std::unique_ptr<CitySide> make_webgpu_city(const char*, int, const city::City&) { return nullptr; }
std::unique_ptr<ParticleSide> make_webgpu_particles(const char*, int, const particles::Options&) {
  return nullptr;
}

}  // namespace web
