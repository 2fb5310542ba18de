// A real OpenGL context: whatever EGL finds here, llvmpipe on a machine without a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "egl_context.h"
#include "passmeter/gl/gl_timer.h"

namespace passmeter::gl {
namespace {

using testing::EglApi;
using testing::EglContext;
using testing::EglOptions;

/// The few functions the tests draw with.
struct Draw {
  template <class Function>
  static Function get(const char* name) {
    return reinterpret_cast<Function>(EglContext::get_proc_address(name));
  }
  using Enum = unsigned;

  void (*enable)(Enum) = get<void (*)(Enum)>("glEnable");
  void (*scissor)(int, int, int, int) = get<void (*)(int, int, int, int)>("glScissor");
  void (*clear_color)(float, float, float, float) = get<void (*)(float, float, float, float)>("glClearColor");
  void (*clear)(Enum) = get<void (*)(Enum)>("glClear");
  void (*finish)() = get<void (*)()>("glFinish");
  Enum (*get_error)() = get<Enum (*)()>("glGetError");
  void (*gen_framebuffers)(int, unsigned*) = get<void (*)(int, unsigned*)>("glGenFramebuffers");
  void (*bind_framebuffer)(Enum, unsigned) = get<void (*)(Enum, unsigned)>("glBindFramebuffer");
  void (*gen_textures)(int, unsigned*) = get<void (*)(int, unsigned*)>("glGenTextures");
  void (*bind_texture)(Enum, unsigned) = get<void (*)(Enum, unsigned)>("glBindTexture");
  void (*tex_storage)(Enum, int, Enum, int, int) = get<void (*)(Enum, int, Enum, int, int)>("glTexStorage2D");
  void (*attach)(Enum, Enum, Enum, unsigned,
                 int) = get<void (*)(Enum, Enum, Enum, unsigned, int)>("glFramebufferTexture2D");
  unsigned (*create_shader)(Enum) = get<unsigned (*)(Enum)>("glCreateShader");
  void (*shader_source)(unsigned, int, const char* const*, const int*) =
      get<void (*)(unsigned, int, const char* const*, const int*)>("glShaderSource");
  void (*compile_shader)(unsigned) = get<void (*)(unsigned)>("glCompileShader");
  unsigned (*create_program)() = get<unsigned (*)()>("glCreateProgram");
  void (*attach_shader)(unsigned, unsigned) = get<void (*)(unsigned, unsigned)>("glAttachShader");
  void (*link_program)(unsigned) = get<void (*)(unsigned)>("glLinkProgram");
  void (*use_program)(unsigned) = get<void (*)(unsigned)>("glUseProgram");
  int (*uniform_location)(unsigned,
                          const char*) = get<int (*)(unsigned, const char*)>("glGetUniformLocation");
  void (*uniform_1i)(int, int) = get<void (*)(int, int)>("glUniform1i");
  void (*gen_vertex_arrays)(int, unsigned*) = get<void (*)(int, unsigned*)>("glGenVertexArrays");
  void (*bind_vertex_array)(unsigned) = get<void (*)(unsigned)>("glBindVertexArray");
  void (*draw_arrays)(Enum, int, int) = get<void (*)(Enum, int, int)>("glDrawArrays");
  void (*viewport)(int, int, int, int) = get<void (*)(int, int, int, int)>("glViewport");
  void (*gen_queries)(int, unsigned*) = get<void (*)(int, unsigned*)>("glGenQueries");
  void (*delete_queries)(int, const unsigned*) = get<void (*)(int, const unsigned*)>("glDeleteQueries");
  void (*query_counter)(unsigned, Enum) = get<void (*)(unsigned, Enum)>("glQueryCounter");
  void (*get_query_ui64)(unsigned, Enum, std::uint64_t*) =
      get<void (*)(unsigned, Enum, std::uint64_t*)>("glGetQueryObjectui64v");
};

constexpr const char* vertex_text = R"(void main() {
  vec2 corner = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
)";
constexpr const char* fragment_text = R"(uniform int rounds;
out vec4 color;
void main() {
  vec4 sum = vec4(gl_FragCoord.xy, 1.0, 1.0) * 0.001;
  for (int i = 0; i < rounds; ++i) sum = sum * 0.999 + vec4(0.001, 0.002, 0.003, 0.004);
  color = sum;
}
)";

/// A context with something to draw whose cost is in proportion to `rounds`.
class GlContext : public ::testing::TestWithParam<EglApi> {
 protected:
  void SetUp() override {
    EglOptions options;
    options.api = GetParam();
    options.robust = true;
    context_ = std::make_unique<EglContext>(options);
    if (!context_->valid()) GTEST_SKIP() << "no context of this API: " << context_->why();
    draw_ = std::make_unique<Draw>();
    Draw& gl = *draw_;
    unsigned textures[targets], array = 0;
    gl.gen_textures(targets, textures);
    gl.gen_framebuffers(targets, framebuffers_);
    for (int i = 0; i < targets; ++i) {
      gl.bind_texture(0x0DE1, textures[i]);
      gl.tex_storage(0x0DE1, 1, 0x8058, size, size);
      gl.bind_framebuffer(0x8D40, framebuffers_[i]);
      gl.attach(0x8D40, 0x8CE0, 0x0DE1, textures[i], 0);
    }
    gl.viewport(0, 0, size, size);
    gl.gen_vertex_arrays(1, &array);
    gl.bind_vertex_array(array);
    const unsigned program = gl.create_program();
    add_shader(program, 0x8B31, vertex_text);
    add_shader(program, 0x8B30, fragment_text);
    gl.link_program(program);
    gl.use_program(program);
    rounds_ = gl.uniform_location(program, "rounds");
    if (GetParam() == EglApi::gles) {  // the extension's names; those without a suffix are OpenGL's alone
      gl.query_counter = Draw::get<decltype(gl.query_counter)>("glQueryCounterEXT");
      gl.get_query_ui64 = Draw::get<decltype(gl.get_query_ui64)>("glGetQueryObjectui64vEXT");
    }
    ASSERT_EQ(gl.get_error(), 0u);
  }
  void TearDown() override {
    if (draw_ != nullptr) {
      EXPECT_EQ(draw_->get_error(), 0u);
    }
  }

  void add_shader(unsigned program, unsigned type, const char* text) {
    const bool es = GetParam() == EglApi::gles;
    const char* parts[] = {es ? "#version 300 es\nprecision highp float;\n" : "#version 330 core\n", text};
    const unsigned shader = draw_->create_shader(type);
    draw_->shader_source(shader, 2, parts, nullptr);
    draw_->compile_shader(shader);
    draw_->attach_shader(program, shader);
  }

  /// Each pass has a target of its own, as in a renderer. llvmpipe draws tile by tile what goes into one
  /// target, all passes of a tile before the next tile: their times would overlap.
  void work(int rounds, int target = 0) {
    draw_->bind_framebuffer(0x8D40, framebuffers_[target]);
    draw_->uniform_1i(rounds_, rounds);
    draw_->draw_arrays(4, 0, 3);
  }

  /// Frames without a swap run away from a software rasterizer; a finish now and then stands for the swap.
  template <class Frame>
  void run(GlTimer& timer, int frames, Frame&& frame) {
    for (int i = 0; i < frames; ++i) {
      timer.begin_frame();
      frame();
      timer.end_frame();
      draw_->finish();
    }
    for (int i = 0; i < 1000 && timer.report().frames_in_flight > 0; ++i) timer.poll();
  }

  static constexpr int size = 64;
  static constexpr int targets = 3;
  unsigned framebuffers_[targets] = {};
  std::unique_ptr<EglContext> context_;
  std::unique_ptr<Draw> draw_;
  int rounds_ = -1;
};

TimerConfig passes(std::vector<std::string> names) {
  TimerConfig config;
  config.passes = std::move(names);
  return config;
}

// Both query clocks measure on a real driver, without a GL error, and more work takes longer.
TEST_P(GlContext, MoreWorkTakesLonger) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
    GlTimer timer(passes({"warm", "small", "large"}), &EglContext::get_proc_address, {.clock = clock});
    ASSERT_EQ(timer.clock(), clock) << timer.reason();
    run(timer, 20, [&] {
      {
        auto scope = timer.scope(timer.pass("warm"));
        work(10, 0);
      }
      {
        auto scope = timer.scope(timer.pass("small"));
        work(200, 1);
      }
      {
        auto scope = timer.scope(timer.pass("large"));
        work(2000, 2);
      }
    });
    const Report report = timer.report();
    EXPECT_EQ(report.frames_in_flight, 0u);
    EXPECT_GE(report.find("small")->verdicts.accepted(), 10u);
    EXPECT_GT(report.find("large")->p50, 2 * report.find("small")->p50) << static_cast<int>(clock);
    EXPECT_GT(report.find("small")->p50, 0);
    EXPECT_NE(report.adapter, "");
    EXPECT_EQ(draw_->get_error(), 0u);
  }
}

// Without any finish or flush of the application's, results come all the same.
TEST_P(GlContext, ResultsComeWithoutASwap) {
  GlTimer timer(passes({"a"}), &EglContext::get_proc_address);
  for (int i = 0; i < 3; ++i) {
    timer.begin_frame();
    {
      auto scope = timer.scope(timer.pass("a"));
      work(10);
    }
    timer.end_frame();
  }
  for (int i = 0; i < 10'000'000 && timer.report().frames_in_flight > 0; ++i) timer.poll();
  EXPECT_GE(timer.report().find("a")->verdicts.accepted(), 2u);
}

// An inner pass on TIME_ELAPSED: no GL error, and the outer one is at least as long.
TEST_P(GlContext, Case12NestedElapsed) {
  GlTimer timer(passes({"A", "B"}), &EglContext::get_proc_address, {.clock = Clock::time_elapsed});
  run(timer, 20, [&] {
    auto a = timer.scope(timer.pass("A"));
    work(200, 0);
    {
      auto b = timer.scope(timer.pass("B"));
      work(200, 1);
    }
    work(200, 2);
  });
  EXPECT_EQ(draw_->get_error(), 0u);
  const Report report = timer.report();
  ASSERT_GE(report.find("A")->verdicts.accepted(), 10u);
  EXPECT_GE(report.find("A")->p50, report.find("B")->p50);
}

// A context's first TIME_ELAPSED query, around its first draw, may hold the machine's uptime; the average
// never does.
TEST_P(GlContext, Case46FirstElapsedIsPlausible) {
  GlTimer timer(passes({"first"}), &EglContext::get_proc_address, {.clock = Clock::time_elapsed});
  run(timer, 5, [&] {
    auto scope = timer.scope(timer.pass("first"));
    work(10);
  });
  const SeriesReport row = *timer.report().find("first");
  EXPECT_EQ(row.verdicts.accepted() + row.verdicts[Verdict::implausible], row.marks());
  ASSERT_GE(row.verdicts.accepted(), 4u);
  EXPECT_LT(row.max, 60e9);
}

// The inclusive time of an outer pass made of segments equals a pair of timestamps around it.
TEST_P(GlContext, Case48SegmentsEqualAStampPair) {
  std::vector<double> inclusive;
  TimerConfig config = passes({"outer", "inner"});
  config.on_frame = {[](void* user, const FrameSample& sample) {
                       const Interval& outer = sample.intervals[0];
                       static_cast<std::vector<double>*>(user)->push_back(
                           outer.verdict == Verdict::accepted ? outer.inclusive_ns : 0);
                     },
                     &inclusive};
  GlTimer timer(std::move(config), &EglContext::get_proc_address, {.clock = Clock::time_elapsed});
  std::vector<double> pairs;
  for (int i = 0; i < 30; ++i) {
    unsigned ids[2];
    draw_->gen_queries(2, ids);
    timer.begin_frame();
    draw_->query_counter(ids[0], 0x8E28);
    {
      auto outer = timer.scope(timer.pass("outer"));
      work(1000, 0);
      {
        auto inner = timer.scope(timer.pass("inner"));
        work(1000, 1);
      }
      work(1000, 2);
    }
    draw_->query_counter(ids[1], 0x8E28);
    timer.end_frame();
    draw_->finish();
    std::uint64_t stamps[2] = {};
    for (int k = 0; k < 2; ++k) draw_->get_query_ui64(ids[k], 0x8866, &stamps[k]);
    pairs.push_back(static_cast<double>(stamps[1] - stamps[0]));
    draw_->delete_queries(2, ids);
  }
  for (int i = 0; i < 1000 && timer.report().frames_in_flight > 0; ++i) timer.poll();
  ASSERT_EQ(inclusive.size(), pairs.size());
  std::vector<double> ratios;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (inclusive[i] > 0) ratios.push_back(inclusive[i] / pairs[i]);
  }
  ASSERT_GE(ratios.size(), 20u);
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                   ratios.end());
  EXPECT_NEAR(ratios[ratios.size() / 2], 1.0, 0.05);
}

// Off means off on a real driver, too: the picture's draws go through and nothing is measured.
TEST_P(GlContext, SwitchedOffMeasuresNothing) {
  TimerConfig config = passes({"a"});
  config.enabled = false;
  GlTimer timer(std::move(config), &EglContext::get_proc_address);
  run(timer, 3, [&] {
    auto scope = timer.scope(timer.pass("a"));
    work(10);
  });
  EXPECT_EQ(timer.report().find("a")->marks(), 0u);
}

// The median of the waiting one-off and the timer's own median agree; a quarter apart would be another
// measurement.
TEST_P(GlContext, MedianAgreesWithTheFrames) {
  for (const Clock clock : {Clock::timestamp, Clock::time_elapsed}) {
    GlTimer timer(passes({"a"}), &EglContext::get_proc_address, {.clock = clock});
    const MedianResult before = timer.measure_median(15, [&] { work(2000); });
    run(timer, 30, [&] {
      auto scope = timer.scope(timer.pass("a"));
      work(2000);
    });
    const MedianResult after = timer.measure_median(15, [&] { work(2000); });
    ASSERT_TRUE(before.valid && after.valid);
    const double low = std::min(before.q1_ns, after.q1_ns), high = std::max(before.q3_ns, after.q3_ns);
    const double median = timer.report().find("a")->p50;
    EXPECT_GT(median, low * 0.5) << static_cast<int>(clock);
    EXPECT_LT(median, high * 2) << static_cast<int>(clock);
  }
}

// Fences work on a real driver and never pose as a timer.
TEST_P(GlContext, FencesGiveEstimates) {
  GlTimer timer(passes({"a"}), &EglContext::get_proc_address, {.clock = Clock::fence});
  EXPECT_EQ(timer.source(), Source::fence);
  run(timer, 10, [&] {
    auto scope = timer.scope(timer.pass("a"));
    work(500);
  });
  const Report report = timer.report();
  EXPECT_EQ(report.source, Source::fence);
  EXPECT_GE(report.find("a")->verdicts.accepted(), 8u);
  EXPECT_GT(report.resolution_ns, 0);
}

INSTANTIATE_TEST_SUITE_P(Api, GlContext, ::testing::Values(EglApi::desktop_core, EglApi::gles),
                         [](const auto& given) { return given.param == EglApi::gles ? "gles" : "desktop"; });

}  // namespace
}  // namespace passmeter::gl
