// The OpenGL functions this backend calls, whatever loaded them, and what the context they belong to can do.
#pragma once

#include <cstdint>
#include <string>

#include "gl_api.h"
#include "passmeter/gl/gl_timer.h"

namespace passmeter::gl {

/// One member per function, under its core name; an extension's suffixed function stands in where the context
/// has only that. Null: the context lacks it.
struct GlFunctions {
  void(PASSMETER_GL_CALL* gen_queries)(GLsizei, GLuint*) = nullptr;
  void(PASSMETER_GL_CALL* delete_queries)(GLsizei, const GLuint*) = nullptr;
  void(PASSMETER_GL_CALL* begin_query)(GLenum, GLuint) = nullptr;
  void(PASSMETER_GL_CALL* end_query)(GLenum) = nullptr;
  void(PASSMETER_GL_CALL* query_counter)(GLuint, GLenum) = nullptr;
  void(PASSMETER_GL_CALL* get_query_iv)(GLenum, GLenum, GLint*) = nullptr;
  void(PASSMETER_GL_CALL* get_query_object_uiv)(GLuint, GLenum, GLuint*) = nullptr;
  void(PASSMETER_GL_CALL* get_query_object_ui64v)(GLuint, GLenum, GLuint64*) = nullptr;
  void(PASSMETER_GL_CALL* get_integer_v)(GLenum, GLint*) = nullptr;
  void(PASSMETER_GL_CALL* flush)() = nullptr;
  void(PASSMETER_GL_CALL* finish)() = nullptr;
  GLsync(PASSMETER_GL_CALL* fence_sync)(GLenum, GLbitfield) = nullptr;
  GLenum(PASSMETER_GL_CALL* client_wait_sync)(GLsync, GLbitfield, GLuint64) = nullptr;
  void(PASSMETER_GL_CALL* delete_sync)(GLsync) = nullptr;
  GLenum(PASSMETER_GL_CALL* get_reset_status)() = nullptr;
  void(PASSMETER_GL_CALL* push_debug_group)(GLenum, GLuint, GLsizei, const GLchar*) = nullptr;
  void(PASSMETER_GL_CALL* pop_debug_group)() = nullptr;
};

/// What no browser has is left out of its build, for the size of the download.
#ifdef __EMSCRIPTEN__
inline constexpr bool on_web = true;
#else
inline constexpr bool on_web = false;
#endif

/// What the context says about itself.
struct ContextInfo {
  bool es = false;   ///< OpenGL ES or WebGL.
  bool web = false;  ///< WebGL.
  int major = 0;
  int minor = 0;
  std::string vendor, renderer, version;
  /// The extension or version that gives timer queries with 64-bit results; "" where there is none.
  std::string timer_queries;
  /// Why there are no timer queries; "" where there are.
  std::string timer_queries_lack;
  int timestamp_bits = 0;     ///< QUERY_COUNTER_BITS
  int elapsed_bits = 0;       ///< QUERY_COUNTER_BITS
  bool no_wait = false;       ///< QUERY_RESULT_NO_WAIT can be asked for.
  bool disjoint = false;      ///< GPU_DISJOINT can be asked for.
  bool fences = false;        ///< Fence syncs can be made.
  bool reset_status = false;  ///< The context tells when it is lost.
  bool debug_groups = false;
  int max_debug_groups = 0;   ///< Including the one that is always there.
  int max_debug_message = 0;  ///< Length of a name, with its end.
};

/// One of the two shapes of a get-proc-address function, or none.
struct Loader {
  GetProcAddress proc = nullptr;
  GetProcAddressVoid void_proc = nullptr;

  explicit operator bool() const noexcept { return proc != nullptr || void_proc != nullptr; }
  Proc find(const char* name) const noexcept;
};

/// Fills both from the current context. False: there is no context, or it is lost; both are then empty.
/// Leaves no GL error behind that was not there before.
bool load(const Loader& loader, GlFunctions& functions, ContextInfo& info);

}  // namespace passmeter::gl
