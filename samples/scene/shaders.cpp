#include "shaders.h"

#include <string_view>

// Conventions, the same in both languages:
//  - row 0 of every target is the top row (scene_data.h, ClipSpace), so pixel coordinates mean the same;
//  - light is stored in 10-bit targets as sqrt(light / 8), normals as n * 0.5 + 0.5, shine in the albedo's
//  alpha;
//  - nothing filters where texelFetch / textureLoad will do;
//  - the workload is multiply-adds only: transcendentals differ by orders of magnitude between software
//    rasterizers and would compare those instead of the two APIs.

namespace scene {
namespace {

// ---------------------------------------------------------------------------------------------- common

constexpr const char* glsl_prelude_desktop = "#version 330 core\n";
constexpr const char* glsl_prelude_es =
    "#version 300 es\n"
    "precision highp float;\n"
    "precision highp int;\n"
    "precision highp sampler2D;\n"
    "precision highp sampler2DShadow;\n";

constexpr const char* glsl_common = R"(
layout(std140) uniform Frame {
  mat4 clip_from_world;
  mat4 light_clip_from_world;
  mat4 uv_from_world;
  mat4 world_from_uv;
  mat4 light_uv_from_world;
  vec4 camera;
  vec4 sun_direction;
  vec4 sun_color;
  vec4 sky_top;
  vec4 sky_horizon;
  vec4 orb_position[4];
  vec4 orb_color[4];
  vec4 sizes;
  vec4 terms;
  ivec4 loops[2];
} frame;

// The workload: x settles near 0.5, whatever it starts from. One count is 8 multiply-adds. Factor and summand
// are not known to the compiler, so it can't fold steps together. Many steps a turn where there are that many:
// what a compiler adds to each turn of a loop (Dawn a guard against endless ones) then hardly counts.
float spin(float seed, int count) {
  float a = 0.75 + frame.terms.w;
  float b = 0.125 + frame.terms.w;
  float x = seed;
  for (int i = count / COUNTS_A_TURN; i > 0; --i) {
    STEPS_OF_A_TURN
  }
  for (int i = count % COUNTS_A_TURN; i > 0; --i) {
    STEPS_OF_A_COUNT
  }
  return x * frame.terms.w;
}

vec3 to_stored(vec3 light) { return sqrt(clamp(light * 0.125, 0.0, 1.0)); }
vec3 from_stored(vec3 stored) { return stored * stored * 8.0; }

vec3 world_at(vec2 uv, float depth) {
  vec4 p = frame.world_from_uv * vec4(uv, depth, 1.0);
  return p.xyz / p.w;
}

// A rotation that repeats every 4 x 4 pixels, as (cosine, sine), from a rational parameter.
vec2 rotation_at(ivec2 pixel) {
  int cell = ((pixel.x & 3) * 7 + (pixel.y & 3) * 4 + ((pixel.x & 3) * (pixel.y & 3)) * 2) & 15;
  float t = (float(cell) + 0.5) * 0.125 - 1.0;
  return vec2(1.0 - t * t, 2.0 * t) / (1.0 + t * t);
}
)";

constexpr const char* wgsl_common = R"(
struct Frame {
  clip_from_world: mat4x4f,
  light_clip_from_world: mat4x4f,
  uv_from_world: mat4x4f,
  world_from_uv: mat4x4f,
  light_uv_from_world: mat4x4f,
  camera: vec4f,
  sun_direction: vec4f,
  sun_color: vec4f,
  sky_top: vec4f,
  sky_horizon: vec4f,
  orb_position: array<vec4f, 4>,
  orb_color: array<vec4f, 4>,
  sizes: vec4f,
  terms: vec4f,
  loops: array<vec4i, 2>,
}
@group(0) @binding(0) var<uniform> frame: Frame;

// The workload: x settles near 0.5, whatever it starts from. One count is 8 multiply-adds. Factor and summand
// are not known to the compiler, so it can't fold steps together. Many steps a turn where there are that many:
// what a compiler adds to each turn of a loop (Dawn a guard against endless ones) then hardly counts.
fn spin(seed: f32, count: i32) -> f32 {
  let a = 0.75 + frame.terms.w;
  let b = 0.125 + frame.terms.w;
  var x = seed;
  for (var i = count / COUNTS_A_TURN; i > 0; i--) {
    STEPS_OF_A_TURN
  }
  for (var i = count % COUNTS_A_TURN; i > 0; i--) {
    STEPS_OF_A_COUNT
  }
  return x * frame.terms.w;
}

fn to_stored(light: vec3f) -> vec3f { return sqrt(clamp(light * 0.125, vec3f(0.0), vec3f(1.0))); }
fn from_stored(stored: vec3f) -> vec3f { return stored * stored * 8.0; }

fn world_at(uv: vec2f, depth: f32) -> vec3f {
  let p = frame.world_from_uv * vec4f(uv, depth, 1.0);
  return p.xyz / p.w;
}

// A rotation that repeats every 4 x 4 pixels, as (cosine, sine), from a rational parameter.
fn rotation_at(pixel: vec2i) -> vec2f {
  let cell = ((pixel.x & 3) * 7 + (pixel.y & 3) * 4 + ((pixel.x & 3) * (pixel.y & 3)) * 2) & 15;
  let t = (f32(cell) + 0.5) * 0.125 - 1.0;
  return vec2f(1.0 - t * t, 2.0 * t) / (1.0 + t * t);
}
)";

// ------------------------------------------------------- geometry, of the shadow and gbuffer passes

constexpr const char* glsl_instance = R"(
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 x_axis_red;
layout(location = 3) in vec4 y_axis_green;
layout(location = 4) in vec4 z_axis_blue;
layout(location = 5) in vec4 origin_glow;

vec3 world_position() {
  return x_axis_red.xyz * position.x + y_axis_green.xyz * position.y + z_axis_blue.xyz * position.z +
         origin_glow.xyz;
}
// Normals go through the cofactors, so uneven scaling keeps them upright.
vec3 world_normal() {
  return normalize(cross(y_axis_green.xyz, z_axis_blue.xyz) * normal.x +
                   cross(z_axis_blue.xyz, x_axis_red.xyz) * normal.y +
                   cross(x_axis_red.xyz, y_axis_green.xyz) * normal.z);
}
)";

constexpr const char* wgsl_instance = R"(
struct VertexInput {
  @location(0) position: vec3f,
  @location(1) normal: vec3f,
  @location(2) x_axis_red: vec4f,
  @location(3) y_axis_green: vec4f,
  @location(4) z_axis_blue: vec4f,
  @location(5) origin_glow: vec4f,
}

fn world_position(v: VertexInput) -> vec3f {
  return v.x_axis_red.xyz * v.position.x + v.y_axis_green.xyz * v.position.y + v.z_axis_blue.xyz * v.position.z +
         v.origin_glow.xyz;
}
// Normals go through the cofactors, so uneven scaling keeps them upright.
fn world_normal(v: VertexInput) -> vec3f {
  return normalize(cross(v.y_axis_green.xyz, v.z_axis_blue.xyz) * v.normal.x +
                   cross(v.z_axis_blue.xyz, v.x_axis_red.xyz) * v.normal.y +
                   cross(v.x_axis_red.xyz, v.y_axis_green.xyz) * v.normal.z);
}
)";

// ---------------------------------------------------------------------------------------------- shadow

constexpr const char* glsl_shadow_vertex = R"(
void main() { gl_Position = frame.light_clip_from_world * vec4(world_position(), 1.0); }
)";

// A pass with depth alone has no output that could depend on the loop; a discard that never happens does.
constexpr const char* glsl_shadow_fragment = R"(
void main() {
  if (spin(gl_FragCoord.x * 0.001, frame.loops[0].x) > 0.5) discard;
}
)";

constexpr const char* wgsl_shadow = R"(
@vertex fn vertex_main(v: VertexInput) -> @builtin(position) vec4f {
  return frame.light_clip_from_world * vec4f(world_position(v), 1.0);
}

// A pass with depth alone has no output that could depend on the loop; a discard that never happens does.
@fragment fn fragment_main(@builtin(position) at: vec4f) {
  if (spin(at.x * 0.001, frame.loops[0].x) > 0.5) { discard; }
}
)";

// --------------------------------------------------------------------------------------------- gbuffer

constexpr const char* glsl_gbuffer_vertex = R"(
out vec3 surface_normal;
out vec4 surface_color;
void main() {
  surface_normal = world_normal();
  surface_color = vec4(x_axis_red.w, y_axis_green.w, z_axis_blue.w, origin_glow.w);
  gl_Position = frame.clip_from_world * vec4(world_position(), 1.0);
}
)";

constexpr const char* glsl_gbuffer_fragment = R"(
in vec3 surface_normal;
in vec4 surface_color;
layout(location = 0) out vec4 out_albedo;
layout(location = 1) out vec4 out_normal;
void main() {
  float work = spin(gl_FragCoord.x * 0.001, frame.loops[0].y);
  out_albedo = surface_color + vec4(work);
  out_normal = vec4(normalize(surface_normal) * 0.5 + 0.5, 1.0);
}
)";

constexpr const char* wgsl_gbuffer = R"(
struct Surface {
  @builtin(position) at: vec4f,
  @location(0) normal: vec3f,
  @location(1) color: vec4f,
}

@vertex fn vertex_main(v: VertexInput) -> Surface {
  var s: Surface;
  s.normal = world_normal(v);
  s.color = vec4f(v.x_axis_red.w, v.y_axis_green.w, v.z_axis_blue.w, v.origin_glow.w);
  s.at = frame.clip_from_world * vec4f(world_position(v), 1.0);
  return s;
}

struct Targets {
  @location(0) albedo: vec4f,
  @location(1) normal: vec4f,
}

@fragment fn fragment_main(s: Surface) -> Targets {
  let work = spin(s.at.x * 0.001, frame.loops[0].y);
  return Targets(s.color + vec4f(work), vec4f(normalize(s.normal) * 0.5 + 0.5, 1.0));
}
)";

// ------------------------------------------------- one triangle that covers the target, all other passes

constexpr const char* glsl_fullscreen_vertex = R"(
void main() {
  vec2 corner = vec2(float((gl_VertexID & 1) * 4), float((gl_VertexID & 2) * 2));
  gl_Position = vec4(corner - 1.0, 0.0, 1.0);
}
)";

constexpr const char* wgsl_fullscreen_vertex = R"(
@vertex fn vertex_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  let corner = vec2f(f32((index & 1u) * 4u), f32((index & 2u) * 2u));
  return vec4f(corner - 1.0, 0.0, 1.0);
}
)";

// ------------------------------------------------------------------- ssao: ambient occlusion, a third of the
// size

constexpr const char* glsl_ssao = R"(
uniform sampler2D depth_map;
uniform sampler2D normal_map;
layout(location = 0) out vec4 out_occlusion;

float view_depth(float depth) { return frame.terms.x / (frame.terms.y - depth); }

void main() {
  float work = spin(gl_FragCoord.x * 0.001, frame.loops[0].z);
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  int last = int(frame.sizes.x) - 1;
  ivec2 texel = min(ivec2(gl_FragCoord.xy * (frame.sizes.w * frame.sizes.x)), ivec2(last));
  float depth = texelFetch(depth_map, texel, 0).r;
  if (depth >= 1.0) {
    out_occlusion = vec4(1.0 + work);
    return;
  }
  vec3 n = texelFetch(normal_map, texel, 0).rgb * 2.0 - 1.0;
  vec3 p = world_at((vec2(texel) + 0.5) * frame.sizes.y, depth) + n * 0.03;
  vec3 helper = abs(n.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0);
  vec3 u = normalize(cross(helper, n));
  vec3 v = cross(n, u);
  vec2 direction = rotation_at(pixel);
  float hidden = 0.0;
  for (int i = 0; i < 4; ++i) {
    float t = (float(i) + 0.5) * 0.25;
    vec3 along = (u * direction.x + v * direction.y) * sqrt(t) + n * sqrt(1.0 - t);
    vec4 q = frame.uv_from_world * vec4(p + along * (0.12 + 0.6 * t), 1.0);
    vec3 at = q.xyz / q.w;
    ivec2 there = clamp(ivec2(at.xy * frame.sizes.x), ivec2(0), ivec2(last));
    float gap = view_depth(at.z) - view_depth(texelFetch(depth_map, there, 0).r);
    if (gap > 0.02) hidden += clamp(1.6 - gap, 0.0, 1.0);
    direction = vec2(direction.x * -0.7373688 - direction.y * 0.6754903,
                     direction.x * 0.6754903 + direction.y * -0.7373688);
  }
  float open = 1.0 - hidden * 0.25;
  out_occlusion = vec4(open * open + work);
}
)";

constexpr const char* wgsl_ssao = R"(
@group(0) @binding(1) var depth_map: texture_depth_2d;
@group(0) @binding(2) var normal_map: texture_2d<f32>;

fn view_depth(depth: f32) -> f32 { return frame.terms.x / (frame.terms.y - depth); }

@fragment fn fragment_main(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let work = spin(position.x * 0.001, frame.loops[0].z);
  let pixel = vec2i(position.xy);
  let last = i32(frame.sizes.x) - 1;
  let texel = min(vec2i(position.xy * (frame.sizes.w * frame.sizes.x)), vec2i(last));
  let depth = textureLoad(depth_map, texel, 0);
  if (depth >= 1.0) {
    return vec4f(1.0 + work);
  }
  let n = textureLoad(normal_map, texel, 0).rgb * 2.0 - 1.0;
  let p = world_at((vec2f(texel) + 0.5) * frame.sizes.y, depth) + n * 0.03;
  let helper = select(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), abs(n.y) < 0.9);
  let u = normalize(cross(helper, n));
  let v = cross(n, u);
  var direction = rotation_at(pixel);
  var hidden = 0.0;
  for (var i = 0; i < 4; i++) {
    let t = (f32(i) + 0.5) * 0.25;
    let along = (u * direction.x + v * direction.y) * sqrt(t) + n * sqrt(1.0 - t);
    let q = frame.uv_from_world * vec4f(p + along * (0.12 + 0.6 * t), 1.0);
    let at = q.xyz / q.w;
    let there = clamp(vec2i(at.xy * frame.sizes.x), vec2i(0), vec2i(last));
    let gap = view_depth(at.z) - view_depth(textureLoad(depth_map, there, 0));
    if (gap > 0.02) { hidden += clamp(1.6 - gap, 0.0, 1.0); }
    direction = vec2f(direction.x * -0.7373688 - direction.y * 0.6754903,
                      direction.x * 0.6754903 + direction.y * -0.7373688);
  }
  let open = 1.0 - hidden * 0.25;
  return vec4f(open * open + work);
}
)";

// -------------------------------------------------------------------------------------------- lighting

constexpr const char* glsl_lighting = R"(
uniform sampler2D depth_map;
uniform sampler2D albedo_map;
uniform sampler2D normal_map;
uniform sampler2D occlusion_map;
uniform sampler2DShadow shadow_map;
layout(location = 0) out vec4 out_light;

// 5 filtered comparisons, the outer ones on a turned square: an edge about 6 texels wide.
float lit_at(vec3 at, float x, float y) {
  return textureLod(shadow_map, vec3(at.xy + vec2(x, y) * frame.terms.z, at.z - 0.0012), 0.0);
}
float sun_visibility(vec3 p, vec3 n) {
  vec4 q = frame.light_uv_from_world * vec4(p + n * 0.05, 1.0);
  if (q.x <= 0.0 || q.x >= 1.0 || q.y <= 0.0 || q.y >= 1.0) return 1.0;
  return (lit_at(q.xyz, 0.0, 0.0) + lit_at(q.xyz, 2.2, 0.9) + lit_at(q.xyz, -0.9, 2.2) +
          lit_at(q.xyz, -2.2, -0.9) + lit_at(q.xyz, 0.9, -2.2)) * 0.2;
}

// 4 filtered reads, each at a corner between 4 texels, average exactly the 4 x 4 cells over which the
// occlusion's directions rotate.
float openness(vec2 uv_here) {
  float step_ = frame.sizes.w;
  vec2 uv = floor(uv_here * frame.sizes.z + 0.5) * step_;
  return (textureLod(occlusion_map, uv + vec2(-step_, -step_), 0.0).r +
          textureLod(occlusion_map, uv + vec2(step_, -step_), 0.0).r +
          textureLod(occlusion_map, uv + vec2(-step_, step_), 0.0).r +
          textureLod(occlusion_map, uv + vec2(step_, step_), 0.0).r) * 0.25;
}

float shine(vec3 n, vec3 to_light, vec3 to_eye) {
  float s = max(dot(n, normalize(to_light + to_eye)), 0.0);
  s = s * s;
  s = s * s;
  s = s * s;
  s = s * s;
  return s * s;
}

vec3 sky(float height) {
  float t = clamp(height * 1.6 + 0.75, 0.0, 1.0);
  return mix(frame.sky_horizon.rgb, frame.sky_top.rgb, t * t * (3.0 - 2.0 * t));
}

void main() {
  float work = spin(gl_FragCoord.x * 0.001, frame.loops[0].w);
  ivec2 pixel = ivec2(gl_FragCoord.xy);
  vec2 uv = gl_FragCoord.xy * frame.sizes.y;
  float depth = texelFetch(depth_map, pixel, 0).r;
  vec3 p = world_at(uv, depth);
  vec3 to_eye = normalize(frame.camera.xyz - p);
  vec3 background = sky(-to_eye.y);
  if (depth >= 1.0) {
    out_light = vec4(to_stored(background) + vec3(work), 1.0);
    return;
  }
  vec4 albedo = texelFetch(albedo_map, pixel, 0);
  vec3 n = normalize(texelFetch(normal_map, pixel, 0).rgb * 2.0 - 1.0);
  float open = openness(uv);

  vec3 ambient = mix(vec3(0.11, 0.09, 0.085), vec3(0.19, 0.24, 0.36), n.y * 0.5 + 0.5);
  vec3 light = albedo.rgb * ambient * open;
  float facing = dot(n, frame.sun_direction.xyz);
  if (facing > 0.0) {
    float seen = sun_visibility(p, n);
    light += frame.sun_color.rgb * seen *
             (albedo.rgb * facing + vec3(0.25 * shine(n, frame.sun_direction.xyz, to_eye)));
  }
  for (int i = 0; i < 4; ++i) {
    vec3 way = frame.orb_position[i].xyz - p;
    float square = dot(way, way);
    float reach = clamp(1.0 - square * 0.08, 0.0, 1.0);
    vec3 to_orb = way / sqrt(square + 0.0001);
    float lit = max(dot(n, to_orb), 0.0) * reach * reach / (0.35 + square);
    light += frame.orb_color[i].rgb * albedo.rgb * (lit * open);
  }
  light = mix(light, albedo.rgb * 6.0, albedo.a);
  float haze = clamp((length(frame.camera.xyz - p) - 14.0) * 0.075, 0.0, 1.0);
  light = mix(light, background, haze * haze * (3.0 - 2.0 * haze));
  out_light = vec4(to_stored(light) + vec3(work), 1.0);
}
)";

constexpr const char* wgsl_lighting = R"(
@group(0) @binding(1) var depth_map: texture_depth_2d;
@group(0) @binding(2) var albedo_map: texture_2d<f32>;
@group(0) @binding(3) var normal_map: texture_2d<f32>;
@group(0) @binding(4) var occlusion_map: texture_2d<f32>;
@group(0) @binding(5) var shadow_map: texture_depth_2d;
@group(0) @binding(6) var smooth_sampler: sampler;
@group(0) @binding(7) var shadow_sampler: sampler_comparison;

// 5 filtered comparisons, the outer ones on a turned square: an edge about 6 texels wide.
fn lit_at(at: vec3f, x: f32, y: f32) -> f32 {
  return textureSampleCompareLevel(shadow_map, shadow_sampler, at.xy + vec2f(x, y) * frame.terms.z, at.z - 0.0012);
}
fn sun_visibility(p: vec3f, n: vec3f) -> f32 {
  let q = frame.light_uv_from_world * vec4f(p + n * 0.05, 1.0);
  if (q.x <= 0.0 || q.x >= 1.0 || q.y <= 0.0 || q.y >= 1.0) { return 1.0; }
  return (lit_at(q.xyz, 0.0, 0.0) + lit_at(q.xyz, 2.2, 0.9) + lit_at(q.xyz, -0.9, 2.2) +
          lit_at(q.xyz, -2.2, -0.9) + lit_at(q.xyz, 0.9, -2.2)) * 0.2;
}

// 4 filtered reads, each at a corner between 4 texels, average exactly the 4 x 4 cells over which the
// occlusion's directions rotate.
fn openness(uv_here: vec2f) -> f32 {
  let step_ = frame.sizes.w;
  let uv = floor(uv_here * frame.sizes.z + 0.5) * step_;
  return (textureSampleLevel(occlusion_map, smooth_sampler, uv + vec2f(-step_, -step_), 0.0).r +
          textureSampleLevel(occlusion_map, smooth_sampler, uv + vec2f(step_, -step_), 0.0).r +
          textureSampleLevel(occlusion_map, smooth_sampler, uv + vec2f(-step_, step_), 0.0).r +
          textureSampleLevel(occlusion_map, smooth_sampler, uv + vec2f(step_, step_), 0.0).r) * 0.25;
}

fn shine(n: vec3f, to_light: vec3f, to_eye: vec3f) -> f32 {
  var s = max(dot(n, normalize(to_light + to_eye)), 0.0);
  s = s * s;
  s = s * s;
  s = s * s;
  s = s * s;
  return s * s;
}

fn sky(height: f32) -> vec3f {
  let t = clamp(height * 1.6 + 0.75, 0.0, 1.0);
  return mix(frame.sky_horizon.rgb, frame.sky_top.rgb, t * t * (3.0 - 2.0 * t));
}

@fragment fn fragment_main(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let work = spin(position.x * 0.001, frame.loops[0].w);
  let pixel = vec2i(position.xy);
  let uv = position.xy * frame.sizes.y;
  let depth = textureLoad(depth_map, pixel, 0);
  let p = world_at(uv, depth);
  let to_eye = normalize(frame.camera.xyz - p);
  let background = sky(-to_eye.y);
  if (depth >= 1.0) {
    return vec4f(to_stored(background) + vec3f(work), 1.0);
  }
  let albedo = textureLoad(albedo_map, pixel, 0);
  let n = normalize(textureLoad(normal_map, pixel, 0).rgb * 2.0 - 1.0);
  let open = openness(uv);

  let ambient = mix(vec3f(0.11, 0.09, 0.085), vec3f(0.19, 0.24, 0.36), n.y * 0.5 + 0.5);
  var light = albedo.rgb * ambient * open;
  let facing = dot(n, frame.sun_direction.xyz);
  if (facing > 0.0) {
    let seen = sun_visibility(p, n);
    light += frame.sun_color.rgb * seen *
             (albedo.rgb * facing + vec3f(0.25 * shine(n, frame.sun_direction.xyz, to_eye)));
  }
  for (var i = 0; i < 4; i++) {
    let way = frame.orb_position[i].xyz - p;
    let square = dot(way, way);
    let reach = clamp(1.0 - square * 0.08, 0.0, 1.0);
    let to_orb = way / sqrt(square + 0.0001);
    let lit = max(dot(n, to_orb), 0.0) * reach * reach / (0.35 + square);
    light += frame.orb_color[i].rgb * albedo.rgb * (lit * open);
  }
  light = mix(light, albedo.rgb * 6.0, albedo.a);
  let haze = clamp((length(frame.camera.xyz - p) - 14.0) * 0.075, 0.0, 1.0);
  light = mix(light, background, haze * haze * (3.0 - 2.0 * haze));
  return vec4f(to_stored(light) + vec3f(work), 1.0);
}
)";

// --------------------------------------------------- bloom: what is bright, blurred, a quarter of the size

constexpr const char* glsl_bloom = R"(
uniform sampler2D light_map;
layout(location = 0) out vec4 out_glow;

void main() {
  float work = spin(gl_FragCoord.x * 0.001, frame.loops[1].x);
  vec2 uv = gl_FragCoord.xy * 4.0 * frame.sizes.y;
  vec3 sum = vec3(0.0);
  float total = 0.0;
  for (int y = -3; y <= 3; ++y) {
    for (int x = -3; x <= 3; ++x) {
      vec2 cell = vec2(float(x), float(y));
      float falloff = max(1.0 - dot(cell, cell) * 0.08, 0.0);
      float weight = falloff * falloff * falloff;
      vec3 light = from_stored(textureLod(light_map, uv + cell * 0.013, 0.0).rgb);
      sum += clamp(light - vec3(1.6), vec3(0.0), vec3(4.0)) * weight;
      total += weight;
    }
  }
  out_glow = vec4(to_stored(sum / total) + vec3(work), 1.0);
}
)";

constexpr const char* wgsl_bloom = R"(
@group(0) @binding(1) var light_map: texture_2d<f32>;
@group(0) @binding(2) var smooth_sampler: sampler;

@fragment fn fragment_main(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let work = spin(position.x * 0.001, frame.loops[1].x);
  let uv = position.xy * 4.0 * frame.sizes.y;
  var sum = vec3f(0.0);
  var total = 0.0;
  for (var y = -3; y <= 3; y++) {
    for (var x = -3; x <= 3; x++) {
      let cell = vec2f(f32(x), f32(y));
      let falloff = max(1.0 - dot(cell, cell) * 0.08, 0.0);
      let weight = falloff * falloff * falloff;
      let light = from_stored(textureSampleLevel(light_map, smooth_sampler, uv + cell * 0.013, 0.0).rgb);
      sum += clamp(light - vec3f(1.6), vec3f(0.0), vec3f(4.0)) * weight;
      total += weight;
    }
  }
  return vec4f(to_stored(sum / total) + vec3f(work), 1.0);
}
)";

// --------------------------------------------- tonemap: edges smoothed, glow added, brought into 0 to 1

constexpr const char* glsl_tonemap = R"(
uniform sampler2D light_map;
uniform sampler2D glow_map;
layout(location = 0) out vec4 out_color;

vec3 light_at(vec2 uv) { return textureLod(light_map, uv, 0.0).rgb; }
float brightness(vec3 c) { return dot(c, vec3(0.3, 0.59, 0.11)); }

// Where brightness changes much, averages along the edge, found from the four neighbours of the pixel.
vec3 smoothed(ivec2 pixel, vec2 uv) {
  int last = int(frame.sizes.x) - 1;
  vec3 here = texelFetch(light_map, pixel, 0).rgb;
  float left = brightness(texelFetch(light_map, ivec2(max(pixel.x - 1, 0), pixel.y), 0).rgb);
  float right = brightness(texelFetch(light_map, ivec2(min(pixel.x + 1, last), pixel.y), 0).rgb);
  float above = brightness(texelFetch(light_map, ivec2(pixel.x, max(pixel.y - 1, 0)), 0).rgb);
  float below = brightness(texelFetch(light_map, ivec2(pixel.x, min(pixel.y + 1, last)), 0).rgb);
  vec2 slope = vec2(right - left, below - above);
  float steepness = sqrt(dot(slope, slope));
  vec2 along = vec2(-slope.y, slope.x) * (frame.sizes.y / (steepness + 0.001));
  vec3 averaged = (light_at(uv - along) + light_at(uv + along) + here) / 3.0;
  return mix(here, averaged, clamp(steepness * 12.0 - 0.4, 0.0, 1.0));
}

void main() {
  float work = spin(gl_FragCoord.x * 0.001, frame.loops[1].y);
  vec2 uv = gl_FragCoord.xy * frame.sizes.y;
  vec3 light = from_stored(smoothed(ivec2(gl_FragCoord.xy), uv)) + from_stored(textureLod(glow_map, uv, 0.0).rgb) * 1.1;
  vec2 off = uv - 0.5;
  light = light * (1.0 - 0.55 * dot(off, off));
  vec3 mapped = light * (light * 0.22 + 1.0) / (light + 1.0);
  out_color = vec4(pow(clamp(mapped * 1.12, 0.0, 1.0), vec3(0.4545)) + vec3(work), 1.0);
}
)";

constexpr const char* wgsl_tonemap = R"(
@group(0) @binding(1) var light_map: texture_2d<f32>;
@group(0) @binding(2) var glow_map: texture_2d<f32>;
@group(0) @binding(3) var smooth_sampler: sampler;

fn light_at(uv: vec2f) -> vec3f { return textureSampleLevel(light_map, smooth_sampler, uv, 0.0).rgb; }
fn brightness(c: vec3f) -> f32 { return dot(c, vec3f(0.3, 0.59, 0.11)); }

// Where brightness changes much, averages along the edge, found from the four neighbours of the pixel.
fn smoothed(pixel: vec2i, uv: vec2f) -> vec3f {
  let last = i32(frame.sizes.x) - 1;
  let here = textureLoad(light_map, pixel, 0).rgb;
  let left = brightness(textureLoad(light_map, vec2i(max(pixel.x - 1, 0), pixel.y), 0).rgb);
  let right = brightness(textureLoad(light_map, vec2i(min(pixel.x + 1, last), pixel.y), 0).rgb);
  let above = brightness(textureLoad(light_map, vec2i(pixel.x, max(pixel.y - 1, 0)), 0).rgb);
  let below = brightness(textureLoad(light_map, vec2i(pixel.x, min(pixel.y + 1, last)), 0).rgb);
  let slope = vec2f(right - left, below - above);
  let steepness = sqrt(dot(slope, slope));
  let along = vec2f(-slope.y, slope.x) * (frame.sizes.y / (steepness + 0.001));
  let averaged = (light_at(uv - along) + light_at(uv + along) + here) / 3.0;
  return mix(here, averaged, clamp(steepness * 12.0 - 0.4, 0.0, 1.0));
}

@fragment fn fragment_main(@builtin(position) position: vec4f) -> @location(0) vec4f {
  let work = spin(position.x * 0.001, frame.loops[1].y);
  let uv = position.xy * frame.sizes.y;
  var light = from_stored(smoothed(vec2i(position.xy), uv)) + from_stored(textureSampleLevel(glow_map, smooth_sampler, uv, 0.0).rgb) * 1.1;
  let off = uv - 0.5;
  light = light * (1.0 - 0.55 * dot(off, off));
  let mapped = light * (light * 0.22 + 1.0) / (light + 1.0);
  return vec4f(pow(clamp(mapped * 1.12, vec3f(0.0), vec3f(1.0)), vec3f(0.4545)) + vec3f(work), 1.0);
}
)";

struct PassText {
  const char* glsl_vertex_helpers;
  const char* glsl_vertex;
  const char* glsl_fragment;
  const char* wgsl_vertex_helpers;
  const char* wgsl;
};

constexpr PassText texts[pass_count] = {
    {glsl_instance, glsl_shadow_vertex, glsl_shadow_fragment, wgsl_instance, wgsl_shadow},
    {glsl_instance, glsl_gbuffer_vertex, glsl_gbuffer_fragment, wgsl_instance, wgsl_gbuffer},
    {"", glsl_fullscreen_vertex, glsl_ssao, wgsl_fullscreen_vertex, wgsl_ssao},
    {"", glsl_fullscreen_vertex, glsl_lighting, wgsl_fullscreen_vertex, wgsl_lighting},
    {"", glsl_fullscreen_vertex, glsl_bloom, wgsl_fullscreen_vertex, wgsl_bloom},
    {"", glsl_fullscreen_vertex, glsl_tonemap, wgsl_fullscreen_vertex, wgsl_tonemap},
};

void replace_all(std::string& text, std::string_view name, const std::string& by) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + by.size())) {
    text.replace(at, name.size(), by);
  }
}

// Puts the workload's steps where the text of spin() names them; WGSL has no macros that could.
std::string with_steps(std::string text, int counts_a_turn) {
  constexpr int steps_a_count = 8;
  std::string count, turn;
  for (int i = 0; i < steps_a_count; ++i) count += "x = x * a + b;";
  for (int i = 0; i < counts_a_turn; ++i) turn += count;
  replace_all(text, "COUNTS_A_TURN", std::to_string(counts_a_turn));
  replace_all(text, "STEPS_OF_A_TURN", turn);
  replace_all(text, "STEPS_OF_A_COUNT", count);
  return text;
}

std::string glsl_prelude(bool is_gles) { return is_gles ? glsl_prelude_es : glsl_prelude_desktop; }

}  // namespace

std::string glsl_vertex(Pass pass, bool is_gles, int counts_a_turn) {
  return with_steps(glsl_prelude(is_gles) + glsl_common + texts[index_of(pass)].glsl_vertex_helpers +
                        texts[index_of(pass)].glsl_vertex,
                    counts_a_turn);
}

std::string glsl_fragment(Pass pass, bool is_gles, int counts_a_turn) {
  return with_steps(glsl_prelude(is_gles) + glsl_common + texts[index_of(pass)].glsl_fragment, counts_a_turn);
}

std::string wgsl(Pass pass, int counts_a_turn) {
  return with_steps(
      std::string(wgsl_common) + texts[index_of(pass)].wgsl_vertex_helpers + texts[index_of(pass)].wgsl,
      counts_a_turn);
}

}  // namespace scene
