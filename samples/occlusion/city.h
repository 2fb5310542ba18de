// A city of boxes behind walls, as plain arrays: mesh, objects, camera. No graphics API is known here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace city {

struct Vertex {
  float position[3];  // of the cube from -1 to 1
  float normal[3];
};

struct Mesh {
  std::vector<Vertex> vertices;
  std::vector<std::uint32_t> indices;
};

// A box. As the shaders get it: three times four floats.
struct Object {
  float center[4];     // w: the object's number
  float half_size[4];  // w: how much its bounds are larger
  float color[4];
};

using Matrix = std::array<float, 16>;  // column major

struct Camera {
  Matrix clip_from_world{};
  float eye[3] = {};
};

// OpenGL's clip space has depth from -1 to 1, WebGPU's from 0 to 1.
enum class Depth { minus_one_to_one, zero_to_one };

struct Options {
  int objects = 900;  // about; at least 16
  int detail = 12;    // quads along the edge of a face of each box, 1 to 128
  int walk = 80;      // frames the camera walks before it rests
};

class City {
 public:
  explicit City(const Options& options);

  // A finely divided cube, and one of 12 triangles for the bounds.
  const Mesh& box() const { return box_; }
  const Mesh& bounds() const { return bounds_; }
  const std::vector<Object>& objects() const { return objects_; }

  // Where the camera is in a frame: it walks along the street between the walls, looking around, then rests.
  Camera camera(int frame, Depth depth) const;
  // The objects whose bounds lie in the camera's view. Both with and without occlusion culling nothing else
  // is drawn.
  void find_in_view(const Camera& camera, Depth depth, std::vector<std::uint32_t>& ids) const;
  // Whether the near plane may cut the object's bounds: then a test of them would say nothing, and it is
  // drawn.
  bool touches_camera(const Camera& camera, std::uint32_t id) const;

 private:
  void add(float x, float z, float half_x, float half_y, float half_z, std::array<float, 3> color);

  Options options_;
  Mesh box_;
  Mesh bounds_;
  std::vector<Object> objects_;
  float street_ = 0;  // half its length
};

}  // namespace city
