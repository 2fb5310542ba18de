#include "gl_canvas.h"

#include <emscripten/em_js.h>

#include <string_view>
#include <utility>

#include "passmeter/gl/web.h"
#include "side.h"

// clang-format off
// The extension object must be kept: a lost context does not hand it out again.
EM_JS(void, web_lose_context, (int lose), {
  if (!GLctx['losable']) GLctx['losable'] = GLctx.getExtension('WEBGL_lose_context');
  if (!GLctx['losable'] || GLctx.isContextLost() == !!lose) return;  // the event for it comes later
  if (lose) GLctx['losable'].loseContext();
  else GLctx['losable'].restoreContext();
})
// clang-format on

namespace web {
namespace {

/// Names of renderers that are programs on the CPU.
bool is_software(std::string_view renderer) {
  for (const char* name : {"SwiftShader", "llvmpipe", "softpipe", "Basic Render", "Software"}) {
    if (renderer.find(name) != renderer.npos) return true;
  }
  return false;
}

/// Through passmeter, which knows how to ask a browser for the name it keeps to itself at first.
std::string_view renderer_name() {
  using GetString = const GLubyte* (*)(GLenum);
  const auto get_string = reinterpret_cast<GetString>(passmeter::gl::web_functions("glGetString"));
  const GLubyte* const name = get_string != nullptr ? get_string(GL_RENDERER) : nullptr;
  return name != nullptr ? reinterpret_cast<const char*>(name) : "";
}

// A loss is told once as an error, too; the page knows it as a loss.
int count_errors() {
  constexpr GLenum context_lost = 0x9242;
  int count = 0;
  for (int asked = 0; asked < 100; ++asked) {
    const GLenum error = glGetError();
    if (error == GL_NO_ERROR) break;
    if (error != context_lost) ++count;
  }
  return count;
}

}  // namespace

GlCanvas::Proc GlCanvas::find_function(const char* name) {
  return reinterpret_cast<Proc>(emscripten_webgl_get_proc_address(name));
}

GlCanvas::GlCanvas(const char* selector, std::function<void()> on_lost, std::function<void()> on_restored)
    : selector_(selector), on_lost_(std::move(on_lost)), on_restored_(std::move(on_restored)) {
  EmscriptenWebGLContextAttributes attributes;
  emscripten_webgl_init_context_attributes(&attributes);
  attributes.majorVersion = 2;
  attributes.alpha = false;
  attributes.antialias = false;
  attributes.depth = false;
  // Each of some thirty would be waited for; passmeter enables its own.
  attributes.enableExtensionsByDefault = false;
  context_ = emscripten_webgl_create_context(selector_, &attributes);
  if (!valid()) return;
  emscripten_set_webglcontextlost_callback(
      selector_, this, false, [](int, const void*, void* user) -> EM_BOOL {
        auto& self = *static_cast<GlCanvas*>(user);
        self.lost_ = true;
        self.drawn_ = nullptr;
        self.make_current();
        self.on_lost_();
        return EM_TRUE;  // prevents the default, which is never to restore it
      });
  emscripten_set_webglcontextrestored_callback(selector_, this, false,
                                               [](int, const void*, void* user) -> EM_BOOL {
                                                 auto& self = *static_cast<GlCanvas*>(user);
                                                 self.lost_ = false;
                                                 self.make_current();
                                                 // Of calls made before the loss was told; they mean nothing.
                                                 (void)count_errors();
                                                 self.on_restored_();
                                                 return EM_TRUE;
                                               });
  make_current();
  if (is_software(renderer_name())) size_ = software_size;
  emscripten_set_canvas_element_size(selector_, size_, size_);
}

GlCanvas::~GlCanvas() {
  emscripten_set_webglcontextlost_callback(selector_, nullptr, false, nullptr);
  emscripten_set_webglcontextrestored_callback(selector_, nullptr, false, nullptr);
}

void GlCanvas::note_drawn() {
  if (drawn_ != nullptr) glDeleteSync(drawn_);
  drawn_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  glFlush();  // the GPU begins with it before it gets anything of the other side
  // glGetError makes the page wait for the browser's GPU process, so not in every frame, and not in the
  // first, which compiles.
  if (++frames_ % 64 != 8 || emscripten_is_webgl_context_lost(context_)) return;
  errors_ += count_errors();
}

bool GlCanvas::idle() {
  if (drawn_ == nullptr || lost_) return true;
  make_current();
  if (glClientWaitSync(drawn_, 0, 0) == GL_TIMEOUT_EXPIRED) return false;
  glDeleteSync(drawn_);
  drawn_ = nullptr;
  return true;
}

void GlCanvas::lose() {
  if (!valid() || lost_) return;
  make_current();
  web_lose_context(1);
}

void GlCanvas::restore() {
  if (!lost_) return;
  make_current();
  web_lose_context(0);
}

}  // namespace web
