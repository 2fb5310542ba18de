// The entry points of the fake driver: X(GL name, implementation in fake_gl_entry_points.cpp, flavours that
// have it). One enumerator each, so that counting a call is one indexed increment.
#pragma once

#include <cstddef>
#include <cstdint>

namespace passmeter::testing {

// Bits of a set of flavours.
inline constexpr std::uint8_t on_gl = 1, on_es2 = 2, on_es3 = 4, on_web1 = 8, on_web2 = 16;
inline constexpr std::uint8_t on_all = on_gl | on_es2 | on_es3 | on_web1 | on_web2;
inline constexpr std::uint8_t on_v3 = on_gl | on_es3 | on_web2;    // GL 3, ES 3, WebGL 2
inline constexpr std::uint8_t on_native = on_gl | on_es3;          // what WebGL 2 left out
inline constexpr std::uint8_t on_old = on_es2 | on_es3 | on_web1;  // EXT_disjoint_timer_query, all of it
inline constexpr std::uint8_t on_ext64 = on_old | on_web2;  // ... and the part Emscripten has on WebGL 2
inline constexpr std::uint8_t on_es = on_es2 | on_es3;

// clang-format off
#define PASSMETER_FAKE_GL_QUERY_ENTRIES(X)                                \
  X(glGenQueries, gen_queries, on_v3)                                     \
  X(glDeleteQueries, delete_queries, on_v3)                               \
  X(glIsQuery, is_query, on_v3)                                           \
  X(glBeginQuery, begin_query, on_v3)                                     \
  X(glEndQuery, end_query, on_v3)                                         \
  X(glQueryCounter, query_counter, on_gl)                                 \
  X(glGetQueryiv, get_query_iv, on_v3)                                    \
  X(glGetQueryObjectiv, get_query_object_iv, on_gl)                       \
  X(glGetQueryObjectuiv, get_query_object_uiv, on_v3)                     \
  X(glGetQueryObjecti64v, get_query_object_i64v, on_gl)                   \
  X(glGetQueryObjectui64v, get_query_object_ui64v, on_gl)                 \
  X(glGenQueriesEXT, gen_queries, on_old)                                 \
  X(glDeleteQueriesEXT, delete_queries, on_old)                           \
  X(glIsQueryEXT, is_query, on_old)                                       \
  X(glBeginQueryEXT, begin_query, on_old)                                 \
  X(glEndQueryEXT, end_query, on_old)                                     \
  X(glQueryCounterEXT, query_counter, on_ext64)                           \
  X(glGetQueryivEXT, get_query_iv, on_old)                                \
  X(glGetQueryObjectivEXT, get_query_object_iv, on_old)                   \
  X(glGetQueryObjectuivEXT, get_query_object_uiv, on_old)                 \
  X(glGetQueryObjecti64vEXT, get_query_object_i64v, on_ext64)             \
  X(glGetQueryObjectui64vEXT, get_query_object_ui64v, on_ext64)

#define PASSMETER_FAKE_GL_OTHER_ENTRIES(X)                                \
  X(glGetString, get_string, on_all)                                      \
  X(glGetStringi, get_string_i, on_v3)                                    \
  X(glGetIntegerv, get_integer_v, on_all)                                 \
  X(glGetInteger64v, get_integer64_v, on_v3)                              \
  X(glGetInteger64vEXT, get_integer64_v, on_es)                           \
  X(glGetBooleanv, get_boolean_v, on_all)                                 \
  X(glGetError, get_error, on_all)                                        \
  X(glGetGraphicsResetStatus, get_reset_status, on_native)                \
  X(glGetGraphicsResetStatusKHR, get_reset_status, on_gl | on_es)         \
  X(glGetGraphicsResetStatusEXT, get_reset_status, on_es)                 \
  X(glGetGraphicsResetStatusARB, get_reset_status, on_gl)                 \
  X(glFlush, flush, on_all)                                               \
  X(glFinish, finish, on_all)                                             \
  X(glFenceSync, fence_sync, on_v3)                                       \
  X(glClientWaitSync, client_wait_sync, on_v3)                            \
  X(glWaitSync, wait_sync, on_v3)                                         \
  X(glGetSynciv, get_sync_iv, on_v3)                                      \
  X(glDeleteSync, delete_sync, on_v3)                                     \
  X(glIsSync, is_sync, on_v3)                                             \
  X(glColorMask, color_mask, on_all)                                      \
  X(glDepthMask, depth_mask, on_all)                                      \
  X(glEnable, enable, on_all)                                             \
  X(glDisable, disable, on_all)                                           \
  X(glIsEnabled, is_enabled, on_all)                                      \
  X(glPixelStorei, pixel_store_i, on_all)                                 \
  X(glDrawArrays, draw_arrays, on_all)                                    \
  X(glBeginTransformFeedback, begin_feedback, on_v3)                      \
  X(glPauseTransformFeedback, pause_feedback, on_v3)                      \
  X(glResumeTransformFeedback, resume_feedback, on_v3)                    \
  X(glEndTransformFeedback, end_feedback, on_v3)                          \
  X(glGenBuffers, gen_buffers, on_all)                                    \
  X(glDeleteBuffers, delete_buffers, on_all)                              \
  X(glIsBuffer, is_buffer, on_all)                                        \
  X(glBindBuffer, bind_buffer, on_all)                                    \
  X(glBindBufferBase, bind_buffer_base, on_v3)                            \
  X(glBufferData, buffer_data, on_all)                                    \
  X(glBufferSubData, buffer_sub_data, on_all)                             \
  X(glCopyBufferSubData, copy_buffer_sub_data, on_v3)                     \
  X(glMapBufferRange, map_buffer_range, on_native)                        \
  X(glUnmapBuffer, unmap_buffer, on_native)                               \
  X(glGetBufferSubData, get_buffer_sub_data, on_gl | on_web2)             \
  X(glReadPixels, read_pixels, on_all)                                    \
  X(glPushDebugGroup, push_debug_group, on_native)                        \
  X(glPopDebugGroup, pop_debug_group, on_native)                          \
  X(glPushDebugGroupKHR, push_debug_group, on_es)                         \
  X(glPopDebugGroupKHR, pop_debug_group, on_es)
// clang-format on

enum class Entry : std::uint16_t {
#define PASSMETER_FAKE_GL_ENUMERATOR(name, function, flavours) name,
  PASSMETER_FAKE_GL_QUERY_ENTRIES(PASSMETER_FAKE_GL_ENUMERATOR)
      PASSMETER_FAKE_GL_OTHER_ENTRIES(PASSMETER_FAKE_GL_ENUMERATOR)
#undef PASSMETER_FAKE_GL_ENUMERATOR
          count
};

inline constexpr std::size_t entry_count = static_cast<std::size_t>(Entry::count);
// Query entries come first in the enumeration.
inline constexpr std::size_t query_entry_count = static_cast<std::size_t>(Entry::glGetString);

struct EntryInfo {
  const char* name;
  std::uint8_t flavours;
  void (*proc)();
};

// All entry points, in the order of Entry.
extern const EntryInfo entry_table[entry_count];

}  // namespace passmeter::testing
