// The occlusion, feedback and readback helpers on a real context (llvmpipe where there is no GPU).
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "egl_context.h"
#include "passmeter/gl/feedback_queries.h"
#include "passmeter/gl/occlusion_queries.h"
#include "passmeter/gl/readback.h"

namespace passmeter::gl {
namespace {

using testing::EglApi;
using testing::EglContext;

// The few OpenGL functions these tests draw with, loaded from the context itself.
struct Draw {
  template <class Function>
  static Function* get(const char* name) {
    return reinterpret_cast<Function*>(EglContext::get_proc_address(name));
  }
  using U = unsigned;
  U (*create_shader)(U) = get<U(U)>("glCreateShader");
  void (*shader_source)(U, int, const char* const*,
                        const int*) = get<void(U, int, const char* const*, const int*)>("glShaderSource");
  void (*compile_shader)(U) = get<void(U)>("glCompileShader");
  U (*create_program)() = get<U()>("glCreateProgram");
  void (*attach_shader)(U, U) = get<void(U, U)>("glAttachShader");
  void (*link_program)(U) = get<void(U)>("glLinkProgram");
  void (*get_program)(U, U, int*) = get<void(U, U, int*)>("glGetProgramiv");
  void (*use_program)(U) = get<void(U)>("glUseProgram");
  void (*feedback_varyings)(U, int, const char* const*,
                            U) = get<void(U, int, const char* const*, U)>("glTransformFeedbackVaryings");
  int (*uniform_location)(U, const char*) = get<int(U, const char*)>("glGetUniformLocation");
  void (*uniform_1f)(int, float) = get<void(int, float)>("glUniform1f");
  void (*gen_vertex_arrays)(int, U*) = get<void(int, U*)>("glGenVertexArrays");
  void (*bind_vertex_array)(U) = get<void(U)>("glBindVertexArray");
  void (*gen_renderbuffers)(int, U*) = get<void(int, U*)>("glGenRenderbuffers");
  void (*bind_renderbuffer)(U, U) = get<void(U, U)>("glBindRenderbuffer");
  void (*storage_multisample)(U, int, U, int,
                              int) = get<void(U, int, U, int, int)>("glRenderbufferStorageMultisample");
  void (*gen_framebuffers)(int, U*) = get<void(int, U*)>("glGenFramebuffers");
  void (*bind_framebuffer)(U, U) = get<void(U, U)>("glBindFramebuffer");
  void (*framebuffer_renderbuffer)(U, U, U, U) = get<void(U, U, U, U)>("glFramebufferRenderbuffer");
  U (*framebuffer_status)(U) = get<U(U)>("glCheckFramebufferStatus");
  void (*blit)(int, int, int, int, int, int, int, int, U,
               U) = get<void(int, int, int, int, int, int, int, int, U, U)>("glBlitFramebuffer");
  void (*viewport)(int, int, int, int) = get<void(int, int, int, int)>("glViewport");
  void (*enable)(U) = get<void(U)>("glEnable");
  void (*depth_func)(U) = get<void(U)>("glDepthFunc");
  void (*clear)(U) = get<void(U)>("glClear");
  void (*clear_color)(float, float, float, float) = get<void(float, float, float, float)>("glClearColor");
  void (*draw_arrays)(U, int, int) = get<void(U, int, int)>("glDrawArrays");
  void (*gen_buffers)(int, U*) = get<void(int, U*)>("glGenBuffers");
  void (*bind_buffer)(U, U) = get<void(U, U)>("glBindBuffer");
  void (*bind_buffer_base)(U, U, U) = get<void(U, U, U)>("glBindBufferBase");
  void (*buffer_data)(U, std::ptrdiff_t, const void*,
                      U) = get<void(U, std::ptrdiff_t, const void*, U)>("glBufferData");
  void (*begin_feedback)(U) = get<void(U)>("glBeginTransformFeedback");
  void (*pause_feedback)() = get<void()>("glPauseTransformFeedback");
  void (*resume_feedback)() = get<void()>("glResumeTransformFeedback");
  void (*end_feedback)() = get<void()>("glEndTransformFeedback");
  void (*finish)() = get<void()>("glFinish");
  U (*get_error)() = get<U()>("glGetError");
  const unsigned char* (*get_string)(U) = get<const unsigned char*(U)>("glGetString");

  bool is_gles() const {
    return std::strncmp(reinterpret_cast<const char*>(get_string(0x1F02)), "OpenGL ES", 9) == 0;
  }
  U program(const std::string& vertex, const std::string& fragment, const char* varying = nullptr) const {
    const std::string head = is_gles() ? "#version 300 es\nprecision highp float;\n" : "#version 330 core\n";
    const U made = create_program();
    for (const auto& [kind, text] :
         {std::pair(0x8B31u, head + vertex), std::pair(0x8B30u, head + fragment)}) {
      const U shader = create_shader(kind);
      const char* source = text.c_str();
      shader_source(shader, 1, &source, nullptr);
      compile_shader(shader);
      attach_shader(made, shader);
    }
    if (varying != nullptr) feedback_varyings(made, 1, &varying, 0x8C8C);
    link_program(made);
    int linked = 0;
    get_program(made, 0x8B82, &linked);
    EXPECT_EQ(linked, 1);
    return made;
  }
};

constexpr const char* plain_fragment = "out vec4 color; void main() { color = vec4(1.0); }";

// A framebuffer of 64 x 64 with colour and depth.
unsigned make_target(const Draw& gl, int samples) {
  unsigned framebuffer = 0, buffers[2] = {};
  gl.gen_framebuffers(1, &framebuffer);
  gl.bind_framebuffer(0x8D40, framebuffer);
  gl.gen_renderbuffers(2, buffers);
  const unsigned formats[2] = {0x8058, 0x81A6};      // RGBA8, DEPTH_COMPONENT24
  const unsigned attachments[2] = {0x8CE0, 0x8D00};  // COLOR_ATTACHMENT0, DEPTH_ATTACHMENT
  for (int i = 0; i < 2; ++i) {
    gl.bind_renderbuffer(0x8D41, buffers[i]);
    gl.storage_multisample(0x8D41, samples, formats[i], 64, 64);
    gl.framebuffer_renderbuffer(0x8D40, attachments[i], 0x8D41, buffers[i]);
  }
  EXPECT_EQ(gl.framebuffer_status(0x8D40), 0x8CD5u);
  gl.viewport(0, 0, 64, 64);
  return framebuffer;
}

class HelpersOn : public ::testing::TestWithParam<EglApi> {
 protected:
  HelpersOn() : context({.api = GetParam(), .major = GetParam() == EglApi::gles ? 3 : 4, .minor = 0}) {}
  void SetUp() override {
    if (!context.valid()) GTEST_SKIP() << context.why();
  }
  EglContext context;
};
INSTANTIATE_TEST_SUITE_P(Apis, HelpersOn, ::testing::Values(EglApi::desktop_core, EglApi::gles),
                         [](const auto& row) { return row.param == EglApi::gles ? "Gles" : "Desktop"; });

// Shows on a multisampled target that an object in view is visible, that one behind a wall and one not drawn
// at all are not, and that the conservative query errs on the safe side only.
TEST_P(HelpersOn, Case41MultisampledInViewBehindAWallAndNotDrawn) {
  const Draw gl;
  const unsigned target = make_target(gl, 4);
  const unsigned resolved = make_target(gl, 0);
  const unsigned program = gl.program(
      "uniform float z; void main() { vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;"
      " gl_Position = vec4(p * 0.8, z, 1.0); }",
      plain_fragment);
  unsigned vertex_array = 0;
  gl.gen_vertex_arrays(1, &vertex_array);
  gl.bind_vertex_array(vertex_array);
  gl.use_program(program);
  const int z = gl.uniform_location(program, "z");
  gl.enable(0x0B71);
  gl.depth_func(0x0203);  // LEQUAL
  enum Object : std::uint32_t { in_view, behind_wall, not_drawn, object_count };

  for (const OcclusionTarget asked :
       {OcclusionTarget::automatic, OcclusionTarget::any_samples_conservative, OcclusionTarget::samples}) {
    OcclusionQueries queries({.objects = object_count}, EglContext::get_proc_address, {.target = asked});
    if (asked == OcclusionTarget::samples && gl.is_gles()) {
      EXPECT_EQ(queries.state(), State::unavailable);
      continue;
    }
    if (asked == OcclusionTarget::any_samples_conservative && queries.state() == State::unavailable) {
      continue;  // desktop OpenGL has the conservative target from 4.3 on, and this context may be a 3.3 one
    }
    ASSERT_EQ(queries.state(), State::measuring) << queries.reason();
    for (int frame = 0; frame < 40; ++frame) {
      gl.bind_framebuffer(0x8D40, target);
      queries.begin_frame();
      gl.clear(0x4100);
      gl.uniform_1f(z, 0.0f);
      gl.draw_arrays(5, 0, 4);  // the wall
      {
        const auto state = queries.proxy_state();
        const auto draw = [&](Object object, float depth) {
          if (const auto test = queries.test(object)) {
            gl.uniform_1f(z, depth);
            gl.draw_arrays(5, 0, 4);
          }
        };
        draw(in_view, -0.5f);
        draw(behind_wall, 0.5f);
        if (const auto test = queries.test(not_drawn)) {
        }
      }
      // Resolved outside of the tests: Mesa's llvmpipe counts the samples of a blit.
      gl.bind_framebuffer(0x8CA9, resolved);
      gl.blit(0, 0, 64, 64, 0, 0, 64, 64, 0x4000, 0x2600);
      queries.end_frame();
      gl.finish();  // the test is about what is answered, not when
    }
    ASSERT_GT(queries.objects().latency().accepted(), 0u);
    EXPECT_TRUE(queries.visible(in_view));
    if (asked != OcclusionTarget::any_samples_conservative) {
      EXPECT_FALSE(queries.visible(behind_wall));
    }
    EXPECT_FALSE(queries.visible(not_drawn));
    if (asked == OcclusionTarget::samples) {
      EXPECT_GT(queries.objects().samples(in_view), 64u * 64u / 2) << "four samples a pixel";
    }
    EXPECT_EQ(gl.get_error(), 0u);
  }
}

// Shows that queries of the application's, begun between two tests and two scopes of a frame, are told of by
// the driver: ours are refused meanwhile without an error, theirs go on, and ours go on when theirs have
// ended.
TEST_P(HelpersOn, TheApplicationsQueriesAreLeftAlone) {
  const Draw gl;
  const auto gen = Draw::get<void(int, unsigned*)>("glGenQueries");
  const auto begin = Draw::get<void(unsigned, unsigned)>("glBeginQuery");
  const auto end = Draw::get<void(unsigned)>("glEndQuery");
  constexpr unsigned any_samples = 0x8C2F, conservative = 0x8D6A, written = 0x8C88;
  OcclusionQueries tests({.objects = 3, .retest_hidden_every = 1, .retest_visible_every = 1},
                         EglContext::get_proc_address);
  FeedbackQueries scopes({.counters = {"a"}}, EglContext::get_proc_address);
  ASSERT_EQ(tests.state(), State::measuring) << tests.reason();
  ASSERT_EQ(scopes.state(), State::measuring) << scopes.reason();
  const CounterId a = scopes.counter("a");
  unsigned own[2] = {};
  gen(2, own);
  for (int frame = 0; frame < 8; ++frame) {
    const bool theirs = frame >= 4;
    const unsigned target = gl.is_gles() && frame % 2 == 0 ? conservative : any_samples;
    if (theirs) gen(2, own);
    tests.begin_frame();
    scopes.begin_frame();
    EXPECT_TRUE(tests.test(0).active());
    EXPECT_TRUE(scopes.scope(a).active());
    if (theirs) begin(target, own[0]);
    if (theirs) begin(written, own[1]);
    EXPECT_EQ(tests.test(1).active(), !theirs);
    EXPECT_EQ(scopes.scope(a).active(), !theirs);
    if (theirs) end(target);
    if (theirs) end(written);
    EXPECT_EQ(gl.get_error(), 0u);
    EXPECT_TRUE(tests.test(2).active());
    EXPECT_TRUE(scopes.scope(a).active());
    tests.end_frame();
    scopes.end_frame();
    gl.finish();
  }
  tests.begin_frame();
  scopes.begin_frame();
  EXPECT_EQ(tests.objects().latency().accepted(), 20u);
  EXPECT_EQ(tests.objects().latency().verdicts()[Verdict::driver_error], 4u);
  EXPECT_EQ(scopes.written(a).series().accepted(), 4u);
  EXPECT_EQ(scopes.written(a).series().verdicts().rejected(), 4u);
  EXPECT_EQ(gl.get_error(), 0u);
}

// Shows what transform feedback queries count: primitives, nothing while paused, and no more than there is
// room for, which is told apart from what was asked for.
TEST_P(HelpersOn, Case42PrimitivesPausedAndOverflow) {
  const Draw gl;
  make_target(gl, 0);
  const unsigned program = gl.program(
      "out vec4 captured; void main() { captured = vec4(gl_VertexID);"
      " gl_Position = vec4(0.0, 0.0, 0.0, 1.0); gl_PointSize = 1.0; }",
      plain_fragment, "captured");
  unsigned vertex_array = 0, buffer = 0;
  gl.gen_vertex_arrays(1, &vertex_array);
  gl.bind_vertex_array(vertex_array);
  gl.gen_buffers(1, &buffer);
  gl.use_program(program);
  FeedbackQueries queries({.counters = {"triangles", "paused", "overflow"}}, EglContext::get_proc_address);
  ASSERT_EQ(queries.state(), State::measuring) << queries.reason();
  const CounterId triangles = queries.counter("triangles");
  const CounterId paused = queries.counter("paused");
  const CounterId overflow = queries.counter("overflow");
  const auto room = [&](int vertices) {
    gl.bind_buffer(0x8C8E, buffer);
    gl.buffer_data(0x8C8E, vertices * 16, nullptr, 0x88E9);
    gl.bind_buffer_base(0x8C8E, 0, buffer);
  };
  for (int frame = 0; frame < 20; ++frame) {
    queries.begin_frame();
    room(64);
    {
      const auto scope = queries.scope(triangles);
      gl.begin_feedback(4);
      gl.draw_arrays(4, 0, 6);
      gl.end_feedback();
    }
    {
      const auto scope = queries.scope(paused);
      gl.begin_feedback(4);
      gl.draw_arrays(4, 0, 3);
      gl.pause_feedback();
      gl.draw_arrays(4, 0, 6);
      gl.resume_feedback();
      gl.end_feedback();
    }
    room(4);
    {
      const auto scope = queries.scope(overflow);
      gl.begin_feedback(0);
      gl.draw_arrays(0, 0, 8);
      gl.end_feedback();
    }
    queries.end_frame();
    gl.finish();
  }
  ASSERT_TRUE(queries.written(overflow).known());
  EXPECT_EQ(queries.written(triangles).last(), 2u);
  EXPECT_EQ(queries.written(triangles).series().max(), 2.0);
  EXPECT_EQ(queries.written(paused).last(), 1u) << "the paused draw adds nothing";
  if (queries.counts_generated()) {
    EXPECT_EQ(queries.written(overflow).last(), 4u);
    EXPECT_EQ(queries.generated(overflow).last(), 8u);
    EXPECT_GT(queries.overflowed_frames(overflow), 0u);
    EXPECT_EQ(queries.overflowed_frames(triangles), 0u);
    EXPECT_EQ(gl.get_error(), 0u);
  }
}

// Shows that pixels and buffer bytes come back right, late, with their frame's number, and leave the
// application's bindings alone.
TEST_P(HelpersOn, ReadbackDeliversPixelsAndBuffers) {
  const Draw gl;
  make_target(gl, 0);
  unsigned buffer = 0;
  gl.gen_buffers(1, &buffer);
  gl.bind_buffer(0x8892, buffer);
  Readback readback({}, EglContext::get_proc_address);
  ASSERT_EQ(readback.state(), State::measuring) << readback.reason();
  struct Received {
    std::uint64_t pixels = 0, buffers = 0, wrong = 0;
  } received;
  const ReadCallback callback{
      [](void* user, const ReadResult& result) {
        Received& to = *static_cast<Received*>(user);
        const auto value = static_cast<std::uint8_t>(result.bytes.empty() ? std::byte{255} : result.bytes[0]);
        if (result.verdict != Verdict::accepted || result.latency_frames == 0 ||
            value != result.frame % 64 * 2) {
          ++to.wrong;
        }
        ++(result.tag == 0 ? to.pixels : to.buffers);
      },
      &received};
  for (int frame = 0; frame < 60; ++frame) {
    readback.begin_frame();
    const std::uint8_t value = static_cast<std::uint8_t>(frame % 64 * 2);
    gl.clear_color(static_cast<float>(value) / 255.0f, 0, 0, 1);
    gl.clear(0x4000);
    const std::uint8_t bytes[4] = {9, value, 9, 9};
    gl.buffer_data(0x8892, 4, bytes, 0x88E4);
    EXPECT_TRUE(readback.read_pixels({.x = 63, .y = 63}, callback, 0) || readback.batches_in_flight() == 4);
    EXPECT_TRUE(readback.read_buffer(buffer, 1, 1, callback, 1) || readback.batches_in_flight() == 4);
    readback.end_frame();
    if (frame % 4 == 3) gl.finish();
    ASSERT_LE(readback.batches_in_flight(), 4u);
  }
  EXPECT_GT(received.pixels, 5u);
  EXPECT_EQ(received.pixels, received.buffers);
  EXPECT_EQ(received.wrong, 0u);
  EXPECT_EQ(gl.get_error(), 0u);
}

}  // namespace
}  // namespace passmeter::gl
