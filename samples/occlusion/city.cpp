#include "city.h"

#include <algorithm>
#include <cmath>

namespace city {
namespace {

constexpr float near_plane = 0.1F;
constexpr float far_plane = 600.0F;
constexpr float block = 7.0F;          // distance between buildings
constexpr float wall_distance = 4.0F;  // from the middle of the street
constexpr float bounds_margin = 0.02F;

// Small and the same everywhere.
class Random {
 public:
  float operator()(float low, float high) {
    state_ = state_ * 1664525U + 1013904223U;
    return low + (high - low) * static_cast<float>(state_ >> 8) / 16777216.0F;
  }

 private:
  std::uint32_t state_ = 20261130;
};

Mesh make_cube(int quads) {
  Mesh mesh;
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2;
    const float sign = face % 2 == 0 ? 1.0F : -1.0F;
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    const auto row = static_cast<std::uint32_t>(quads + 1);
    for (int j = 0; j <= quads; ++j) {
      for (int i = 0; i <= quads; ++i) {
        Vertex vertex{};
        vertex.position[axis] = sign;
        vertex.position[u] = sign * (2.0F * static_cast<float>(i) / static_cast<float>(quads) - 1.0F);
        vertex.position[v] = 2.0F * static_cast<float>(j) / static_cast<float>(quads) - 1.0F;
        vertex.normal[axis] = sign;
        mesh.vertices.push_back(vertex);
      }
    }
    for (std::uint32_t j = 0; j + 1 < row; ++j) {
      for (std::uint32_t i = 0; i + 1 < row; ++i) {
        const std::uint32_t corner = first + j * row + i;
        for (const std::uint32_t step : {0U, 1U, row + 1, 0U, row + 1, row})
          mesh.indices.push_back(corner + step);
      }
    }
  }
  return mesh;
}

Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix out{};
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 4; ++row) {
      for (std::size_t k = 0; k < 4; ++k) out[column * 4 + row] += a[k * 4 + row] * b[column * 4 + k];
    }
  }
  return out;
}

Matrix projection(Depth depth) {
  const float scale = 1.0F / std::tan(0.5F * 1.15F);
  Matrix m{};
  m[0] = m[5] = scale;
  m[11] = -1.0F;
  if (depth == Depth::minus_one_to_one) {
    m[10] = (far_plane + near_plane) / (near_plane - far_plane);
    m[14] = 2.0F * far_plane * near_plane / (near_plane - far_plane);
  } else {
    m[10] = far_plane / (near_plane - far_plane);
    m[14] = far_plane * near_plane / (near_plane - far_plane);
  }
  return m;
}

// Looks from `eye` along the heading, 0 being down the street (-z), turned to the right.
Matrix view(const float (&eye)[3], float heading, float pitch) {
  const float ch = std::cos(heading), sh = std::sin(heading), cp = std::cos(pitch), sp = std::sin(pitch);
  const float right[3] = {ch, 0, sh};
  const float back[3] = {-sh * cp, -sp, ch * cp};
  const float up[3] = {back[1] * right[2] - back[2] * right[1], back[2] * right[0] - back[0] * right[2],
                       back[0] * right[1] - back[1] * right[0]};
  Matrix m{};
  for (std::size_t i = 0; i < 3; ++i) {
    m[i * 4 + 0] = right[i];
    m[i * 4 + 1] = up[i];
    m[i * 4 + 2] = back[i];
    m[12] -= right[i] * eye[i];
    m[13] -= up[i] * eye[i];
    m[14] -= back[i] * eye[i];
  }
  m[15] = 1.0F;
  return m;
}

}  // namespace

City::City(const Options& options) : options_(options) {
  options_.objects = std::clamp(options_.objects, 16, 1 << 20);
  options_.detail = std::clamp(options_.detail, 1, 128);
  options_.walk = std::max(options_.walk, 1);
  box_ = make_cube(options_.detail);
  bounds_ = make_cube(1);

  Random random;
  const int side = std::max(4, static_cast<int>(std::sqrt(static_cast<float>(options_.objects))));
  const float reach = 0.5F * block * static_cast<float>(side);
  street_ = reach;
  add(0, 0, reach + 40.0F, 0.05F, reach + 40.0F, {0.32F, 0.34F, 0.33F});  // the ground
  // Two walls along the street, in pieces with gaps to look through.
  const int pieces = std::max(2, side / 5);
  const float piece = 2.0F * reach / static_cast<float>(pieces);
  for (int i = 0; i < pieces; ++i) {
    const float z = -reach + (static_cast<float>(i) + 0.5F) * piece;
    for (const float x : {-wall_distance, wall_distance}) {
      add(x, z + (x > 0 ? 0.25F * piece : 0.0F), 0.4F, 4.0F, 0.5F * piece - 2.2F, {0.62F, 0.48F, 0.38F});
    }
  }
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) {
      const float x = (static_cast<float>(i) - 0.5F * static_cast<float>(side - 1)) * block;
      const float z = (static_cast<float>(j) - 0.5F * static_cast<float>(side - 1)) * block;
      const float half = random(1.2F, 2.6F);
      const float height = random(2.0F, 7.0F);
      const std::array<float, 3> color = {random(0.35F, 0.9F), random(0.35F, 0.9F), random(0.35F, 0.9F)};
      if (std::fabs(x) < wall_distance + 3.5F) continue;  // the street
      add(x, z, half, height, random(1.2F, 2.6F), color);
    }
  }
}

void City::add(float x, float z, float half_x, float half_y, float half_z, std::array<float, 3> color) {
  const float y = objects_.empty() ? -half_y : half_y;  // all but the ground stand on it
  const auto number = static_cast<float>(objects_.size());
  objects_.push_back(
      {{x, y, z, number}, {half_x, half_y, half_z, bounds_margin}, {color[0], color[1], color[2], 1.0F}});
}

Camera City::camera(int frame, Depth depth) const {
  const float t = std::min(1.0F, static_cast<float>(std::max(frame, 0)) / static_cast<float>(options_.walk));
  Camera camera;
  camera.eye[0] = 0.8F * std::sin(5.0F * t);
  camera.eye[1] = 1.7F;
  camera.eye[2] = street_ * (0.95F - 1.1F * t);
  const float heading = 1.1F * std::sin(9.1F * t);
  camera.clip_from_world = multiply(projection(depth), view(camera.eye, heading, 0.05F));
  return camera;
}

void City::find_in_view(const Camera& camera, Depth depth, std::vector<std::uint32_t>& ids) const {
  const Matrix& m = camera.clip_from_world;
  const auto row = [&m](std::size_t r) { return std::array<float, 4>{m[r], m[4 + r], m[8 + r], m[12 + r]}; };
  const std::array<float, 4> x = row(0), y = row(1), z = row(2), w = row(3);
  std::array<std::array<float, 4>, 6> planes{};
  for (std::size_t i = 0; i < 4; ++i) {
    planes[0][i] = w[i] + x[i];
    planes[1][i] = w[i] - x[i];
    planes[2][i] = w[i] + y[i];
    planes[3][i] = w[i] - y[i];
    planes[4][i] = depth == Depth::minus_one_to_one ? w[i] + z[i] : z[i];
    planes[5][i] = w[i] - z[i];
  }
  ids.clear();
  for (std::uint32_t id = 0; id < objects_.size(); ++id) {
    const Object& object = objects_[id];
    const bool outside = std::any_of(planes.begin(), planes.end(), [&](const auto& plane) {
      float reach = plane[3];
      for (std::size_t i = 0; i < 3; ++i) {
        reach +=
            plane[i] * object.center[i] + std::fabs(plane[i]) * (object.half_size[i] + object.half_size[3]);
      }
      return reach < 0;
    });
    if (!outside) ids.push_back(id);
  }
}

bool City::touches_camera(const Camera& camera, std::uint32_t id) const {
  // The corners of the near plane are less than twice its distance away.
  constexpr float margin = 2.0F * near_plane + bounds_margin;
  const Object& object = objects_[id];
  for (int i = 0; i < 3; ++i) {
    if (std::fabs(camera.eye[i] - object.center[i]) > object.half_size[i] + margin) return false;
  }
  return true;
}

}  // namespace city
