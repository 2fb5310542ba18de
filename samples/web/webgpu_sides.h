// Makes the WebGPU canvases of the tabs, or none in a build without WebGPU.
#pragma once

#include <memory>

#include "city_side.h"
#include "particle_side.h"
#include "scene_side.h"

namespace web {

/// `canvas`: a CSS selector. nullptr: this build has no WebGPU.
std::unique_ptr<SceneSide> make_webgpu_scene(const char* canvas, int size);
std::unique_ptr<CitySide> make_webgpu_city(const char* canvas, int size, const city::City& city);
std::unique_ptr<ParticleSide> make_webgpu_particles(const char* canvas, int size,
                                                    const particles::Options& rule);

}  // namespace web
