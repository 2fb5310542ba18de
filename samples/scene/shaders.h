// The shaders of the six passes, GLSL and WGSL side by side in shaders.cpp, pass by pass, in the same order
// of operations, so that the pictures agree.
#pragma once

#include <string>

#include "scene_data.h"

namespace scene {

// Binding numbers of WGSL; the GLSL names carry no numbers, GlRenderer sets the units after linking.
inline constexpr const char* frame_block_name = "Frame";

// How many counts of the workload (8 multiply-adds each) stand in the text for one turn of its loop. On a GPU
// the loop itself then costs next to nothing; a software renderer takes noticeably longer to compile so much
// text.
inline constexpr int default_counts_a_turn = 16;
inline constexpr int software_counts_a_turn = 2;

std::string glsl_vertex(Pass pass, bool is_gles, int counts_a_turn);
std::string glsl_fragment(Pass pass, bool is_gles, int counts_a_turn);

// One module with the entry points vertex_main and fragment_main.
std::string wgsl(Pass pass, int counts_a_turn);

}  // namespace scene
