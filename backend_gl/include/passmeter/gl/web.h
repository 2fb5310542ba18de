#pragma once

#ifdef __EMSCRIPTEN__

#include "passmeter/gl/gl_timer.h"

namespace passmeter::gl {

/// The get-proc-address function for WebGL contexts made with Emscripten:
///
///     passmeter::gl::GlTimer timer({.passes = {"scene"}}, passmeter::gl::web_functions);
///
/// It knows the functions a GlTimer calls and no others (nullptr for those), speaks to the current WebGL or
/// WebGL2 context itself, and so needs nothing of Emscripten's own OpenGL functions: not linking those keeps
/// programs small, and it works the same with WebGL1, WebGL2 and, where a browser gives WebGL2 the timer
/// extension under its older name (Firefox), with that. Results keep all 53 bits that a browser delivers.
///
/// Looking up glGetString enables nothing; asking for the extensions (as a GlTimer does when it is made or
/// restored) enables the timer extension. A lost context is noticed by itself at the next end_frame(); after
/// `webglcontextrestored` call GlTimer::restore().
///
/// emscripten_webgl_get_proc_address can be given to a GlTimer as well, at the price of the whole table of
/// Emscripten's OpenGL functions. Main thread or the thread that owns the context. Does not block.
Proc web_functions(const char* name) noexcept;

}  // namespace passmeter::gl

#endif
