#include "city_gl.h"

#include <algorithm>
#include <cstring>

#include "glad/gl.h"

namespace city {
namespace {

constexpr const char* box_vertex = R"(
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
uniform mat4 clip_from_world;
uniform vec4 object[3];
out vec3 face;
out vec3 local;
void main() {
  face = normal;
  local = position * object[1].xyz;
  gl_Position = clip_from_world * vec4(object[0].xyz + local, 1.0);
}
)";

constexpr const char* box_fragment = R"(
uniform vec4 object[3];
in vec3 face;
in vec3 local;
layout(location = 0) out vec4 albedo;
layout(location = 1) out vec4 number;
void main() {
  vec2 wall = abs(face.x) > 0.5 ? local.zy : abs(face.z) > 0.5 ? local.xy : local.xz * 0.3;
  vec2 cell = fract(wall * 0.8);
  float window = step(0.25, cell.x) * step(cell.x, 0.75) * step(0.3, cell.y) * step(cell.y, 0.8);
  albedo = vec4(object[2].rgb * mix(1.0, abs(face.y) > 0.5 ? 0.9 : 0.45, window), 1.0);
  float id = object[0].w;
  float high = floor(id / 256.0);
  float direction = dot(face, vec3(0.15, 0.75, 0.35)) * 0.5 + 0.5;
  number = vec4((id - high * 256.0) / 255.0, high / 255.0, direction, 1.0);
}
)";

constexpr const char* bounds_vertex = R"(
layout(location = 0) in vec3 position;
uniform mat4 clip_from_world;
uniform vec4 object[3];
void main() {
  gl_Position = clip_from_world * vec4(object[0].xyz + position * (object[1].xyz + object[1].w), 1.0);
}
)";

constexpr const char* nothing_fragment = "void main() {}\n";

constexpr const char* screen_vertex = R"(
void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(corner, 0.0, 1.0);
}
)";

constexpr const char* light_fragment = R"(
uniform sampler2D albedo_map;
uniform sampler2D number_map;
layout(location = 0) out vec4 color;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec4 albedo = texelFetch(albedo_map, at, 0);
  float direction = texelFetch(number_map, at, 0).z;
  vec3 sky = vec3(0.55, 0.7, 0.9);
  color = vec4(albedo.a > 0.5 ? albedo.rgb * (0.25 + 0.85 * direction) : sky, 1.0);
}
)";

}  // namespace

struct CityGl::Impl {
  struct Program {
    GLuint id = 0;
    GLint matrix = -1;
    GLint object = -1;
  };
  struct Model {
    GLuint array = 0;
    GLsizei indices = 0;
  };

  Impl(const City& what, bool gles, int pixels) : city(what), is_gles(gles), size(pixels) {}

  GLuint compile(GLenum stage, const char* text);
  Program link(const char* vertex, const char* fragment);
  Model upload(const Mesh& mesh);
  GLuint make_texture(GLenum format);
  void make_targets(int count);
  void use(const Program& program);
  void draw(const Program& program, const Model& model, std::uint32_t id);
  std::vector<std::uint8_t> read();

  const City& city;
  bool is_gles;
  int size;
  GladGLContext gl{};
  std::string why;
  Program box_program, bounds_program, light_program;
  Model box, bounds;
  GLuint empty_array = 0;
  std::vector<GLuint> buffers, textures;
  GLuint gbuffer = 0, light_target = 0, depth = 0;
  GLuint albedo = 0, numbers = 0;
  std::vector<GLuint> pictures;
  Camera camera;
};

GLuint CityGl::Impl::compile(GLenum stage, const char* text) {
  const std::string head =
      is_gles ? "#version 300 es\nprecision highp float;\nprecision highp int;\n" : "#version 330 core\n";
  const std::string whole = head + text;
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

CityGl::Impl::Program CityGl::Impl::link(const char* vertex, const char* fragment) {
  Program program;
  program.id = gl.CreateProgram();
  for (const GLuint shader : {compile(GL_VERTEX_SHADER, vertex), compile(GL_FRAGMENT_SHADER, fragment)}) {
    gl.AttachShader(program.id, shader);
    gl.DeleteShader(shader);
  }
  gl.LinkProgram(program.id);
  GLint good = 0;
  gl.GetProgramiv(program.id, GL_LINK_STATUS, &good);
  if (good == 0 && why.empty()) why = "a program does not link";
  program.matrix = gl.GetUniformLocation(program.id, "clip_from_world");
  program.object = gl.GetUniformLocation(program.id, "object");
  return program;
}

CityGl::Impl::Model CityGl::Impl::upload(const Mesh& mesh) {
  Model model;
  model.indices = static_cast<GLsizei>(mesh.indices.size());
  gl.GenVertexArrays(1, &model.array);
  gl.BindVertexArray(model.array);
  GLuint both[2] = {};
  gl.GenBuffers(2, both);
  gl.BindBuffer(GL_ARRAY_BUFFER, both[0]);
  gl.BufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(mesh.vertices.size() * sizeof(Vertex)),
                mesh.vertices.data(), GL_STATIC_DRAW);
  gl.BindBuffer(GL_ELEMENT_ARRAY_BUFFER, both[1]);
  gl.BufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(mesh.indices.size() * sizeof(std::uint32_t)),
                mesh.indices.data(), GL_STATIC_DRAW);
  for (GLuint i = 0; i < 2; ++i) {
    gl.EnableVertexAttribArray(i);
    gl.VertexAttribPointer(i, 3, GL_FLOAT, GL_FALSE, sizeof(Vertex),
                           reinterpret_cast<const void*>(std::uintptr_t{i * sizeof(float) * 3}));
    buffers.push_back(both[i]);
  }
  return model;
}

GLuint CityGl::Impl::make_texture(GLenum format) {
  GLuint texture = 0;
  gl.GenTextures(1, &texture);
  gl.BindTexture(GL_TEXTURE_2D, texture);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  const bool is_depth = format == GL_DEPTH_COMPONENT24;
  gl.TexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(format), size, size, 0,
                is_depth ? GL_DEPTH_COMPONENT : GL_RGBA, is_depth ? GL_UNSIGNED_INT : GL_UNSIGNED_BYTE,
                nullptr);
  textures.push_back(texture);
  return texture;
}

void CityGl::Impl::make_targets(int count) {
  albedo = make_texture(GL_RGBA8);
  numbers = make_texture(GL_RGBA8);
  depth = make_texture(GL_DEPTH_COMPONENT24);
  for (int i = 0; i < std::max(count, 1); ++i) pictures.push_back(make_texture(GL_RGBA8));
  gl.GenFramebuffers(1, &gbuffer);
  gl.BindFramebuffer(GL_FRAMEBUFFER, gbuffer);
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, albedo, 0);
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, numbers, 0);
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
  const GLenum draws[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  gl.DrawBuffers(2, draws);
  if (gl.CheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    why = "a framebuffer is incomplete";
  gl.GenFramebuffers(1, &light_target);
}

CityGl::CityGl(const City& city, ProcLoader loader, bool is_gles, int size, int pictures)
    : impl_(std::make_unique<Impl>(city, is_gles, size)) {
  Impl& impl = *impl_;
  const int version = is_gles ? gladLoadGLES2Context(&impl.gl, reinterpret_cast<GLADloadfunc>(loader))
                              : gladLoadGLContext(&impl.gl, reinterpret_cast<GLADloadfunc>(loader));
  if (version == 0) {
    impl.why = "the OpenGL functions cannot be loaded";
    return;
  }
  impl.box_program = impl.link(box_vertex, box_fragment);
  impl.bounds_program = impl.link(bounds_vertex, nothing_fragment);
  impl.light_program = impl.link(screen_vertex, light_fragment);
  if (!impl.why.empty()) return;
  impl.gl.UseProgram(impl.light_program.id);
  impl.gl.Uniform1i(impl.gl.GetUniformLocation(impl.light_program.id, "albedo_map"), 0);
  impl.gl.Uniform1i(impl.gl.GetUniformLocation(impl.light_program.id, "number_map"), 1);
  impl.box = impl.upload(city.box());
  impl.bounds = impl.upload(city.bounds());
  impl.gl.GenVertexArrays(1, &impl.empty_array);
  impl.make_targets(pictures);
}

CityGl::~CityGl() {
  Impl& impl = *impl_;
  if (impl.gl.DeleteProgram == nullptr) return;
  for (const auto* program : {&impl.box_program, &impl.bounds_program, &impl.light_program}) {
    impl.gl.DeleteProgram(program->id);
  }
  impl.gl.DeleteBuffers(static_cast<GLsizei>(impl.buffers.size()), impl.buffers.data());
  impl.gl.DeleteTextures(static_cast<GLsizei>(impl.textures.size()), impl.textures.data());
  for (const GLuint array : {impl.box.array, impl.bounds.array, impl.empty_array}) {
    impl.gl.DeleteVertexArrays(1, &array);
  }
  for (const GLuint target : {impl.gbuffer, impl.light_target}) impl.gl.DeleteFramebuffers(1, &target);
}

const std::string& CityGl::why() const { return impl_->why; }

void CityGl::Impl::use(const Program& program) {
  gl.UseProgram(program.id);
  gl.UniformMatrix4fv(program.matrix, 1, GL_FALSE, camera.clip_from_world.data());
}

void CityGl::Impl::draw(const Program& program, const Model& model, std::uint32_t id) {
  gl.Uniform4fv(program.object, 3, city.objects()[id].center);
  gl.DrawElements(GL_TRIANGLES, model.indices, GL_UNSIGNED_INT, nullptr);
}

void CityGl::begin_gbuffer(const Camera& camera) {
  Impl& impl = *impl_;
  const GladGLContext& gl = impl.gl;
  impl.camera = camera;
  gl.BindFramebuffer(GL_FRAMEBUFFER, impl.gbuffer);
  gl.Viewport(0, 0, impl.size, impl.size);
  constexpr GLenum unwanted[] = {GL_BLEND, GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_DITHER};
  for (const GLenum state : unwanted) gl.Disable(state);
  gl.Enable(GL_DEPTH_TEST);
  gl.DepthFunc(GL_LEQUAL);
  gl.Enable(GL_CULL_FACE);
  gl.ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  gl.DepthMask(GL_TRUE);
  gl.ClearColor(0, 0, 0, 0);
  gl.Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  impl.use(impl.box_program);
  gl.BindVertexArray(impl.box.array);
}

void CityGl::draw(std::uint32_t id) { impl_->draw(impl_->box_program, impl_->box, id); }

void CityGl::begin_bounds() {
  impl_->use(impl_->bounds_program);
  impl_->gl.BindVertexArray(impl_->bounds.array);
}

void CityGl::draw_bounds(std::uint32_t id) { impl_->draw(impl_->bounds_program, impl_->bounds, id); }

void CityGl::light(int picture) {
  Impl& impl = *impl_;
  const GladGLContext& gl = impl.gl;
  gl.BindFramebuffer(GL_FRAMEBUFFER, impl.light_target);
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                          impl.pictures[static_cast<std::size_t>(picture)], 0);
  gl.Disable(GL_DEPTH_TEST);
  gl.Disable(GL_CULL_FACE);
  gl.UseProgram(impl.light_program.id);
  gl.ActiveTexture(GL_TEXTURE1);
  gl.BindTexture(GL_TEXTURE_2D, impl.numbers);
  gl.ActiveTexture(GL_TEXTURE0);
  gl.BindTexture(GL_TEXTURE_2D, impl.albedo);
  gl.BindVertexArray(impl.empty_array);
  gl.DrawArrays(GL_TRIANGLES, 0, 3);
}

std::vector<std::uint8_t> CityGl::Impl::read() {
  const std::size_t row = static_cast<std::size_t>(size) * 4;
  std::vector<std::uint8_t> pixels(row * static_cast<std::size_t>(size));
  gl.ReadPixels(0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  for (std::size_t top = 0, bottom = static_cast<std::size_t>(size) - 1; top < bottom; ++top, --bottom) {
    std::swap_ranges(pixels.begin() + static_cast<std::ptrdiff_t>(top * row),
                     pixels.begin() + static_cast<std::ptrdiff_t>((top + 1) * row),
                     pixels.begin() + static_cast<std::ptrdiff_t>(bottom * row));
  }
  return pixels;
}

std::vector<std::uint8_t> CityGl::read_picture(int picture) {
  const GladGLContext& gl = impl_->gl;
  gl.BindFramebuffer(GL_FRAMEBUFFER, impl_->light_target);
  gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                          impl_->pictures[static_cast<std::size_t>(picture)], 0);
  gl.ReadBuffer(GL_COLOR_ATTACHMENT0);
  return impl_->read();
}

std::vector<std::uint8_t> CityGl::read_numbers() {
  const GladGLContext& gl = impl_->gl;
  gl.BindFramebuffer(GL_FRAMEBUFFER, impl_->gbuffer);
  gl.ReadBuffer(GL_COLOR_ATTACHMENT1);
  return impl_->read();
}

void CityGl::present(int picture, unsigned framebuffer, int width, int height) {
  const GladGLContext& gl = impl_->gl;
  gl.BindFramebuffer(GL_READ_FRAMEBUFFER, impl_->light_target);
  gl.FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                          impl_->pictures[static_cast<std::size_t>(picture)], 0);
  gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
  gl.BlitFramebuffer(0, 0, impl_->size, impl_->size, 0, 0, width, height, GL_COLOR_BUFFER_BIT,
                     width == impl_->size && height == impl_->size ? GL_NEAREST : GL_LINEAR);
  gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

int CityGl::take_error_count() {
  if (impl_->gl.GetError == nullptr) return 0;
  int count = 0;
  while (count < 100 && impl_->gl.GetError() != GL_NO_ERROR) ++count;
  return count;
}

}  // namespace city
