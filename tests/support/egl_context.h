// A real OpenGL context without a window, for tests, samples and benches on a machine with or without a GPU.
#pragma once

#include <memory>
#include <string>

namespace passmeter::testing {

enum class EglApi : unsigned char { desktop_core, gles };

struct EglOptions {
  EglApi api = EglApi::desktop_core;
  // The least version wanted; a driver may give a later one that is compatible. For gles: 2.0 or 3.x.
  // A minor of -1 is 3 for desktop GL 3 and 0 for everything else.
  int major = 3;
  int minor = -1;
  // Robust access, and a lost context is reported through glGetGraphicsResetStatus.
  bool robust = false;
  // -1: the first device that works, else the surfaceless platform. 0, 1, ...: that device alone.
  int device = -1;
};

// Makes a context current on the thread that constructs it, through EGL: first the device platform, device by
// device (so that a real GPU is found, also NVIDIA's), then the surfaceless platform. There is no default
// framebuffer to draw into: use a framebuffer object. libEGL is opened at run time; where it is missing or no
// context can be had, valid() is false and why() says so. Not thread-safe; move it to another thread with
// release() on the one and make_current() on the other.
class EglContext {
 public:
  using Proc = void (*)();

  explicit EglContext(const EglOptions& options = {});
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  bool valid() const;
  // One sentence: why there is no context; empty when valid.
  const std::string& why() const;
  // GL_RENDERER and GL_VERSION of the context; empty when not valid.
  const std::string& renderer() const;
  const std::string& version() const;
  // "device 0" or "surfaceless".
  const std::string& platform() const;

  bool make_current();
  // Leaves the calling thread without a context.
  void release();

  // eglGetProcAddress; null without libEGL.
  static Proc get_proc_address(const char* name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace passmeter::testing
