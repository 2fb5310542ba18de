#include "helper_context.h"

#include <string_view>

#include "query_pool.h"

#ifdef __EMSCRIPTEN__
#include "passmeter/gl/web.h"

// Emscripten's own, absent from the ES 3 header.
extern "C" void glGetBufferSubData(GLenum target, GLintptr offset, GLsizeiptr size, void* data);
#endif

namespace passmeter::gl {
namespace {

template <class Function>
void take(const Loader& loader, const char* name, Function& function) {
  function = reinterpret_cast<Function>(loader.find(name));
}

void take_all(const Loader& loader, HelperFunctions& f) {
  take(loader, "glColorMask", f.color_mask);
  take(loader, "glDepthMask", f.depth_mask);
  take(loader, "glGetBooleanv", f.get_boolean_v);
  take(loader, "glGetIntegerv", f.get_integer_v);
  take(loader, "glGenBuffers", f.gen_buffers);
  take(loader, "glDeleteBuffers", f.delete_buffers);
  take(loader, "glBindBuffer", f.bind_buffer);
  take(loader, "glBufferData", f.buffer_data);
  take(loader, "glCopyBufferSubData", f.copy_buffer_sub_data);
  take(loader, "glMapBufferRange", f.map_buffer_range);
  take(loader, "glUnmapBuffer", f.unmap_buffer);
  take(loader, "glReadPixels", f.read_pixels);
  take(loader, "glPixelStorei", f.pixel_store_i);
}

#ifdef __EMSCRIPTEN__
// web_functions knows queries and fences only: the rest is Emscripten's, whose ids the application's buffers
// have.
void take_emscripten(HelperFunctions& f) {
  f.color_mask = glColorMask;
  f.depth_mask = glDepthMask;
  f.get_boolean_v = glGetBooleanv;
  f.get_integer_v = glGetIntegerv;
  f.gen_buffers = glGenBuffers;
  f.delete_buffers = glDeleteBuffers;
  f.bind_buffer = glBindBuffer;
  f.buffer_data = [](GLenum target, std::ptrdiff_t size, const void* data, GLenum usage) {
    glBufferData(target, size, data, usage);
  };
  f.copy_buffer_sub_data = [](GLenum from, GLenum to, std::ptrdiff_t read, std::ptrdiff_t write,
                              std::ptrdiff_t size) { glCopyBufferSubData(from, to, read, write, size); };
  f.get_buffer_sub_data = [](GLenum target, std::ptrdiff_t offset, std::ptrdiff_t size, void* data) {
    glGetBufferSubData(target, offset, size, data);
  };
  f.read_pixels = glReadPixels;
  f.pixel_store_i = glPixelStorei;
}
#endif

constexpr GLuint count_untouched = 0xA5C30FF0u;
constexpr GLuint64 long_count_untouched = 0xA5C30FF05AE1D2B7u;

}  // namespace

bool HelperContext::load() {
  more = {};
  boolean_occlusion = false;
  has_context = passmeter::gl::load(loader, gl, info);
  if (!has_context) return false;
#ifdef __EMSCRIPTEN__
  if (loader.proc == web_functions) {
    take_emscripten(more);
  } else {
    take_all(loader, more);
  }
#else
  take_all(loader, more);
#endif
  if (info.web) {
    // Emscripten's table has these names on every context; WebGL cannot map a buffer to read it.
    more.map_buffer_range = nullptr;
    more.unmap_buffer = nullptr;
    if (more.get_buffer_sub_data == nullptr) take(loader, "glGetBufferSubData", more.get_buffer_sub_data);
  }
  boolean_occlusion =
      info.es && info.major == 2 && !info.web && has_extension("GL_EXT_occlusion_query_boolean");
  if (boolean_occlusion && gl.gen_queries == nullptr) {
    take(loader, "glGenQueriesEXT", gl.gen_queries);
    take(loader, "glDeleteQueriesEXT", gl.delete_queries);
    take(loader, "glBeginQueryEXT", gl.begin_query);
    take(loader, "glEndQueryEXT", gl.end_query);
    take(loader, "glGetQueryivEXT", gl.get_query_iv);
    take(loader, "glGetQueryObjectuivEXT", gl.get_query_object_uiv);
  }
  return true;
}

bool HelperContext::lost() const noexcept {
  return info.reset_status && gl.get_reset_status() != GL_NO_ERROR;
}

bool HelperContext::has_extension(const char* name) const {
  using GetString = const GLubyte*(PASSMETER_GL_CALL*)(GLenum);
  const auto get_string = reinterpret_cast<GetString>(loader.find("glGetString"));
  const GLubyte* all = get_string != nullptr ? get_string(value::extensions) : nullptr;
  if (all == nullptr) return false;
  const std::string_view list = reinterpret_cast<const char*>(all);
  const std::string_view wanted = name;
  for (std::size_t at = list.find(wanted); at != list.npos; at = list.find(wanted, at + 1)) {
    const std::size_t end = at + wanted.size();
    if ((at == 0 || list[at - 1] == ' ') && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

bool HelperContext::has_query_target(GLenum target) const noexcept {
  if (!has_context || gl.gen_queries == nullptr || gl.delete_queries == nullptr ||
      gl.begin_query == nullptr || gl.end_query == nullptr || gl.get_query_iv == nullptr ||
      gl.get_query_object_uiv == nullptr) {
    return false;
  }
  const bool es3 = info.es && info.major >= 3;
  switch (target) {
    case value::samples_passed:
      return !info.es;
    case value::any_samples_passed:
      return es3 || boolean_occlusion || (!info.es && is_at_least(3, 3));
    case value::any_samples_passed_conservative:
      return es3 || boolean_occlusion || (!info.es && is_at_least(4, 3));
    case value::primitives_written:
      return es3 || (!info.es && is_at_least(3, 0));
    case value::primitives_generated:
      return info.es ? !info.web && is_at_least(3, 2) : is_at_least(3, 0);
    default:
      return false;
  }
}

bool read_count(const GlFunctions& functions, GLuint id, std::uint64_t& count) noexcept {
  if (functions.get_query_object_ui64v != nullptr) {
    GLuint64 written = long_count_untouched;
    functions.get_query_object_ui64v(id, value::query_result, &written);
    count = written;
    return written != long_count_untouched;
  }
  GLuint written = count_untouched;
  functions.get_query_object_uiv(id, value::query_result, &written);
  count = written;
  return written != count_untouched;
}

}  // namespace passmeter::gl
