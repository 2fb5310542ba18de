// What a project outside passmeter can do with an installed copy and nothing else: print a report, and ask
// each backend for a timer where there is no driver.
#include <passmeter/scripted_timer.h>
#include <passmeter/writers.h>

#include <cstdio>
#ifdef WITH_GL
#include <passmeter/gl/gl_timer.h>
#endif
#ifdef WITH_WEBGPU
#include <passmeter/webgpu/webgpu_timer.h>
#endif

namespace {

void print(const char* backend, const passmeter::GpuTimer& timer) {
  std::printf("%s: source %s: %s\n", backend, passmeter::to_string(timer.source()), timer.reason());
}

void scripted() {
  passmeter::ScriptedTimer timer({.passes = {"shadow", "lighting"}});
  const auto shadow = timer.pass("shadow");
  const auto lighting = timer.pass("lighting");
  for (int frame = 0; frame < 10; ++frame) {
    timer.begin_frame();
    {
      auto scope = timer.scope(shadow);
      timer.work_ns(1'000'000);
    }
    {
      auto scope = timer.scope(lighting);
      timer.work_ns(2'000'000);
    }
    timer.end_frame();
    timer.idle_ns(13'000'000);
  }
  print("scripted", timer);
  std::fputs(passmeter::to_text(timer.report()).c_str(), stdout);
}

#ifdef WITH_GL
passmeter::gl::Proc no_function(const char*) { return nullptr; }
#endif

// The frame loop runs as ever when nothing can be timed.
[[maybe_unused]] void draw_frame(passmeter::GpuTimer& timer) {
  timer.begin_frame();
  {
    auto scope = timer.scope(timer.pass("lighting"));
  }
  timer.end_frame();
}

}  // namespace

int main() {
  scripted();
#ifdef WITH_GL
  passmeter::gl::GlTimer gl({.passes = {"lighting"}}, no_function);
  draw_frame(gl);
  print("gl", gl);
#endif
#ifdef WITH_WEBGPU
  passmeter::webgpu::WebGpuTimer webgpu({.passes = {"lighting"}}, nullptr);
  draw_frame(webgpu);
  print("webgpu", webgpu);
#endif
}
