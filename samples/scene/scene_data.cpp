#include "scene_data.h"

#include <algorithm>
#include <cmath>

namespace scene {
namespace {

constexpr double pi = 3.14159265358979323846;

// Counts of 8 multiply-adds a pixel at load 1, chosen so that the loop is by far the largest part of the
// occlusion pass and a noticeable one of the others.
constexpr std::array<double, pass_count> counts_at_load_1 = {2, 4, 1400, 16, 128, 8};

struct Vec3 {
  double x, y, z;
};

Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec3 operator*(Vec3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Vec3 normalized(Vec3 a) { return a * (1.0 / std::sqrt(dot(a, a))); }

// Rows of a 4 x 4 matrix, in double precision until the very end.
using Rows = std::array<std::array<double, 4>, 4>;

Rows multiply(const Rows& a, const Rows& b) {
  Rows r{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) r[i][j] += a[i][k] * b[k][j];
  return r;
}

// Gauss-Jordan with row pivoting; the matrices here are projections times rigid transforms, never singular.
Rows inverted(Rows m) {
  Rows r = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
  for (std::size_t column = 0; column < 4; ++column) {
    std::size_t pivot = column;
    for (std::size_t i = column + 1; i < 4; ++i)
      if (std::abs(m[i][column]) > std::abs(m[pivot][column])) pivot = i;
    std::swap(m[column], m[pivot]);
    std::swap(r[column], r[pivot]);
    const double scale = 1.0 / m[column][column];
    for (std::size_t j = 0; j < 4; ++j) {
      m[column][j] *= scale;
      r[column][j] *= scale;
    }
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == column) continue;
      const double factor = m[i][column];
      for (std::size_t j = 0; j < 4; ++j) {
        m[i][j] -= factor * m[column][j];
        r[i][j] -= factor * r[column][j];
      }
    }
  }
  return r;
}

Matrix to_matrix(const Rows& rows) {
  Matrix m{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) m[j * 4 + i] = static_cast<float>(rows[i][j]);
  return m;
}

Vector to_vector(Vec3 v, double w) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z), static_cast<float>(w)};
}

Rows look_at(Vec3 eye, Vec3 target) {
  const Vec3 back = normalized(eye - target);
  const Vec3 right = normalized(cross({0, 1, 0}, back));
  const Vec3 up = cross(back, right);
  return {{{right.x, right.y, right.z, -dot(right, eye)},
           {up.x, up.y, up.z, -dot(up, eye)},
           {back.x, back.y, back.z, -dot(back, eye)},
           {0, 0, 0, 1}}};
}

// Both projections have depth 0 to 1 and y upwards, as WebGPU has.
Rows perspective(double vertical_degrees, double near_plane, double far_plane) {
  const double focal = 1.0 / std::tan(vertical_degrees * pi / 360.0);
  const double a = far_plane / (near_plane - far_plane);
  return {{{focal, 0, 0, 0}, {0, focal, 0, 0}, {0, 0, a, near_plane * a}, {0, 0, -1, 0}}};
}

Rows orthographic(double half_size, double near_plane, double far_plane) {
  const double a = 1.0 / (near_plane - far_plane);
  return {{{1 / half_size, 0, 0, 0}, {0, 1 / half_size, 0, 0}, {0, 0, a, near_plane * a}, {0, 0, 0, 1}}};
}

// See ClipSpace: mirrors y and stretches depth from 0..1 to -1..1.
Rows for_clip_space(Rows m, ClipSpace clip_space) {
  if (clip_space == ClipSpace::webgpu) return m;
  for (std::size_t j = 0; j < 4; ++j) {
    m[1][j] = -m[1][j];
    m[2][j] = 2.0 * m[2][j] - m[3][j];
  }
  return m;
}

// From clip space to texture coordinates, v downwards; depth is 0 to 1 already.
Rows to_uv(Rows m) {
  for (std::size_t j = 0; j < 4; ++j) {
    m[0][j] = 0.5 * m[0][j] + 0.5 * m[3][j];
    m[1][j] = -0.5 * m[1][j] + 0.5 * m[3][j];
  }
  return m;
}

void add_box(Geometry& geometry) {
  geometry.box.first_index = static_cast<std::uint32_t>(geometry.indices.size());
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2;
    const float sign = face % 2 == 0 ? 1.0F : -1.0F;
    const auto base = static_cast<std::uint16_t>(geometry.vertices.size());
    for (int corner = 0; corner < 4; ++corner) {
      const float u = corner == 1 || corner == 2 ? 1.0F : -1.0F;
      const float v = corner >= 2 ? 1.0F : -1.0F;
      Vertex vertex{};
      vertex.normal[axis] = sign;
      vertex.position[axis] = sign;
      vertex.position[(axis + 1) % 3] = u * sign;  // the sign keeps the face counter-clockwise from outside
      vertex.position[(axis + 2) % 3] = v;
      geometry.vertices.push_back(vertex);
    }
    for (const int i : {0, 1, 2, 0, 2, 3}) geometry.indices.push_back(static_cast<std::uint16_t>(base + i));
  }
  geometry.box.index_count = static_cast<std::uint32_t>(geometry.indices.size()) - geometry.box.first_index;
}

void add_sphere(Geometry& geometry, int rings, int sectors) {
  geometry.sphere.first_index = static_cast<std::uint32_t>(geometry.indices.size());
  const auto base = static_cast<int>(geometry.vertices.size());
  for (int ring = 0; ring <= rings; ++ring) {
    const double latitude = pi * ring / rings;
    for (int sector = 0; sector <= sectors; ++sector) {
      const double longitude = 2.0 * pi * sector / sectors;
      const double p[3] = {std::sin(latitude) * std::cos(longitude), std::cos(latitude),
                           std::sin(latitude) * std::sin(longitude)};
      Vertex vertex{};
      for (int k = 0; k < 3; ++k) vertex.position[k] = vertex.normal[k] = static_cast<float>(p[k]);
      geometry.vertices.push_back(vertex);
    }
  }
  const auto add = [&](int ring, int sector) {
    geometry.indices.push_back(static_cast<std::uint16_t>(base + ring * (sectors + 1) + sector));
  };
  for (int ring = 0; ring < rings; ++ring) {
    for (int sector = 0; sector < sectors; ++sector) {
      add(ring, sector), add(ring, sector + 1), add(ring + 1, sector + 1);
      add(ring, sector), add(ring + 1, sector + 1), add(ring + 1, sector);
    }
  }
  geometry.sphere.index_count =
      static_cast<std::uint32_t>(geometry.indices.size()) - geometry.sphere.first_index;
}

Instance make_instance(Vec3 center, Vec3 half_size, double turn, Vec3 color, double glow = 0.0) {
  const double c = std::cos(turn);
  const double s = std::sin(turn);
  Instance instance{};
  const auto set = [](float(&target)[4], Vec3 v, double w) {
    const Vector source = to_vector(v, w);
    std::copy(source.begin(), source.end(), target);
  };
  set(instance.x_axis_red, Vec3{c, 0, -s} * half_size.x, color.x);
  set(instance.y_axis_green, Vec3{0, 1, 0} * half_size.y, color.y);
  set(instance.z_axis_blue, Vec3{s, 0, c} * half_size.z, color.z);
  set(instance.origin_glow, center, glow);
  return instance;
}

Vec3 lerp(Vec3 a, Vec3 b, double t) { return a * (1 - t) + b * t; }

constexpr Vec3 orb_colors[orb_count] = {
    {1.00, 0.42, 0.10}, {0.15, 0.65, 1.00}, {0.95, 0.18, 0.60}, {0.35, 1.00, 0.45}};

Vec3 orb_center(int orb, int frame) {
  const double phase = orb * pi / 2 + frame * 0.02 * (orb % 2 == 0 ? 1.0 : -0.7);
  const double radius = orb % 2 == 0 ? 2.55 : 3.3;
  return {radius * std::cos(phase), 0.75 + 0.3 * std::sin(2 * phase + orb), radius * std::sin(phase)};
}

// Deterministic everywhere, unlike the distributions of <random>.
double next_random(std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  return (state >> 8) / 16777216.0;
}

constexpr Vec3 stone = {0.62, 0.60, 0.57};
constexpr Vec3 warm = {0.80, 0.38, 0.22};
constexpr Vec3 cool = {0.22, 0.40, 0.62};
constexpr int pillars = 9;
constexpr int crumbs = 26;

double pillar_angle(int i) { return pi * (0.52 + 1.25 * i / (pillars - 1)) + 0.55; }
double pillar_height(int i) { return 1.0 + 0.55 * ((i * 5) % 4) / 2.0; }
Vec3 pillar_foot(int i) { return {4.7 * std::cos(pillar_angle(i)), 0, -4.7 * std::sin(pillar_angle(i))}; }

void add_boxes(int frame, std::vector<Instance>& list) {
  list.push_back(make_instance({0, -0.25, 0}, {14, 0.25, 14}, 0, {0.50, 0.49, 0.47}));
  // A stepped plinth in the middle, with a lit joint in it.
  list.push_back(make_instance({0, 0.15, 0}, {1.75, 0.15, 1.75}, 0.3, stone));
  list.push_back(make_instance({0, 0.45, 0}, {1.30, 0.15, 1.30}, 0.3, stone));
  list.push_back(make_instance({0, 0.65, 0}, {0.86, 0.05, 0.86}, 0.3, {1.0, 0.75, 0.35}, 0.35));
  list.push_back(make_instance({0, 0.85, 0}, {0.95, 0.15, 0.95}, 0.3, stone));
  // Two turning plates around the sphere on the plinth.
  list.push_back(make_instance({0, 2.55, 0}, {0.72, 0.06, 0.72}, frame * 0.013, warm));
  list.push_back(make_instance({0, 2.73, 0}, {0.45, 0.06, 0.45}, -frame * 0.021, cool));
  for (int i = 0; i < pillars; ++i) {
    const double height = pillar_height(i);
    const Vec3 color = lerp(warm, cool, static_cast<double>(i) / (pillars - 1));
    const Vec3 foot = pillar_foot(i);
    list.push_back(make_instance(foot + Vec3{0, 0.08, 0}, {0.46, 0.08, 0.46}, pillar_angle(i), stone));
    list.push_back(make_instance(foot + Vec3{0, 0.16 + height / 2, 0}, {0.27, height / 2, 0.27},
                                 pillar_angle(i), color));
    list.push_back(
        make_instance(foot + Vec3{0, 0.22 + height, 0}, {0.36, 0.06, 0.36}, pillar_angle(i), stone));
  }
  std::uint32_t random = 7;
  for (int i = 0; i < crumbs; ++i) {
    const double angle = 2 * pi * next_random(random);
    const double radius = 2.3 + 4.2 * next_random(random);
    const double half = 0.09 + 0.16 * next_random(random);
    const Vec3 color = lerp(stone, i % 2 == 0 ? warm : cool, next_random(random));
    list.push_back(make_instance({radius * std::cos(angle), half, radius * std::sin(angle)},
                                 {half, half, half}, 6.0 * next_random(random), color));
  }
}

void add_spheres(int frame, std::vector<Instance>& list) {
  list.push_back(make_instance({0, 1.75, 0}, {0.75, 0.75, 0.75}, 0, {0.72, 0.70, 0.66}));
  for (int i = 0; i < pillars; ++i) {
    const Vec3 center = pillar_foot(i) + Vec3{0, 0.28 + pillar_height(i) + 0.26, 0};
    list.push_back(make_instance(center, {0.26, 0.26, 0.26}, 0, i % 3 == 1 ? Vec3{0.85, 0.68, 0.30} : stone));
  }
  std::uint32_t random = 99;
  for (int i = 0; i < crumbs / 2; ++i) {
    const double angle = 2 * pi * next_random(random);
    const double radius = 2.2 + 3.8 * next_random(random);
    const double size = 0.12 + 0.22 * next_random(random);
    list.push_back(make_instance({radius * std::cos(angle), size, radius * std::sin(angle)},
                                 {size, size, size}, 0, lerp(cool, warm, next_random(random))));
  }
  for (int orb = 0; orb < orb_count; ++orb)
    list.push_back(make_instance(orb_center(orb, frame), {0.16, 0.16, 0.16}, 0, orb_colors[orb], 0.75));
}

}  // namespace

int clamped_size(int size) { return std::clamp(size, 16, 8192); }
int shadow_size(int size) { return std::clamp(2 * size, 256, 4096); }
int occlusion_size(int size) { return std::max(1, size / 3); }
int bloom_size(int size) { return std::max(1, size / 4); }

Geometry make_geometry() {
  Geometry geometry{};
  add_box(geometry);
  add_sphere(geometry, 16, 28);
  return geometry;
}

void make_instances(int frame, Instances& instances) {
  instances.list.clear();
  add_boxes(frame, instances.list);
  instances.box_count = static_cast<std::uint32_t>(instances.list.size());
  add_spheres(frame, instances.list);
  instances.sphere_count = static_cast<std::uint32_t>(instances.list.size()) - instances.box_count;
}

FrameUniforms make_uniforms(int frame, int size, float load, ClipSpace clip_space) {
  const double near_plane = 1.0;
  const double far_plane = 40.0;
  const double orbit = 0.72 + 0.25 * std::sin(frame * 0.006);
  const Vec3 eye = {11.6 * std::sin(orbit), 5.6, 11.6 * std::cos(orbit)};
  const Rows clip = multiply(perspective(36.0, near_plane, far_plane), look_at(eye, {0, 0.85, 0}));
  const Vec3 sun = normalized({-0.62, 0.55, 0.28});
  const Rows light = multiply(orthographic(8.0, 1.0, 34.0), look_at(sun * 17.0, {0, 0, 0}));

  FrameUniforms u{};
  u.clip_from_world = to_matrix(for_clip_space(clip, clip_space));
  u.light_clip_from_world = to_matrix(for_clip_space(light, clip_space));
  u.uv_from_world = to_matrix(to_uv(clip));
  u.world_from_uv = to_matrix(inverted(to_uv(clip)));
  u.light_uv_from_world = to_matrix(to_uv(light));
  u.camera = to_vector(eye, 1.0);
  u.sun_direction = to_vector(sun, 0.0);
  u.sun_color = {2.6F, 1.85F, 1.15F, 0.0F};
  u.sky_top = {0.10F, 0.17F, 0.34F, 0.0F};
  u.sky_horizon = {0.62F, 0.50F, 0.46F, 0.0F};
  for (int orb = 0; orb < orb_count; ++orb) {
    const auto i = static_cast<std::size_t>(orb);
    u.orb_position[i] = to_vector(orb_center(orb, frame), 1.0);
    u.orb_color[i] = to_vector(orb_colors[orb] * 2.4, 0.0);
  }
  size = clamped_size(size);
  const auto full = static_cast<float>(size);
  const auto half = static_cast<float>(occlusion_size(size));
  u.sizes = {full, 1.0F / full, half, 1.0F / half};
  // The loops end up in the picture with this weight: far below one step of any target, but not zero, since
  // drivers are known to compile a shader anew for a uniform that is zero and to drop the loop then.
  const double loop_weight = 1.0e-9;
  u.terms = {static_cast<float>(near_plane * far_plane / (far_plane - near_plane)),
             static_cast<float>(far_plane / (far_plane - near_plane)),
             1.0F / static_cast<float>(shadow_size(size)), static_cast<float>(loop_weight)};
  for (std::size_t pass = 0; pass < pass_count; ++pass) {
    const double wanted = counts_at_load_1[pass] * static_cast<double>(load);
    u.loops[pass] =
        std::isfinite(wanted) ? static_cast<std::int32_t>(std::clamp(wanted + 0.5, 0.0, 1.0e8)) : 0;
  }
  return u;
}

}  // namespace scene
