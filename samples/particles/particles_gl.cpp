#include "particles_gl.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>

#include "glad/gl.h"

namespace particles {
namespace {

// rule.cpp, in GLSL.
constexpr const char* rule_text = R"(
uint mix_bits(uint x) {
  x ^= x >> 16u;
  x *= 0x7FEB352Du;
  x ^= x >> 15u;
  x *= 0x846CA68Bu;
  return x ^ (x >> 16u);
}
void be_born(uint frame, uint index, out ivec4 place, out ivec4 motion) {
  uint a = mix_bits(frame * 65537u + index + 1u);
  uint b = mix_bits(a + 0x9E3779B9u);
  place = ivec4(0, 0, 0, 40 + int(b & 63u));
  motion = ivec4(int(a & 4095u) - 2048, 4000 + int((a >> 12u) & 4095u), int((b >> 8u) & 4095u) - 2048, int(b));
}
void age(inout ivec4 place, inout ivec4 motion) {
  if (place.w <= 0) return;
  motion.y -= 180;
  place.xyz += motion.xyz;
  place.w -= 1;
  if (place.y < 0) place.w = 0;
}
)";

constexpr const char* step_vertex = R"(
layout(location = 0) in ivec4 old_place;
layout(location = 1) in ivec4 old_motion;
uniform uint frame;
uniform bool newborn;
flat out ivec4 OUT_PLACE;
flat out ivec4 OUT_MOTION;
void main() {
  ivec4 p = old_place;
  ivec4 m = old_motion;
  if (newborn) be_born(frame, uint(gl_VertexID), p, m);
  else age(p, m);
  OUT_PLACE = p;
  OUT_MOTION = m;
  gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
  gl_PointSize = 1.0;
}
)";

// The dead are not passed on.
constexpr const char* step_geometry = R"(
layout(points) in;
layout(points, max_vertices = 1) out;
flat in ivec4 moved_place[];
flat in ivec4 moved_motion[];
flat out ivec4 place;
flat out ivec4 motion;
void main() {
  if (moved_place[0].w > 0) {
    place = moved_place[0];
    motion = moved_motion[0];
    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);
    EmitVertex();
    EndPrimitive();
  }
}
)";

constexpr const char* nothing_fragment = "out vec4 color; void main() { color = vec4(0.0); }\n";

constexpr const char* draw_vertex = R"(
layout(location = 0) in ivec4 place;
layout(location = 1) in ivec4 motion;
out vec3 tint;
void main() {
  vec2 at = vec2(place.xy) / 262144.0;
  gl_Position = place.w > 0 ? vec4(at.x, at.y * 2.4 - 0.9, 0.0, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = 3.0;
  float age = float(place.w) / 103.0;
  tint = mix(vec3(1.0, 0.25, 0.1), vec3(1.0, 0.9, 0.5), age) + vec3(0.0, 0.0, float(place.z) / 524288.0);
}
)";

constexpr const char* draw_fragment = R"(
in vec3 tint;
out vec4 color;
void main() { color = vec4(tint, 1.0); }
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

struct ParticlesGl::Impl {
  Impl(const Options& given, bool gles, int pixels) : options(given), is_gles(gles), size(pixels) {}

  GLuint compile(GLenum stage, const std::string& text);
  GLuint link(std::initializer_list<GLuint> shaders, bool captures);
  void make_programs();
  void make_buffers();
  void make_target();
  void clear_target_buffer(std::uint32_t count);
  std::uint32_t drop_oldest(std::uint32_t frame);

  Options options;
  bool is_gles;
  int size;
  bool has_geometry = false;
  Compaction compaction = Compaction::by_age;
  GladGLContext gl{};
  std::string why;
  GLuint step_program = 0, draw_program = 0;
  GLint frame_place = -1, newborn_place = -1;
  GLuint buffers[2] = {};
  GLuint arrays[2] = {};
  GLuint zeros = 0;
  GLuint framebuffer = 0, texture = 0;
  int current = 0;  // of the buffers: what the last step wrote
  // by_age
  struct Generation {
    std::uint32_t frame, count;
  };
  std::deque<Generation> generations;
  std::uint32_t kept = 0, dropped = 0;
};

GLuint ParticlesGl::Impl::compile(GLenum stage, const std::string& text) {
  const char* version = !is_gles       ? "#version 330 core\n"
                        : has_geometry ? "#version 320 es\n"
                                       : "#version 300 es\n";
  const std::string whole =
      std::string(version) + (is_gles ? "precision highp float;\nprecision highp int;\n" : "") + text;
  const char* source = whole.c_str();
  const GLuint shader = gl.CreateShader(stage);
  gl.ShaderSource(shader, 1, &source, nullptr);
  gl.CompileShader(shader);
  GLint good = 0;
  gl.GetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good == 0) {
    char log[1024] = "a shader does not compile";
    gl.GetShaderInfoLog(shader, sizeof log, nullptr, log);
    why = log;
  }
  return shader;
}

GLuint ParticlesGl::Impl::link(std::initializer_list<GLuint> shaders, bool captures) {
  const GLuint program = gl.CreateProgram();
  for (const GLuint shader : shaders) {
    gl.AttachShader(program, shader);
    gl.DeleteShader(shader);
  }
  if (captures) {
    const char* names[] = {"place", "motion"};
    gl.TransformFeedbackVaryings(program, 2, names, GL_INTERLEAVED_ATTRIBS);
  }
  gl.LinkProgram(program);
  GLint good = 0;
  gl.GetProgramiv(program, GL_LINK_STATUS, &good);
  if (good == 0 && why.empty()) {
    char log[1024] = "a program does not link";
    gl.GetProgramInfoLog(program, sizeof log, nullptr, log);
    why = log;
  }
  return program;
}

void ParticlesGl::Impl::make_programs() {
  const bool geometry = compaction == Compaction::geometry_shader;
  std::string vertex = std::string(rule_text) + step_vertex;
  vertex = replaced(vertex, "OUT_PLACE", geometry ? "moved_place" : "place");
  vertex = replaced(vertex, "OUT_MOTION", geometry ? "moved_motion" : "motion");
  const GLuint fragment = compile(GL_FRAGMENT_SHADER, nothing_fragment);
  if (geometry) {
    step_program =
        link({compile(GL_VERTEX_SHADER, vertex), compile(GL_GEOMETRY_SHADER, step_geometry), fragment}, true);
  } else {
    step_program = link({compile(GL_VERTEX_SHADER, vertex), fragment}, true);
  }
  draw_program =
      link({compile(GL_VERTEX_SHADER, draw_vertex), compile(GL_FRAGMENT_SHADER, draw_fragment)}, false);
  frame_place = gl.GetUniformLocation(step_program, "frame");
  newborn_place = gl.GetUniformLocation(step_program, "newborn");
}

void ParticlesGl::Impl::make_buffers() {
  const auto bytes = static_cast<GLsizeiptr>(std::size_t{options.capacity} * sizeof(Particle));
  const std::vector<std::uint8_t> nothing(static_cast<std::size_t>(bytes), 0);
  gl.GenBuffers(2, buffers);
  gl.GenBuffers(1, &zeros);
  gl.GenVertexArrays(2, arrays);
  for (int i = 0; i < 2; ++i) {
    gl.BindVertexArray(arrays[i]);
    gl.BindBuffer(GL_ARRAY_BUFFER, buffers[i]);
    gl.BufferData(GL_ARRAY_BUFFER, bytes, nothing.data(), GL_DYNAMIC_COPY);
    for (GLuint a = 0; a < 2; ++a) {
      gl.EnableVertexAttribArray(a);
      gl.VertexAttribIPointer(a, 4, GL_INT, sizeof(Particle),
                              reinterpret_cast<const void*>(std::uintptr_t{a * 16}));
    }
  }
  gl.BindBuffer(GL_COPY_READ_BUFFER, zeros);
  gl.BufferData(GL_COPY_READ_BUFFER, bytes, nothing.data(), GL_STATIC_COPY);
  // WebGL2 refuses to write into a buffer that is bound anywhere else.
  gl.BindVertexArray(0);
  gl.BindBuffer(GL_ARRAY_BUFFER, 0);
  gl.BindBuffer(GL_COPY_READ_BUFFER, 0);
}

void ParticlesGl::Impl::make_target() {
  gl.GenTextures(1, &texture);
  gl.BindTexture(GL_TEXTURE_2D, texture);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  gl.TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  gl.GenFramebuffers(1, &framebuffer);
  gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  if (gl.CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    why = "the framebuffer is incomplete";
}

ParticlesGl::ParticlesGl(const Options& options, ProcLoader loader, bool is_gles, int size, Compaction wanted)
    : impl_(std::make_unique<Impl>(options, is_gles, size)) {
  Impl& impl = *impl_;
  impl.options.capacity = std::max(impl.options.capacity, 1u);
  const int loaded = is_gles ? gladLoadGLES2Context(&impl.gl, reinterpret_cast<GLADloadfunc>(loader))
                             : gladLoadGLContext(&impl.gl, reinterpret_cast<GLADloadfunc>(loader));
  if (loaded == 0) {
    impl.why = "the OpenGL functions cannot be loaded";
    return;
  }
  GLint major = 0, minor = 0;
  impl.gl.GetIntegerv(GL_MAJOR_VERSION, &major);
  impl.gl.GetIntegerv(GL_MINOR_VERSION, &minor);
  const char* version = reinterpret_cast<const char*>(impl.gl.GetString(GL_VERSION));
  const bool web = version != nullptr && std::strstr(version, "WebGL") != nullptr;
  impl.has_geometry = !web && (!is_gles || major > 3 || (major == 3 && minor >= 2));
  impl.compaction = impl.has_geometry ? wanted : Compaction::by_age;
  impl.make_programs();
  if (!impl.why.empty()) return;
  impl.make_buffers();
  impl.make_target();
}

ParticlesGl::~ParticlesGl() {
  const GladGLContext& gl = impl_->gl;
  if (gl.DeleteProgram == nullptr) return;
  for (const GLuint program : {impl_->step_program, impl_->draw_program}) gl.DeleteProgram(program);
  gl.DeleteBuffers(2, impl_->buffers);
  gl.DeleteBuffers(1, &impl_->zeros);
  gl.DeleteVertexArrays(2, impl_->arrays);
  gl.DeleteFramebuffers(1, &impl_->framebuffer);
  gl.DeleteTextures(1, &impl_->texture);
}

const std::string& ParticlesGl::why() const { return impl_->why; }
Compaction ParticlesGl::compaction() const { return impl_->compaction; }
std::uint32_t ParticlesGl::kept() const { return impl_->kept; }
std::uint32_t ParticlesGl::dropped() const { return impl_->dropped; }

// What the geometry shader does not write must read as dead in the next frame.
void ParticlesGl::Impl::clear_target_buffer(std::uint32_t count) {
  const auto bytes = static_cast<GLsizeiptr>(std::size_t{count} * sizeof(Particle));
  if (bytes == 0) return;
  gl.BindBuffer(GL_COPY_READ_BUFFER, zeros);
  gl.BindBuffer(GL_COPY_WRITE_BUFFER, buffers[1 - current]);
  gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, bytes);
}

// Generations all of which must be dead after this frame's step; how many particles that are, at the buffer's
// begin.
std::uint32_t ParticlesGl::Impl::drop_oldest(std::uint32_t frame) {
  std::uint32_t count = 0;
  while (!generations.empty() &&
         frame - generations.front().frame >= static_cast<std::uint32_t>(longest_life)) {
    count += generations.front().count;
    generations.pop_front();
  }
  return count;
}

void ParticlesGl::step(std::uint32_t frame, std::uint32_t most, const Hooks& hooks) {
  Impl& impl = *impl_;
  const GladGLContext& gl = impl.gl;
  std::uint32_t first = 0;
  std::uint32_t old = std::min(most, impl.options.capacity);
  std::uint32_t fresh = emitted(impl.options, frame);
  if (impl.compaction == Compaction::by_age) {
    first = impl.drop_oldest(frame);
    old = impl.kept - first;
    // A captured draw without room is an error in ES 3.0 and WebGL2, so the CPU, which knows, draws fewer.
    const std::uint32_t room = impl.options.capacity - old;
    impl.dropped = fresh > room ? fresh - room : 0;
    fresh -= impl.dropped;
    impl.generations.push_back({frame, fresh});
    impl.kept = old + fresh;
  } else {
    impl.clear_target_buffer(std::min(old + fresh, impl.options.capacity));
  }
  gl.UseProgram(impl.step_program);
  gl.Uniform1ui(impl.frame_place, frame);
  gl.BindVertexArray(impl.arrays[impl.current]);
  gl.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, impl.buffers[1 - impl.current]);
  gl.Enable(GL_RASTERIZER_DISCARD);
  if (hooks.begin != nullptr) hooks.begin(hooks.user);
  gl.BeginTransformFeedback(GL_POINTS);
  gl.Uniform1i(impl.newborn_place, 0);
  if (old > 0) gl.DrawArrays(GL_POINTS, static_cast<GLint>(first), static_cast<GLsizei>(old));
  gl.Uniform1i(impl.newborn_place, 1);
  if (fresh > 0) gl.DrawArrays(GL_POINTS, 0, static_cast<GLsizei>(std::min(fresh, impl.options.capacity)));
  gl.EndTransformFeedback();
  if (hooks.end != nullptr) hooks.end(hooks.user);
  gl.Disable(GL_RASTERIZER_DISCARD);
  gl.BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
  impl.current = 1 - impl.current;
}

void ParticlesGl::draw(std::uint32_t most) {
  Impl& impl = *impl_;
  const GladGLContext& gl = impl.gl;
  gl.BindFramebuffer(GL_FRAMEBUFFER, impl.framebuffer);
  gl.Viewport(0, 0, impl.size, impl.size);
  constexpr GLenum unwanted[] = {GL_DEPTH_TEST, GL_BLEND, GL_SCISSOR_TEST, GL_CULL_FACE};
  for (const GLenum state : unwanted) gl.Disable(state);
  if (!impl.is_gles) gl.Enable(GL_PROGRAM_POINT_SIZE);
  gl.ClearColor(0.05F, 0.06F, 0.1F, 1.0F);
  gl.Clear(GL_COLOR_BUFFER_BIT);
  gl.UseProgram(impl.draw_program);
  gl.BindVertexArray(impl.arrays[impl.current]);
  gl.DrawArrays(GL_POINTS, 0, static_cast<GLsizei>(std::min(most, impl.options.capacity)));
}

std::vector<std::uint8_t> ParticlesGl::read_picture() {
  const GladGLContext& gl = impl_->gl;
  const std::size_t row = static_cast<std::size_t>(impl_->size) * 4;
  std::vector<std::uint8_t> pixels(row * static_cast<std::size_t>(impl_->size));
  gl.BindFramebuffer(GL_FRAMEBUFFER, impl_->framebuffer);
  gl.ReadPixels(0, 0, impl_->size, impl_->size, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  for (std::size_t top = 0, bottom = static_cast<std::size_t>(impl_->size) - 1; top < bottom;
       ++top, --bottom) {
    std::swap_ranges(pixels.begin() + static_cast<std::ptrdiff_t>(top * row),
                     pixels.begin() + static_cast<std::ptrdiff_t>((top + 1) * row),
                     pixels.begin() + static_cast<std::ptrdiff_t>(bottom * row));
  }
  return pixels;
}

void ParticlesGl::present(unsigned target, int width, int height) {
  const GladGLContext& gl = impl_->gl;
  gl.BindFramebuffer(GL_READ_FRAMEBUFFER, impl_->framebuffer);
  gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, target);
  gl.BlitFramebuffer(0, 0, impl_->size, impl_->size, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                     width == impl_->size && height == impl_->size ? GL_NEAREST : GL_LINEAR);
  gl.BindFramebuffer(GL_FRAMEBUFFER, target);
}

int ParticlesGl::take_error_count() {
  if (impl_->gl.GetError == nullptr) return 0;
  int count = 0;
  while (count < 100 && impl_->gl.GetError() != GL_NO_ERROR) ++count;
  return count;
}

}  // namespace particles
