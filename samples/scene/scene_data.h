// The scene that both renderers draw, as plain arrays: meshes, instances, camera, lights and the workload.
// Everything is computed here on the CPU, the same floats for OpenGL and for WebGPU; no graphics API is
// known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace scene {

// The passes of one frame, in the order in which they are drawn.
enum Pass : int {
  pass_shadow,
  pass_gbuffer,
  pass_ssao,
  pass_lighting,
  pass_bloom,
  pass_tonemap,
  pass_count,
};
constexpr std::size_t index_of(Pass pass) { return static_cast<std::size_t>(pass); }
inline constexpr std::array<const char*, pass_count> pass_names = {"shadow",   "gbuffer", "ssao",
                                                                   "lighting", "bloom",   "tonemap"};

struct Vertex {
  float position[3];
  float normal[3];
};

// The columns of a 3 x 4 transform; the fourth floats carry the colour and how strongly the object shines (0
// to 1).
struct Instance {
  float x_axis_red[4];
  float y_axis_green[4];
  float z_axis_blue[4];
  float origin_glow[4];
};

struct Mesh {
  std::uint32_t first_index;
  std::uint32_t index_count;
};

// Both meshes in one vertex and one index buffer. Front faces are counter-clockwise, y is up.
struct Geometry {
  std::vector<Vertex> vertices;
  std::vector<std::uint16_t> indices;
  Mesh box;
  Mesh sphere;
};

// Instances of one frame: the boxes first, then the spheres.
struct Instances {
  std::vector<Instance> list;
  std::uint32_t box_count = 0;
  std::uint32_t sphere_count = 0;
};

using Matrix = std::array<float, 16>;  // column major
using Vector = std::array<float, 4>;

inline constexpr int orb_count = 4;  // the moving point lights

// The uniform block of every shader, laid out as std140 (GLSL) and as WGSL's uniform address space want it.
struct FrameUniforms {
  Matrix clip_from_world;        // differs between the backends: see ClipSpace
  Matrix light_clip_from_world;  // differs between the backends
  Matrix uv_from_world;          // to (u, v, depth), v downwards, depth 0 to 1
  Matrix world_from_uv;
  Matrix light_uv_from_world;
  Vector camera;
  Vector sun_direction;  // towards the sun
  Vector sun_color;
  Vector sky_top;
  Vector sky_horizon;
  std::array<Vector, orb_count> orb_position;
  std::array<Vector, orb_count> orb_color;
  Vector sizes;  // picture, 1 / picture, occlusion target, 1 / occlusion target, in pixels
  Vector terms;  // view depth = terms[0] / (terms[1] - depth); 1 / shadow map; loop weight
  std::array<std::int32_t, 8> loops;  // iterations of the workload loop, indexed by Pass
};
static_assert(sizeof(FrameUniforms) == 5 * 64 + 5 * 16 + 8 * 16 + 2 * 16 + 32);

// OpenGL's clip space has depth -1 to 1 and rows from the bottom. For it the projections are also mirrored,
// so that row 0 of every target is the top row, as in WebGPU: all shaders after that are the same, pixel by
// pixel.
enum class ClipSpace { opengl, webgpu };

inline constexpr int default_size = 512;

// Sizes in pixels of the square targets, for a picture of size x size.
int clamped_size(int size);  // 16 to 8192
int shadow_size(int size);
int occlusion_size(int size);
int bloom_size(int size);

Geometry make_geometry();

// Writes the instances of a frame; allocates only on the first call with the same object.
void make_instances(int frame, Instances& instances);

// `load` scales the number of loop iterations in every pass; 0 is none, 1 the default, not finite counts as
// 0.
FrameUniforms make_uniforms(int frame, int size, float load, ClipSpace clip_space);

}  // namespace scene
