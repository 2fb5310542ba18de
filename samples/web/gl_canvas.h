// A canvas with a WebGL2 context: made, lost some day, restored.
#pragma once

#include <GLES3/gl3.h>
#include <emscripten/html5.h>

#include <functional>

namespace web {

// What a side says where there is none, and when it is gone.
inline constexpr const char* no_webgl2 = "This browser gives no WebGL2 context.";
inline constexpr const char* webgl_lost = "The WebGL context is lost.";

class GlCanvas {
 public:
  using Proc = void (*)();
  /// Emscripten's OpenGL functions by name.
  static Proc find_function(const char* name);

  /// `selector`: a CSS selector, kept. The context is current afterwards, as it is in both callbacks.
  GlCanvas(const char* selector, std::function<void()> on_lost, std::function<void()> on_restored);
  ~GlCanvas();
  GlCanvas(const GlCanvas&) = delete;
  GlCanvas& operator=(const GlCanvas&) = delete;

  bool valid() const { return context_ > 0; }
  bool lost() const { return lost_; }
  void make_current() const { emscripten_webgl_make_context_current(context_); }

  /// Width and height of the picture in pixels: small where a CPU has to do a GPU's work.
  int size() const { return size_; }

  /// Everything of a frame was drawn: idle() says when the GPU has finished it. Never waits.
  void note_drawn();
  bool idle();

  /// Takes the context away, as a driver crash would, and asks for it back.
  void lose();
  void restore();
  int errors() const { return errors_; }

 private:
  const char* selector_;
  std::function<void()> on_lost_, on_restored_;
  EMSCRIPTEN_WEBGL_CONTEXT_HANDLE context_ = 0;
  int size_ = 512;
  GLsync drawn_ = nullptr;  // behind the last frame
  bool lost_ = false;
  int frames_ = 0;
  int errors_ = 0;
};

}  // namespace web
