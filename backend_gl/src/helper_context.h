// What the helpers beside the timer share: the context's functions, and whether it is still there.
#pragma once

#include <cstddef>
#include <string>

#include "gl_functions.h"
#include "passmeter/source.h"

namespace passmeter::gl {

namespace value {

inline constexpr GLenum samples_passed = 0x8914;
inline constexpr GLenum any_samples_passed = 0x8C2F;
inline constexpr GLenum any_samples_passed_conservative = 0x8D6A;
inline constexpr GLenum primitives_generated = 0x8C87;
inline constexpr GLenum primitives_written = 0x8C88;
inline constexpr GLenum color_writemask = 0x0C23;
inline constexpr GLenum depth_writemask = 0x0B72;
inline constexpr GLenum pixel_pack_buffer = 0x88EB;
inline constexpr GLenum pixel_pack_buffer_binding = 0x88ED;
inline constexpr GLenum copy_read_buffer = 0x8F36;  // binding queries use the same value
inline constexpr GLenum copy_write_buffer = 0x8F37;
inline constexpr GLenum stream_read = 0x88E1;
inline constexpr GLenum map_read_bit = 0x0001;
inline constexpr GLenum pack_alignment = 0x0D05;
inline constexpr GLenum pack_row_length = 0x0D02;
inline constexpr GLenum pack_skip_rows = 0x0D03;
inline constexpr GLenum pack_skip_pixels = 0x0D04;

}  // namespace value

/// Functions that only the helpers call; null where the context lacks them.
struct HelperFunctions {
  void(PASSMETER_GL_CALL* color_mask)(GLboolean, GLboolean, GLboolean, GLboolean) = nullptr;
  void(PASSMETER_GL_CALL* depth_mask)(GLboolean) = nullptr;
  void(PASSMETER_GL_CALL* get_boolean_v)(GLenum, GLboolean*) = nullptr;
  /// On WebGL the one that knows the numbers of the application's buffers.
  void(PASSMETER_GL_CALL* get_integer_v)(GLenum, GLint*) = nullptr;
  void(PASSMETER_GL_CALL* gen_buffers)(GLsizei, GLuint*) = nullptr;
  void(PASSMETER_GL_CALL* delete_buffers)(GLsizei, const GLuint*) = nullptr;
  void(PASSMETER_GL_CALL* bind_buffer)(GLenum, GLuint) = nullptr;
  void(PASSMETER_GL_CALL* buffer_data)(GLenum, std::ptrdiff_t, const void*, GLenum) = nullptr;
  void(PASSMETER_GL_CALL* copy_buffer_sub_data)(GLenum, GLenum, std::ptrdiff_t, std::ptrdiff_t,
                                                std::ptrdiff_t) = nullptr;
  void*(PASSMETER_GL_CALL* map_buffer_range)(GLenum, std::ptrdiff_t, std::ptrdiff_t, GLbitfield) = nullptr;
  GLboolean(PASSMETER_GL_CALL* unmap_buffer)(GLenum) = nullptr;
  /// WebGL2, which cannot map.
  void(PASSMETER_GL_CALL* get_buffer_sub_data)(GLenum, std::ptrdiff_t, std::ptrdiff_t, void*) = nullptr;
  void(PASSMETER_GL_CALL* read_pixels)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void*) = nullptr;
  void(PASSMETER_GL_CALL* pixel_store_i)(GLenum, GLint) = nullptr;
};

/// The functions of one context and what they can do there.
class HelperContext {
 public:
  explicit HelperContext(Loader load_with) : loader(load_with) {}

  /// Loads everything from the current context. False: there is none.
  bool load();
  /// The context is gone: nothing is called any more.
  void forget() noexcept { has_context = false; }
  /// Whether the driver says that the context was lost. Asked before results are believed: a lost context
  /// reports everything available, with results of 0.
  bool lost() const noexcept;
  /// Queries of this target can be made.
  bool has_query_target(GLenum target) const noexcept;

  Loader loader;
  GlFunctions gl;
  HelperFunctions more;
  ContextInfo info;
  bool has_context = false;
  bool boolean_occlusion = false;  ///< ES 2: EXT_occlusion_query_boolean.

 private:
  bool is_at_least(int major, int minor) const noexcept {
    return info.major > major || (info.major == major && info.minor >= minor);
  }
  bool has_extension(const char* name) const;
};

/// Reads a result that is available, with 64 bits where the context has them. False: the driver wrote
/// nothing.
bool read_count(const GlFunctions& functions, GLuint id, std::uint64_t& count) noexcept;

}  // namespace passmeter::gl
