// OpenGL's types, and the values this backend uses: from glad natively, from the system headers with
// Emscripten. The values have names of our own because no one header has them all.
#pragma once

#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#define PASSMETER_GL_CALL
#else
#include "glad/gl.h"
#define PASSMETER_GL_CALL GLAD_API_PTR
#endif

namespace passmeter::gl::value {

inline constexpr GLenum time_elapsed = 0x88BF;
inline constexpr GLenum timestamp = 0x8E28;
inline constexpr GLenum query_counter_bits = 0x8864;
inline constexpr GLenum current_query = 0x8865;
inline constexpr GLenum query_result = 0x8866;
inline constexpr GLenum debug_group_stack_depth = 0x826D;
inline constexpr GLenum max_debug_group_stack_depth = 0x826C;
inline constexpr GLenum max_debug_message_length = 0x9143;
inline constexpr GLenum query_result_available = 0x8867;
inline constexpr GLenum query_result_no_wait = 0x9194;
inline constexpr GLenum gpu_disjoint = 0x8FBB;
inline constexpr GLenum sync_gpu_commands_complete = 0x9117;
inline constexpr GLenum already_signaled = 0x911A;
inline constexpr GLenum timeout_expired = 0x911B;
inline constexpr GLenum condition_satisfied = 0x911C;
inline constexpr GLenum reset_notification_strategy = 0x8256;
inline constexpr GLenum lose_context_on_reset = 0x8252;
inline constexpr GLenum debug_source_application = 0x824A;
inline constexpr GLenum num_extensions = 0x821D;
inline constexpr GLenum extensions = 0x1F03;
inline constexpr GLenum vendor = 0x1F00;
inline constexpr GLenum renderer = 0x1F01;
inline constexpr GLenum version = 0x1F02;

}  // namespace passmeter::gl::value
