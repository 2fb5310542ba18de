#include "gl_bench.h"

#include <memory>
#include <string>

#include "bare_gl.h"
#include "egl_context.h"
#include "fake_gl.h"
#include "glad/gl.h"
#include "interleaved.h"
#include "passmeter/gl/gl_timer.h"

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

TimerConfig config() {
  TimerConfig result;
  for (std::uint32_t pass = 0; pass < passes_per_frame; ++pass)
    result.passes.push_back("pass " + std::to_string(pass));
  return result;
}

// Both sides must have measured every frame, but for those still on their way: a timer that skips is cheap.
std::string what_was_not_measured(const GpuTimer& timer, const BareGl& bare) {
  const Report report = timer.report();
  for (const SeriesReport& series : report.series) {
    if (series.verdicts.accepted() + report.frames_in_flight < report.frames)
      return "passmeter accepted " + std::to_string(series.verdicts.accepted()) + " of " +
             std::to_string(report.frames) + " frames of " + series.name;
  }
  if (bare.frames_read() + 8 < bare.frames()) return "the bare loop did not read its results";
  return {};
}

void run(benchmark::State& state, const std::string& name, const std::string& driver, const Kind& kind,
         gl::GetProcAddress get_proc_address, const std::function<void(const GladGLContext&)>& settle) {
  auto gl = std::make_unique<GladGLContext>();
  if (gladLoadGLContext(gl.get(), get_proc_address) == 0) return skip(state, name, "glad found no OpenGL");
  gl::GlTimer timer(config(), get_proc_address, {.clock = kind.clock});
  if (timer.clock() != kind.clock) return skip(state, name, timer.reason());

  PassId passes[passes_per_frame];
  for (std::uint32_t i = 0; i < passes_per_frame; ++i) passes[i] = timer.pass("pass " + std::to_string(i));
  BareGl bare(*gl, kind.marks);

  const auto wait = [&] { settle(*gl); };
  const Side ours{[&] {
                    timer.begin_frame();
                    for (const PassId pass : passes) auto scope = timer.scope(pass);
                    timer.end_frame();
                  },
                  wait};
  Row& row = run_interleaved(state, name, driver, ours, {[&] { bare.frame(); }, wait});
  if (const std::string why = what_was_not_measured(timer, bare); !why.empty()) fail(state, row, why);
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
