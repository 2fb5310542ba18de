#include "gl_bench.h"

#include <memory>
#include <string>

#include "bare_gl.h"
#include "egl_context.h"
#include "fake_gl.h"
#include "glad/gl.h"
#include "interleaved.h"
#include "passmeter/gl/gl_timer.h"
#include "timed_frames.h"

namespace passmeter::bench {
namespace {

struct Kind {
  const char* name;
  gl::Clock clock;
  BareGl::Marks marks;
};

constexpr Kind kinds[] = {
    {"timestamp", gl::Clock::timestamp, BareGl::Marks::timestamp_pairs},
    {"time_elapsed", gl::Clock::time_elapsed, BareGl::Marks::time_elapsed},
};

void run(benchmark::State& state, const std::string& name, const std::string& driver, const Kind& kind,
         gl::GetProcAddress get_proc_address, const std::function<void(const GladGLContext&)>& settle) {
  auto gl = std::make_unique<GladGLContext>();
  if (gladLoadGLContext(gl.get(), get_proc_address) == 0) return skip(state, name, "glad found no OpenGL");
  gl::GlTimer timer(config(), get_proc_address, {.clock = kind.clock});
  if (timer.clock() != kind.clock) return skip(state, name, timer.reason());

  const auto passes = pass_ids(timer);
  BareGl bare(*gl, kind.marks);

  const auto wait = [&] { settle(*gl); };
  const Side ours{[&] {
                    timer.begin_frame();
                    for (const PassId pass : passes) auto scope = timer.scope(pass);
                    timer.end_frame();
                  },
                  wait};
  Row& row = run_interleaved(state, name, driver, ours, {[&] { bare.frame(); }, wait});
  if (const std::string why = unmeasured(timer); !why.empty()) fail(state, row, why);
  if (const std::string why = unmeasured(bare.frames(), bare.frames_read()); !why.empty())
    fail(state, row, why);
}

void on_fake_driver(benchmark::State& state, const Kind& kind) {
  testing::FakeGl fake;
  fake.make_current();
  fake.set_gpu_tick(10);
  fake.set_latency_frames(2);
  run(state, std::string("gl/fake/") + kind.name, "fake driver", kind, &testing::FakeGl::get,
      [&](const GladGLContext&) { fake.next_frame(); });
  testing::FakeGl::release_current();
}

// Results are waited for outside the timed part, so that both sides find one frame's results in every frame.
void on_egl(benchmark::State& state, const Kind& kind) {
  const std::string name = std::string("gl/egl/") + kind.name;
  testing::EglContext context;
  if (!context.valid()) return skip(state, name, context.why());
  run(state, name, context.renderer() + ", " + context.version(), kind,
      &testing::EglContext::get_proc_address, [](const GladGLContext& gl) { gl.Finish(); });
}

void add(const std::string& name, void (*function)(benchmark::State&, const Kind&), const Kind& kind) {
  benchmark::RegisterBenchmark(name.c_str(), function, kind)->UseManualTime()->Iterations(settings().pairs);
}

}  // namespace

void register_gl() {
  for (const Kind& kind : kinds) add(std::string("gl/fake/") + kind.name, on_fake_driver, kind);
  for (const Kind& kind : kinds) add(std::string("gl/egl/") + kind.name, on_egl, kind);
}

}  // namespace passmeter::bench
