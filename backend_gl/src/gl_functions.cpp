#include "gl_functions.h"

#include <cstring>
#include <string_view>

#ifdef __EMSCRIPTEN__
#include "glad_stand_in.h"
#endif

namespace passmeter::gl {
namespace {

constexpr std::string_view es_prefix = "OpenGL ES";

std::string text_of(const GLubyte* text) {
  return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text));
}

GLADapiproc find_for_glad(void* loader, const char* name) {
  return reinterpret_cast<GLADapiproc>(static_cast<const Loader*>(loader)->find(name));
}

template <class Function>
Function first_of(Function core, Function suffixed) {
  return core != nullptr ? core : suffixed;
}

/// A function that glad would load only under an extension's other name.
template <class Function>
void find_if_missing(const Loader& loader, const char* name, Function& function) {
  if (function == nullptr) function = reinterpret_cast<Function>(loader.find(name));
}

/// The extensions of the current context, asked for once.
class ExtensionList {
 public:
  ExtensionList(const GladGLContext& gl, int major)
      : gl_(gl), indexed_(major >= 3 && gl.GetStringi != nullptr) {
    if (indexed_) {
      gl_.GetIntegerv(value::num_extensions, &count_);
    } else {
      list_ = text_of(gl_.GetString(value::extensions));
    }
  }

  /// `name` without the GL_ that browsers leave off.
  bool has(std::string_view name) const {
    if (!indexed_) {
      std::string_view rest = list_;
      while (!rest.empty()) {
        const std::size_t space = rest.find(' ');
        if (same(rest.substr(0, space), name)) return true;
        rest = space == rest.npos ? std::string_view() : rest.substr(space + 1);
      }
      return false;
    }
    for (GLint i = 0; i < count_; ++i) {
      const GLubyte* found = gl_.GetStringi(value::extensions, static_cast<GLuint>(i));
      if (found != nullptr && same(reinterpret_cast<const char*>(found), name)) return true;
    }
    return false;
  }

 private:
  static bool same(std::string_view found, std::string_view name) {
    if (found.substr(0, 3) == "GL_") found.remove_prefix(3);
    return found == name;
  }

  const GladGLContext& gl_;
  bool indexed_;
  GLint count_ = 0;
  std::string list_;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number at the front of `text`, taken off it; 0 if there is none.
int take_number(std::string_view& text) {
  int number = 0;
  while (!text.empty() && is_digit(text.front()) && number < 1000) {
    number = number * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  return number;
}

bool read_identity(const GladGLContext& gl, ContextInfo& info) {
  info.version = text_of(gl.GetString(value::version));
  if (info.version.empty()) return false;
  info.vendor = text_of(gl.GetString(value::vendor));
  info.renderer = text_of(gl.GetString(value::renderer));
  std::string_view number = info.version;
  info.es = number.substr(0, es_prefix.size()) == es_prefix;
  info.web = info.version.find("WebGL") != std::string::npos;
  while (!number.empty() && !is_digit(number.front())) number.remove_prefix(1);
  info.major = take_number(number);
  if (!number.empty()) number.remove_prefix(1);  // the point
  info.minor = take_number(number);
  return true;
}

void take_common(const GladGLContext& gl, GlFunctions& f) {
  f.get_integer_v = gl.GetIntegerv;
  f.flush = gl.Flush;
  f.finish = gl.Finish;
}

/// Query objects themselves: core on OpenGL and ES 3, the timer extension's on ES 2.
void take_queries(const GladGLContext& gl, const ContextInfo& info, GlFunctions& f) {
  const bool core = !info.es || info.major >= 3;
  f.gen_queries = core ? gl.GenQueries : gl.GenQueriesEXT;
  f.delete_queries = core ? gl.DeleteQueries : gl.DeleteQueriesEXT;
  f.begin_query = core ? gl.BeginQuery : gl.BeginQueryEXT;
  f.end_query = core ? gl.EndQuery : gl.EndQueryEXT;
  f.get_query_iv = core ? gl.GetQueryiv : gl.GetQueryivEXT;
  f.get_query_object_uiv = core ? gl.GetQueryObjectuiv : gl.GetQueryObjectuivEXT;
}

/// The part of the functions that only timer queries need, and whether there are timer queries at all.
void take_timer_queries(const GladGLContext& gl, const ExtensionList& extensions, const Loader& loader,
                        ContextInfo& info, GlFunctions& f) {
  if (info.es) {
    const bool plain = extensions.has("EXT_disjoint_timer_query");
    const bool web2 = !plain && extensions.has("EXT_disjoint_timer_query_webgl2");
    if (!plain && !web2) {
      info.timer_queries_lack = "the context has no EXT_disjoint_timer_query";
      return;
    }
    f.query_counter = gl.QueryCounterEXT;
    f.get_query_object_ui64v = gl.GetQueryObjectui64vEXT;
    if (web2) {
      find_if_missing(loader, "glQueryCounterEXT", f.query_counter);
      find_if_missing(loader, "glGetQueryObjectui64vEXT", f.get_query_object_ui64v);
    }
    info.timer_queries = web2 ? "EXT_disjoint_timer_query_webgl2" : "EXT_disjoint_timer_query";
  } else {
    const bool core = info.major > 3 || (info.major == 3 && info.minor >= 3);
    if (!core && !extensions.has("ARB_timer_query")) {
      info.timer_queries_lack = "the context is older than OpenGL 3.3 and has no ARB_timer_query";
      return;
    }
    f.query_counter = gl.QueryCounter;
    f.get_query_object_ui64v = gl.GetQueryObjectui64v;
    info.timer_queries = core ? "OpenGL's timer queries" : "ARB_timer_query";
    info.no_wait =
        info.major > 4 || (info.major == 4 && info.minor >= 4) || extensions.has("ARB_query_buffer_object");
  }
  if (f.gen_queries == nullptr || f.delete_queries == nullptr || f.begin_query == nullptr ||
      f.end_query == nullptr || f.get_query_iv == nullptr || f.get_query_object_uiv == nullptr) {
    info.timer_queries_lack = "the driver names " + info.timer_queries + " but lacks its functions";
  } else if (f.get_query_object_ui64v == nullptr) {
    // 32 bits of nanoseconds wrap every 4.3 s, which cannot be told from a short pass.
    info.timer_queries_lack = "the driver has no 64-bit query results";
  }
  if (!info.timer_queries_lack.empty()) info.timer_queries.clear();
}

void read_counter_bits(const GlFunctions& f, ContextInfo& info) {
  if (info.timer_queries.empty()) return;
  f.get_query_iv(value::time_elapsed, value::query_counter_bits, &info.elapsed_bits);
  if (f.query_counter != nullptr) {
    f.get_query_iv(value::timestamp, value::query_counter_bits, &info.timestamp_bits);
  }
  info.disjoint = info.es;
}

void take_fences(const GladGLContext& gl, const ExtensionList& extensions, ContextInfo& info,
                 GlFunctions& f) {
  const bool has = info.es
                       ? info.major >= 3
                       : info.major > 3 || (info.major == 3 && info.minor >= 2) || extensions.has("ARB_sync");
  if (!has) return;
  f.fence_sync = gl.FenceSync;
  f.client_wait_sync = gl.ClientWaitSync;
  f.delete_sync = gl.DeleteSync;
  info.fences = f.fence_sync != nullptr && f.client_wait_sync != nullptr && f.delete_sync != nullptr;
}

/// The reset status is asked for only if the context was made to tell: else it always says "no error".
void take_reset_status(const GladGLContext& gl, const ExtensionList& extensions, ContextInfo& info,
                       GlFunctions& f) {
  if (extensions.has("KHR_robustness")) {
    f.get_reset_status = first_of(gl.GetGraphicsResetStatus, gl.GetGraphicsResetStatusKHR);
  } else if (extensions.has("EXT_robustness")) {
    f.get_reset_status = gl.GetGraphicsResetStatusEXT;
  } else if (extensions.has("ARB_robustness")) {
    f.get_reset_status = gl.GetGraphicsResetStatusARB;
  }
  if (f.get_reset_status == nullptr) return;
  GLint strategy = 0;
  gl.GetIntegerv(value::reset_notification_strategy, &strategy);
  info.reset_status = strategy == static_cast<GLint>(value::lose_context_on_reset);
}

void take_debug_groups(const GladGLContext& gl, const ExtensionList& extensions, ContextInfo& info,
                       GlFunctions& f) {
  if (on_web || !extensions.has("KHR_debug")) return;
  f.push_debug_group = first_of(gl.PushDebugGroup, gl.PushDebugGroupKHR);
  f.pop_debug_group = first_of(gl.PopDebugGroup, gl.PopDebugGroupKHR);
  if (f.push_debug_group == nullptr || f.pop_debug_group == nullptr) return;
  gl.GetIntegerv(value::max_debug_group_stack_depth, &info.max_debug_groups);
  gl.GetIntegerv(value::max_debug_message_length, &info.max_debug_message);
  info.debug_groups = info.max_debug_groups > 0 && info.max_debug_message > 0;
}

}  // namespace

Proc Loader::find(const char* name) const noexcept {
  if (proc != nullptr) return proc(name);
  return void_proc != nullptr ? reinterpret_cast<Proc>(void_proc(name)) : nullptr;
}

bool load(const Loader& loader, GlFunctions& functions, ContextInfo& info) {
  functions = {};
  info = {};
  if (!loader) return false;
  const auto get_string = reinterpret_cast<PFNGLGETSTRINGPROC>(loader.find("glGetString"));
  if (get_string == nullptr) return false;
  const std::string version = text_of(get_string(value::version));
  if (version.empty()) return false;

  GladGLContext gl{};
  Loader copy = loader;  // glad takes a plain pointer
  const bool es = std::string_view(version).substr(0, es_prefix.size()) == es_prefix;
  // Its answer is not asked: glad takes a context without a single extension for a failure.
  static_cast<void>(es ? gladLoadGLES2ContextUserPtr(&gl, find_for_glad, &copy)
                       : gladLoadGLContextUserPtr(&gl, find_for_glad, &copy));
  if (gl.GetString == nullptr || gl.GetIntegerv == nullptr || gl.Flush == nullptr ||
      !read_identity(gl, info)) {
    info = {};
    return false;
  }
  const ExtensionList extensions(gl, info.major);
  take_common(gl, functions);
  take_queries(gl, info, functions);
  take_timer_queries(gl, extensions, loader, info, functions);
  read_counter_bits(functions, info);
  take_fences(gl, extensions, info, functions);
  take_reset_status(gl, extensions, info, functions);
  take_debug_groups(gl, extensions, info, functions);
  return true;
}

}  // namespace passmeter::gl
