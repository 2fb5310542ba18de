// WebGL behind the OpenGL functions that this backend calls. The JavaScript below is the only one in the
// library; it uses no name that a minifier could rename on one side alone (browser functions, and strings for
// the rest).
#ifdef __EMSCRIPTEN__

#include <emscripten/em_js.h>

#include <cstring>

#include "gl_api.h"
#include "passmeter/gl/web.h"

// clang-format off

// Beside its context lie the objects of each, by number, and the timer extension with its older entry points. The
// context's loss takes the objects along.
EM_JS_DEPS(passmeter_web, "$GLctx,$stringToUTF8")

EM_JS(int, passmeter_web_state, (), {
  if (!GLctx) return 0;
  if (!GLctx['passmeter']) {
    var state = {'objects': [null], 'free': [], 'timer': null};
    GLctx['passmeter'] = state;
    var canvas = GLctx.canvas;
    if (canvas && canvas.addEventListener) {
      canvas.addEventListener('webglcontextlost', function() {
        state['objects'] = [null];
        state['free'] = [];
        state['timer'] = null;
      });
    }
  }
  return 1;
})

// 0: none, 1: WebGL, 2: WebGL2.
EM_JS(int, passmeter_web_version, (), {
  if (!GLctx) return 0;
  return (typeof WebGL2RenderingContext != 'undefined' && GLctx instanceof WebGL2RenderingContext) ? 2 : 1;
})

EM_JS(int, passmeter_web_lost, (), { return !GLctx || GLctx.isContextLost() ? 1 : 0; })

// 0: none, 1: EXT_disjoint_timer_query, 2: EXT_disjoint_timer_query_webgl2. A browser may know the newer name on WebGL2
// only, or, as Firefox, the older name on both.
EM_JS(int, passmeter_web_enable_timer, (), {
  var state = GLctx['passmeter'];
  var names = ['EXT_disjoint_timer_query', 'EXT_disjoint_timer_query_webgl2'];
  var known = GLctx.getSupportedExtensions() || [];
  for (var i = 1; i >= 0; i--) {
    if (known.indexOf(names[i]) < 0) continue;
    state['timer'] = GLctx.getExtension(names[i]);
    if (state['timer']) return i + 1;
  }
  state['timer'] = null;
  return 0;
})

EM_JS(void, passmeter_web_string, (int name, char* text, int size), {
  var value = GLctx.getParameter(name) || "";
  if (name == 0x1F01 && value.indexOf('WebKit') == 0) {  // RENDERER, masked: Chromium names it on request
    var names = GLctx.getExtension('WEBGL_debug_renderer_info');
    if (names) value = GLctx.getParameter(0x9246) || value;
  }
  stringToUTF8(value, text, size);
})

EM_JS(int, passmeter_web_integer, (int name), {
  var value = GLctx.getParameter(name);
  return value === true ? 1 : value | 0;
})

EM_JS(void, passmeter_web_flush, (), { GLctx.flush(); })
EM_JS(void, passmeter_web_finish, (), { GLctx.finish(); })

EM_JS(int, passmeter_web_keep, (int kind), {
  var state = GLctx['passmeter'];
  var made;
  if (kind == 1) {
    made = GLctx.fenceSync(0x9117, 0);  // SYNC_GPU_COMMANDS_COMPLETE
  } else {
    made = GLctx.createQuery ? GLctx.createQuery() : state['timer'] ? state['timer']['createQueryEXT']() : null;
  }
  if (!made) return 0;
  var id = state['free'].length ? state['free'].pop() : state['objects'].length;
  state['objects'][id] = made;
  return id;
})

EM_JS(void, passmeter_web_drop, (int id, int kind), {
  var state = GLctx['passmeter'];
  var object = state['objects'][id];
  if (!object) return;
  state['objects'][id] = null;
  state['free'].push(id);
  if (kind == 1) GLctx.deleteSync(object);
  else if (GLctx.deleteQuery) GLctx.deleteQuery(object);
  else if (state['timer']) state['timer']['deleteQueryEXT'](object);
})

EM_JS(void, passmeter_web_begin_query, (int target, int id), {
  var state = GLctx['passmeter'];
  var query = state['objects'][id];
  if (!query) return;
  if (GLctx.beginQuery) GLctx.beginQuery(target, query);
  else if (state['timer']) state['timer']['beginQueryEXT'](target, query);
})

EM_JS(void, passmeter_web_end_query, (int target), {
  var timer = GLctx['passmeter']['timer'];
  if (GLctx.endQuery) GLctx.endQuery(target);
  else if (timer) timer['endQueryEXT'](target);
})

EM_JS(void, passmeter_web_query_counter, (int id, int target), {
  var state = GLctx['passmeter'];
  var query = state['objects'][id];
  if (query && state['timer']) state['timer']['queryCounterEXT'](query, target);
})

// An object (CURRENT_QUERY) counts as 1.
EM_JS(int, passmeter_web_query_property, (int target, int name), {
  var timer = GLctx['passmeter']['timer'];
  var value = GLctx.getQuery ? GLctx.getQuery(target, name) : timer ? timer['getQueryEXT'](target, name) : 0;
  return typeof value == 'number' ? value : value ? 1 : 0;
})

EM_JS(double, passmeter_web_query_value, (int id, int name), {
  var state = GLctx['passmeter'];
  var query = state['objects'][id];
  if (!query) return 0;
  return +(GLctx.getQueryParameter ? GLctx.getQueryParameter(query, name)
           : state['timer'] ? state['timer']['getQueryObjectEXT'](query, name) : 0);
})

EM_JS(int, passmeter_web_client_wait, (int id), {
  var sync = GLctx['passmeter']['objects'][id];
  return sync ? GLctx.clientWaitSync(sync, 0, 0) : 0x911D;  // WAIT_FAILED
})

// clang-format on

namespace passmeter::gl {
namespace {

enum Kind : int { kind_query = 0, kind_sync = 1 };
constexpr GLenum khr_unknown_reset = 0x8255;

bool usable() { return passmeter_web_state() != 0; }

/// Strings live here until asked for again.
const GLubyte* shared_text(GLenum name) {
  static char vendor[128], renderer[256], version[128];
  char* text = vendor;
  int size = sizeof(vendor);
  if (name == value::renderer) {
    text = renderer;
    size = sizeof(renderer);
  } else if (name == value::version) {
    // OpenGL ES has its number first; browsers put their own there.
    std::strcpy(version, passmeter_web_version() == 2 ? "OpenGL ES 3.0 " : "OpenGL ES 2.0 ");
    const std::size_t used = std::strlen(version);
    text = version + used;
    size = static_cast<int>(sizeof(version) - used);
  }
  passmeter_web_string(static_cast<int>(name), text, size);
  return reinterpret_cast<const GLubyte*>(name == value::version ? version : text);
}

const GLubyte* get_string(GLenum name) {
  if (!usable() || passmeter_web_lost() != 0) return nullptr;
  if (name != value::extensions) return shared_text(name);
  // The extensions that matter here; KHR_robustness is isContextLost().
  switch (passmeter_web_enable_timer()) {
    case 2:
      return reinterpret_cast<const GLubyte*>("EXT_disjoint_timer_query_webgl2 KHR_robustness");
    case 1:
      return reinterpret_cast<const GLubyte*>("EXT_disjoint_timer_query KHR_robustness");
    default:
      return reinterpret_cast<const GLubyte*>("KHR_robustness");
  }
}

void get_integer_v(GLenum name, GLint* out) {
  if (name == value::reset_notification_strategy) {
    *out = static_cast<GLint>(value::lose_context_on_reset);
  } else if (usable()) {
    *out = passmeter_web_integer(static_cast<int>(name));
  }
}

GLenum get_reset_status() { return passmeter_web_lost() != 0 ? khr_unknown_reset : 0; }

void flush() {
  if (usable()) passmeter_web_flush();
}
void finish() {
  if (usable()) passmeter_web_finish();
}

void gen_queries(GLsizei count, GLuint* ids) {
  for (GLsizei i = 0; i < count; ++i)
    ids[i] = usable() ? static_cast<GLuint>(passmeter_web_keep(kind_query)) : 0;
}

void delete_queries(GLsizei count, const GLuint* ids) {
  for (GLsizei i = 0; i < count && usable(); ++i) passmeter_web_drop(static_cast<int>(ids[i]), kind_query);
}

void begin_query(GLenum target, GLuint id) {
  if (usable()) passmeter_web_begin_query(static_cast<int>(target), static_cast<int>(id));
}

void end_query(GLenum target) {
  if (usable()) passmeter_web_end_query(static_cast<int>(target));
}

void query_counter(GLuint id, GLenum target) {
  if (usable()) passmeter_web_query_counter(static_cast<int>(id), static_cast<int>(target));
}

void get_query_iv(GLenum target, GLenum name, GLint* out) {
  if (usable()) *out = passmeter_web_query_property(static_cast<int>(target), static_cast<int>(name));
}

void get_query_object_uiv(GLuint id, GLenum name, GLuint* out) {
  if (usable())
    *out = static_cast<GLuint>(passmeter_web_query_value(static_cast<int>(id), static_cast<int>(name)));
}

void get_query_object_ui64v(GLuint id, GLenum name, GLuint64* out) {
  if (usable())
    *out = static_cast<GLuint64>(passmeter_web_query_value(static_cast<int>(id), static_cast<int>(name)));
}

GLsync fence_sync(GLenum, GLbitfield) {
  return usable() ? reinterpret_cast<GLsync>(passmeter_web_keep(kind_sync)) : nullptr;
}

GLenum client_wait_sync(GLsync sync, GLbitfield, GLuint64) {
  constexpr GLenum wait_failed = 0x911D;
  return usable() ? static_cast<GLenum>(passmeter_web_client_wait(reinterpret_cast<int>(sync))) : wait_failed;
}

void delete_sync(GLsync sync) {
  if (usable()) passmeter_web_drop(reinterpret_cast<int>(sync), kind_sync);
}

struct Entry {
  const char* name;
  Proc function;
};

template <class Function>
Entry entry(const char* name, Function* function) {
  return {name, reinterpret_cast<Proc>(function)};
}

}  // namespace

Proc web_functions(const char* name) noexcept {
  // Query functions answer to the extension's names too, since they are what WebGL1 has.
  static const Entry entries[] = {
      entry("glGetString", get_string),
      entry("glGetIntegerv", get_integer_v),
      entry("glGetGraphicsResetStatusKHR", get_reset_status),
      entry("glFlush", flush),
      entry("glFinish", finish),
      entry("glGenQueries", gen_queries),
      entry("glGenQueriesEXT", gen_queries),
      entry("glDeleteQueries", delete_queries),
      entry("glDeleteQueriesEXT", delete_queries),
      entry("glBeginQuery", begin_query),
      entry("glBeginQueryEXT", begin_query),
      entry("glEndQuery", end_query),
      entry("glEndQueryEXT", end_query),
      entry("glQueryCounterEXT", query_counter),
      entry("glGetQueryiv", get_query_iv),
      entry("glGetQueryivEXT", get_query_iv),
      entry("glGetQueryObjectuiv", get_query_object_uiv),
      entry("glGetQueryObjectuivEXT", get_query_object_uiv),
      entry("glGetQueryObjectui64vEXT", get_query_object_ui64v),
      entry("glFenceSync", fence_sync),
      entry("glClientWaitSync", client_wait_sync),
      entry("glDeleteSync", delete_sync),
  };
  for (const Entry& candidate : entries) {
    if (std::strcmp(candidate.name, name) == 0) return candidate.function;
  }
  return nullptr;
}

}  // namespace passmeter::gl

#endif
