#include "gl_renderer.h"

#include <array>
#include <cstddef>

#include "glad/gl.h"
#include "shaders.h"

namespace scene {
namespace {

struct Target {
  GLuint framebuffer = 0;
  int size = 0;
};

struct TextureFormat {
  GLenum internal;
  GLenum format;
  GLenum type;
};

constexpr TextureFormat rgba8 = {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
constexpr TextureFormat rgb10 = {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV};
constexpr TextureFormat r8 = {GL_R8, GL_RED, GL_UNSIGNED_BYTE};
constexpr TextureFormat depth32 = {GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT};

enum Texture : std::size_t {
  shadow_map,
  depth_map,
  albedo_map,
  normal_map,
  occlusion_map,
  light_map,
  glow_map,
  picture,
};
constexpr std::size_t texture_count = picture + 1;

// Names of the samplers in the shaders; a texture's unit is its index.
constexpr std::array<const char*, texture_count> sampler_names = {
    "shadow_map", "depth_map", "albedo_map", "normal_map", "occlusion_map", "light_map", "glow_map", ""};

}  // namespace

struct GlRenderer::Impl {
  GladGLContext gl{};
  Options options;
  std::string why;
  Geometry geometry = make_geometry();
  Instances instances;
  std::array<GLuint, pass_count> programs{};
  std::array<std::array<GLuint, 2>, pass_count> shaders{};  // until their program is linked
  std::array<GLuint, texture_count> textures{};
  std::array<Target, pass_count> targets{};
  GLuint outside_framebuffer = 0;  // of 1 x 1, made when first needed
  GLuint outside_renderbuffer = 0;
  GLuint vertex_array = 0;
  GLuint empty_vertex_array = 0;
  GLuint vertex_buffer = 0;
  GLuint index_buffer = 0;
  GLuint instance_buffer = 0;
  GLuint uniform_buffer = 0;

  bool load(ProcLoader loader);
  GLuint compile(GLenum stage, const std::string& text);
  void start_program(Pass pass);
  bool finish_program(Pass pass);
  void make_buffers();
  void make_texture(Texture texture, const TextureFormat& format, int size, GLint filter);
  bool make_target(Pass pass, int size, std::initializer_list<Texture> colors, GLuint depth);
  bool make_targets();
  void delete_targets();

  void upload(int frame);
  void bind_target(Pass pass);
  void leave_target();
  void use_textures(std::initializer_list<Texture> list);
  void point_at_instances(std::size_t first);
  void draw_objects();
  void draw_fullscreen();
  void draw_pass(Pass pass);
};

bool GlRenderer::Impl::load(ProcLoader loader) {
  if (loader == nullptr) {
    why = "no function loads OpenGL's entry points";
    return false;
  }
  const int version = options.is_gles ? gladLoadGLES2Context(&gl, loader) : gladLoadGLContext(&gl, loader);
  const int wanted = options.is_gles ? 30 : 33;
  const int got = GLAD_VERSION_MAJOR(version) * 10 + GLAD_VERSION_MINOR(version);
  if (version == 0)
    why = "OpenGL's entry points could not be loaded: is a context current?";
  else if (got < wanted)
    why = options.is_gles ? "OpenGL ES 3.0 is needed" : "OpenGL 3.3 core is needed";
  return why.empty();
}

GLuint GlRenderer::Impl::compile(GLenum stage, const std::string& text) {
  const GLuint shader = gl.CreateShader(stage);
  const char* pointer = text.c_str();
  gl.ShaderSource(shader, 1, &pointer, nullptr);
  gl.CompileShader(shader);
  return shader;
}

void GlRenderer::Impl::start_program(Pass pass) {
  const GLuint program = programs[index_of(pass)] = gl.CreateProgram();
  shaders[index_of(pass)] = {
      compile(GL_VERTEX_SHADER, glsl_vertex(pass, options.is_gles, options.counts_a_turn)),
      compile(GL_FRAGMENT_SHADER, glsl_fragment(pass, options.is_gles, options.counts_a_turn))};
  for (const GLuint shader : shaders[index_of(pass)]) gl.AttachShader(program, shader);
  gl.LinkProgram(program);
}

bool GlRenderer::Impl::finish_program(Pass pass) {
  const GLuint program = programs[index_of(pass)];
  GLint linked = 0;
  gl.GetProgramiv(program, GL_LINK_STATUS, &linked);
  if (linked == 0) {
    std::array<char, 1024> log{};
    const GLsizei room = static_cast<GLsizei>(log.size());
    why = std::string("the shaders of pass ") + pass_names[index_of(pass)] + " failed: ";
    for (const GLuint shader : shaders[index_of(pass)]) {
      gl.GetShaderInfoLog(shader, room, nullptr, log.data());
      why += log.data();
    }
    gl.GetProgramInfoLog(program, room, nullptr, log.data());
    why += log.data();
  }
  for (const GLuint shader : shaders[index_of(pass)]) gl.DeleteShader(shader);
  if (linked == 0) return false;

  gl.UseProgram(program);
  gl.UniformBlockBinding(program, gl.GetUniformBlockIndex(program, frame_block_name), 0);
  for (std::size_t unit = 0; unit < texture_count; ++unit) {
    const GLint location = gl.GetUniformLocation(program, sampler_names[unit]);
    if (location >= 0) gl.Uniform1i(location, static_cast<GLint>(unit));
  }
  return true;
}

void GlRenderer::Impl::make_buffers() {
  const auto make = [this](GLenum target, std::size_t bytes, const void* data, GLenum usage) {
    GLuint buffer = 0;
    gl.GenBuffers(1, &buffer);
    gl.BindBuffer(target, buffer);
    gl.BufferData(target, static_cast<GLsizeiptr>(bytes), data, usage);
    return buffer;
  };
  gl.GenVertexArrays(1, &empty_vertex_array);
  gl.GenVertexArrays(1, &vertex_array);
  gl.BindVertexArray(vertex_array);
  index_buffer = make(GL_ELEMENT_ARRAY_BUFFER, geometry.indices.size() * sizeof(std::uint16_t),
                      geometry.indices.data(), GL_STATIC_DRAW);
  vertex_buffer = make(GL_ARRAY_BUFFER, geometry.vertices.size() * sizeof(Vertex), geometry.vertices.data(),
                       GL_STATIC_DRAW);
  gl.EnableVertexAttribArray(0);
  gl.VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(Vertex), nullptr);
  gl.EnableVertexAttribArray(1);
  gl.VertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof(Vertex),
                         reinterpret_cast<const void*>(offsetof(Vertex, normal)));
  make_instances(0, instances);
  instance_buffer = make(GL_ARRAY_BUFFER, instances.list.size() * sizeof(Instance), nullptr, GL_DYNAMIC_DRAW);
  for (GLuint i = 2; i < 6; ++i) {
    gl.EnableVertexAttribArray(i);
    gl.VertexAttribDivisor(i, 1);
  }
  uniform_buffer = make(GL_UNIFORM_BUFFER, sizeof(FrameUniforms), nullptr, GL_DYNAMIC_DRAW);
}

void GlRenderer::Impl::make_texture(Texture texture, const TextureFormat& format, int size, GLint filter) {
  gl.GenTextures(1, &textures[texture]);
  gl.ActiveTexture(static_cast<GLenum>(GL_TEXTURE0 + texture));
  gl.BindTexture(GL_TEXTURE_2D, textures[texture]);
  gl.TexImage2D(GL_TEXTURE_2D, 0, static_cast<GLint>(format.internal), size, size, 0, format.format,
                format.type, nullptr);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  if (texture == shadow_map) {
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
  }
}

bool GlRenderer::Impl::make_target(Pass pass, int size, std::initializer_list<Texture> colors, GLuint depth) {
  Target& target = targets[index_of(pass)];
  target.size = size;
  gl.GenFramebuffers(1, &target.framebuffer);
  gl.BindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
  std::array<GLenum, 2> buffers = {GL_NONE, GL_NONE};
  std::size_t count = 0;
  for (const Texture color : colors) {
    const GLenum attachment = static_cast<GLenum>(GL_COLOR_ATTACHMENT0 + count);
    gl.FramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, textures[color], 0);
    buffers[count++] = attachment;
  }
  if (depth != 0) gl.FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
  gl.DrawBuffers(static_cast<GLsizei>(count == 0 ? 1 : count), buffers.data());
  if (count == 0) gl.ReadBuffer(GL_NONE);
  if (gl.CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) return true;
  why = std::string("the framebuffer of pass ") + pass_names[index_of(pass)] + " is incomplete";
  return false;
}

bool GlRenderer::Impl::make_targets() {
  const int size = options.size;
  make_texture(shadow_map, depth32, shadow_size(size), GL_LINEAR);
  make_texture(depth_map, depth32, size, GL_NEAREST);
  make_texture(albedo_map, rgba8, size, GL_NEAREST);
  make_texture(normal_map, rgb10, size, GL_NEAREST);
  make_texture(occlusion_map, r8, occlusion_size(size), GL_LINEAR);
  make_texture(light_map, rgb10, size, GL_LINEAR);
  make_texture(glow_map, rgb10, bloom_size(size), GL_LINEAR);
  make_texture(picture, rgba8, size, GL_NEAREST);
  return make_target(pass_shadow, shadow_size(size), {}, textures[shadow_map]) &&
         make_target(pass_gbuffer, size, {albedo_map, normal_map}, textures[depth_map]) &&
         make_target(pass_ssao, occlusion_size(size), {occlusion_map}, 0) &&
         make_target(pass_lighting, size, {light_map}, 0) &&
         make_target(pass_bloom, bloom_size(size), {glow_map}, 0) &&
         make_target(pass_tonemap, size, {picture}, 0);
}

void GlRenderer::Impl::delete_targets() {
  for (Target& target : targets) {
    gl.DeleteFramebuffers(1, &target.framebuffer);
    target = {};
  }
  gl.DeleteTextures(static_cast<GLsizei>(textures.size()), textures.data());
  textures = {};
  gl.DeleteFramebuffers(1, &outside_framebuffer);
  gl.DeleteRenderbuffers(1, &outside_renderbuffer);
  outside_framebuffer = outside_renderbuffer = 0;
}

void GlRenderer::Impl::upload(int frame) {
  const FrameUniforms uniforms = make_uniforms(frame, options.size, options.load, ClipSpace::opengl);
  gl.BindBuffer(GL_UNIFORM_BUFFER, uniform_buffer);
  gl.BufferSubData(GL_UNIFORM_BUFFER, 0, sizeof(uniforms), &uniforms);
  gl.BindBufferBase(GL_UNIFORM_BUFFER, 0, uniform_buffer);
  make_instances(frame, instances);
  gl.BindBuffer(GL_ARRAY_BUFFER, instance_buffer);
  gl.BufferSubData(GL_ARRAY_BUFFER, 0, static_cast<GLsizeiptr>(instances.list.size() * sizeof(Instance)),
                   instances.list.data());
}

void GlRenderer::Impl::bind_target(Pass pass) {
  gl.BindFramebuffer(GL_FRAMEBUFFER, targets[index_of(pass)].framebuffer);
  gl.Viewport(0, 0, targets[index_of(pass)].size, targets[index_of(pass)].size);
}

void GlRenderer::Impl::leave_target() {
  if (outside_framebuffer == 0) {
    gl.GenFramebuffers(1, &outside_framebuffer);
    gl.BindFramebuffer(GL_FRAMEBUFFER, outside_framebuffer);
    gl.GenRenderbuffers(1, &outside_renderbuffer);
    gl.BindRenderbuffer(GL_RENDERBUFFER, outside_renderbuffer);
    gl.RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 1, 1);
    gl.FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, outside_renderbuffer);
  }
  static constexpr std::array<GLfloat, 4> black = {0, 0, 0, 0};
  gl.BindFramebuffer(GL_FRAMEBUFFER, outside_framebuffer);
  gl.ClearBufferfv(GL_COLOR, 0, black.data());  // binding alone changes nothing in the driver yet
}

void GlRenderer::Impl::use_textures(std::initializer_list<Texture> list) {
  for (const Texture texture : list) {
    gl.ActiveTexture(static_cast<GLenum>(GL_TEXTURE0 + texture));
    gl.BindTexture(GL_TEXTURE_2D, textures[texture]);
  }
}

// OpenGL ES 3.0 has no base instance: the attributes are pointed at the first one instead.
void GlRenderer::Impl::point_at_instances(std::size_t first) {
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t offset = first * sizeof(Instance) + i * sizeof(Vector);
    gl.VertexAttribPointer(static_cast<GLuint>(2 + i), 4, GL_FLOAT, GL_FALSE, sizeof(Instance),
                           reinterpret_cast<const void*>(offset));
  }
}

void GlRenderer::Impl::draw_objects() {
  gl.Enable(GL_DEPTH_TEST);
  gl.DepthMask(GL_TRUE);
  gl.DepthFunc(GL_LESS);
  gl.Enable(GL_CULL_FACE);
  gl.CullFace(GL_BACK);
  gl.FrontFace(GL_CW);  // the projections mirror y
  gl.BindVertexArray(vertex_array);
  gl.BindBuffer(GL_ARRAY_BUFFER, instance_buffer);
  const auto draw = [this](const Mesh& mesh, std::size_t first, std::uint32_t count) {
    point_at_instances(first);
    gl.DrawElementsInstanced(GL_TRIANGLES, static_cast<GLsizei>(mesh.index_count), GL_UNSIGNED_SHORT,
                             reinterpret_cast<const void*>(mesh.first_index * sizeof(std::uint16_t)),
                             static_cast<GLsizei>(count));
  };
  draw(geometry.box, 0, instances.box_count);
  draw(geometry.sphere, instances.box_count, instances.sphere_count);
}

void GlRenderer::Impl::draw_fullscreen() {
  gl.Disable(GL_DEPTH_TEST);
  gl.Disable(GL_CULL_FACE);
  gl.BindVertexArray(empty_vertex_array);
  gl.DrawArrays(GL_TRIANGLES, 0, 3);
}

void GlRenderer::Impl::draw_pass(Pass pass) {
  static constexpr GLfloat far_depth = 1.0F;
  static constexpr std::array<GLfloat, 4> black = {0, 0, 0, 0};
  bind_target(pass);
  gl.UseProgram(programs[index_of(pass)]);
  // Also where everything is drawn over: WebGPU's passes clear on loading, and both are to do the same work.
  const int color_targets = pass == pass_shadow ? 0 : pass == pass_gbuffer ? 2 : 1;
  for (int i = 0; i < color_targets; ++i) gl.ClearBufferfv(GL_COLOR, i, black.data());
  switch (pass) {
    case pass_shadow:
    case pass_gbuffer:
      gl.DepthMask(GL_TRUE);
      gl.ClearBufferfv(GL_DEPTH, 0, &far_depth);
      draw_objects();
      return;
    case pass_ssao:
      use_textures({depth_map, normal_map});
      break;
    case pass_lighting:
      use_textures({depth_map, albedo_map, normal_map, occlusion_map, shadow_map});
      break;
    case pass_bloom:
      use_textures({light_map});
      break;
    case pass_tonemap:
      use_textures({light_map, glow_map});
      break;
    case pass_count:
      return;
  }
  draw_fullscreen();
}

GlRenderer::GlRenderer(ProcLoader loader, const Options& options) : impl_(std::make_unique<Impl>()) {
  impl_->options = options;
  impl_->options.size = clamped_size(options.size);
  if (!impl_->load(loader)) return;
  // All are under way before the first answer is waited for: drivers compile in parallel.
  for (int pass = 0; pass < pass_count; ++pass) impl_->start_program(static_cast<Pass>(pass));
  for (int pass = 0; pass < pass_count; ++pass)
    if (!impl_->finish_program(static_cast<Pass>(pass))) return;
  impl_->make_buffers();
  impl_->make_targets();
}

GlRenderer::~GlRenderer() {
  const GladGLContext& gl = impl_->gl;
  if (gl.DeleteProgram == nullptr) return;  // never loaded
  impl_->delete_targets();
  for (const GLuint program : impl_->programs) gl.DeleteProgram(program);
  for (const GLuint buffer :
       {impl_->vertex_buffer, impl_->index_buffer, impl_->instance_buffer, impl_->uniform_buffer})
    gl.DeleteBuffers(1, &buffer);
  for (const GLuint array : {impl_->vertex_array, impl_->empty_vertex_array})
    gl.DeleteVertexArrays(1, &array);
}

bool GlRenderer::valid() const { return impl_->why.empty(); }
const std::string& GlRenderer::why() const { return impl_->why; }
int GlRenderer::size() const { return impl_->options.size; }
void GlRenderer::set_load(float load) { impl_->options.load = load; }

void GlRenderer::draw(int frame, const GlPassHooks& hooks) {
  if (!valid()) return;
  const GladGLContext& gl = impl_->gl;
  static constexpr std::array<GLenum, 4> unwanted = {GL_BLEND, GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_DITHER};
  for (const GLenum state : unwanted) gl.Disable(state);
  gl.ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  impl_->upload(frame);
  for (int pass = 0; pass < pass_count; ++pass) {
    if (hooks.begin != nullptr) hooks.begin(hooks.user, pass);
    impl_->draw_pass(static_cast<Pass>(pass));
    if (hooks.end != nullptr) hooks.end(hooks.user, pass);
  }
  gl.BindVertexArray(0);
}

void GlRenderer::draw_pass_again(Pass pass) {
  if (!valid()) return;
  impl_->draw_pass(pass);
  impl_->gl.BindVertexArray(0);
}

void GlRenderer::leave_target() {
  if (valid()) impl_->leave_target();
}

void GlRenderer::read_pixels(std::vector<std::uint8_t>& rgba) {
  if (!valid()) return;
  const GladGLContext& gl = impl_->gl;
  const int size = impl_->options.size;
  rgba.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(size) * 4);
  gl.BindFramebuffer(GL_READ_FRAMEBUFFER, impl_->targets[index_of(pass_tonemap)].framebuffer);
  gl.ReadPixels(0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, rgba.data());
}

void GlRenderer::present(unsigned framebuffer, int width, int height) {
  if (!valid()) return;
  const GladGLContext& gl = impl_->gl;
  const int size = impl_->options.size;
  gl.BindFramebuffer(GL_READ_FRAMEBUFFER, impl_->targets[index_of(pass_tonemap)].framebuffer);
  gl.BindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
  gl.Disable(GL_SCISSOR_TEST);
  // Row 0 of the picture is its top, row 0 of the framebuffer its bottom.
  gl.BlitFramebuffer(0, 0, size, size, 0, height, width, 0, GL_COLOR_BUFFER_BIT,
                     width == size && height == size ? GL_NEAREST : GL_LINEAR);
  gl.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}

void GlRenderer::resize(int size) {
  if (!valid() || clamped_size(size) == impl_->options.size) return;
  impl_->options.size = clamped_size(size);
  impl_->delete_targets();
  impl_->make_targets();
}

int GlRenderer::take_error_count() {
  if (impl_->gl.GetError == nullptr) return 0;
  int count = 0;
  // A lost context may answer with an error for ever.
  while (count < 1000 && impl_->gl.GetError() != GL_NO_ERROR) ++count;
  return count;
}

}  // namespace scene
