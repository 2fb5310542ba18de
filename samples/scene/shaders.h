// The shaders of the six passes, GLSL and WGSL side by side in shaders.cpp, pass by pass, in the same order
// of operations, so that the pictures agree.
#pragma once

#include <string>

#include "scene_data.h"

namespace scene {

// Binding numbers of WGSL; the GLSL names carry no numbers, GlRenderer sets the units after linking.
inline constexpr const char* frame_block_name = "Frame";

std::string glsl_vertex(Pass pass, bool is_gles);
std::string glsl_fragment(Pass pass, bool is_gles);

// One module with the entry points vertex_main and fragment_main.
std::string wgsl(Pass pass);

}  // namespace scene
