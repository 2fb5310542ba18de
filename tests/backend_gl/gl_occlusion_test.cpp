// OcclusionQueries on the fake driver.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "counting_new.h"
#include "fake_gl.h"
#include "passmeter/gl/occlusion_queries.h"

namespace passmeter::gl {
namespace {

using testing::FakeGl;
using testing::Flavour;
namespace e = testing::gl_enum;

template <class Function>
Function* entry(const char* name) {
  return reinterpret_cast<Function*>(FakeGl::get(name));
}

class OcclusionFake : public ::testing::Test {
 protected:
  void SetUp() override { gl.make_current(); }
  void TearDown() override {
    EXPECT_TRUE(gl.violations().empty()) << gl.violations_text();
    EXPECT_EQ(gl.waits(), 0u);
  }

  // A frame that tests one object if it is due.
  static bool test_one(OcclusionQueries& queries, std::uint32_t object) {
    const auto scope = queries.test(object);
    if (scope.active()) entry<void(unsigned, int, int)>("glDrawArrays")(e::triangles, 0, 3);
    return scope.active();
  }
  void frame(OcclusionQueries& queries, std::uint32_t first, std::uint32_t count) {
    queries.begin_frame();
    for (std::uint32_t id = first; id < first + count; ++id) test_one(queries, id);
    queries.end_frame();
    gl.next_frame();
  }

  FakeGl gl{Flavour::desktop};
};

// Shows that what is unknown or pending stays visible, that one zero does not hide, and that two do.
TEST_F(OcclusionFake, Case40PendingIsNotHidden) {
  OcclusionQueries queries({.objects = 1}, FakeGl::get);
  ASSERT_EQ(queries.state(), State::measuring) << queries.reason();
  gl.push_results(e::any_samples_passed, {1, 0, 0});
  EXPECT_TRUE(queries.visible(0)) << "unknown";

  frame(queries, 0, 1);
  queries.begin_frame();  // the answer 1
  EXPECT_TRUE(queries.visible(0));
  EXPECT_EQ(queries.age(0), 1u);
  queries.end_frame();

  gl.hold_all();
  while (queries.objects().in_flight() == 0) frame(queries, 0, 1);
  for (int pending = 0; pending < 2; ++pending) {
    frame(queries, 0, 1);
    EXPECT_TRUE(queries.visible(0)) << "pending";
  }
  gl.release_all();
  queries.begin_frame();  // the first 0
  EXPECT_TRUE(queries.visible(0));
  ASSERT_TRUE(test_one(queries, 0)) << "to be confirmed at once";
  queries.end_frame();
  queries.begin_frame();  // the second 0
  EXPECT_FALSE(queries.visible(0));
  queries.end_frame();
}

// Shows that ten thousand objects cost no allocation in a frame, never take the pool over its cap, and that
// those without a query are counted and tested first in the next frame.
TEST_F(OcclusionFake, TenThousandObjects) {
  constexpr std::uint32_t count = 10000, cap = 3000;
  OcclusionQueries queries({.objects = count}, FakeGl::get, {.max_queries = cap});
  gl.set_latency_frames(0);
  std::vector<std::uint32_t> first_tested(count, 0xFFFFFFFFu);
  std::uint64_t allocations = 0;
  for (std::uint32_t number = 0; number < 40; ++number) {
    const std::uint64_t before = testing::thread_allocation_count();
    queries.begin_frame();
    const std::uint32_t room = cap - queries.objects().in_flight();
    for (std::uint32_t id = 0; id < count; ++id) {
      if (!queries.begin(id)) continue;
      queries.end();
      if (first_tested[id] == 0xFFFFFFFFu) first_tested[id] = number;
    }
    EXPECT_LE(queries.objects().tested(), room);
    queries.end_frame();
    if (number >= 8) allocations += testing::thread_allocation_count() - before;
    gl.next_frame();
  }
  EXPECT_EQ(allocations, 0u);
  EXPECT_LE(gl.peak_live_queries(), cap);
  EXPECT_LE(queries.queries_made(), cap);
  for (std::uint32_t id = 0; id < count; ++id) ASSERT_EQ(first_tested[id], id / cap) << "object " << id;
  EXPECT_GT(queries.objects().latency().verdicts()[Verdict::no_free_slot], 0u);
  EXPECT_EQ(queries.objects().diagnostics().count(Diagnostic::pool_full),
            queries.objects().latency().verdicts()[Verdict::no_free_slot]);
}

// Shows that results which never come neither take more queries than the cap nor hide anything, and that
// measuring goes on when they come at last.
TEST_F(OcclusionFake, HeldResultsAreBoundedAndGivenUp) {
  OcclusionQueries queries({.objects = 100, .late_after_frames = 20}, FakeGl::get, {.max_queries = 50});
  gl.hold_all();
  for (int i = 0; i < 100; ++i) frame(queries, 0, 100);
  EXPECT_LE(gl.peak_live_queries(), 50u);
  EXPECT_EQ(queries.objects().hidden(), 0u);
  EXPECT_EQ(queries.objects().latency().verdicts()[Verdict::late], 50u);
  EXPECT_EQ(queries.objects().in_flight(), 0u);
  gl.release_all();
  const std::uint64_t before = queries.objects().latency().accepted();
  for (int i = 0; i < 10; ++i) frame(queries, 0, 100);
  EXPECT_GT(queries.objects().latency().accepted(), before + 100);
}

// Shows that answers that get ready in any order reach the right objects.
TEST_F(OcclusionFake, ReadyInAnyOrderReachesTheRightObjects) {
  constexpr std::uint32_t count = 60;
  OcclusionQueries queries({.objects = count, .hide_after = 1}, FakeGl::get);
  gl.set_jitter_frames(4, 3);
  for (int i = 0; i < 100; ++i) {
    queries.begin_frame();
    for (std::uint32_t id = 0; id < count; ++id) {
      const auto test = queries.test(id);
      if (test.active() && id % 3 != 0) entry<void(unsigned, int, int)>("glDrawArrays")(e::triangles, 0, 3);
    }
    queries.end_frame();
    gl.next_frame();
    for (std::uint32_t id = 0; id < count; ++id) {
      if (id % 3 != 0) {
        ASSERT_TRUE(queries.visible(id)) << id;
      }
    }
  }
  for (std::uint32_t id = 0; id < count; id += 3) EXPECT_FALSE(queries.visible(id)) << id;
}

// Shows that a driver that gives no result before a flush is flushed, at the end of a frame, and not every
// frame.
TEST_F(OcclusionFake, FlushesWhereNobodyElseDoes) {
  OcclusionQueries queries({.objects = 10}, FakeGl::get);
  gl.set_needs_flush(true);
  for (int i = 0; i < 100; ++i) frame(queries, 0, 10);
  EXPECT_GT(queries.objects().latency().accepted(), 50u);
  EXPECT_GT(gl.flushes(), 0u);
  EXPECT_LE(gl.flushes(), 50u);
}

// Shows that a lost context, which answers every query with 0, hides nothing, and that after restore()
// objects are tested again with fresh queries.
TEST_F(OcclusionFake, ALostContextHidesNothing) {
  OcclusionQueries queries({.objects = 20}, FakeGl::get);
  gl.set_latency_frames(3);
  for (int i = 0; i < 5; ++i) frame(queries, 0, 20);
  ASSERT_GT(queries.objects().in_flight(), 0u);
  gl.lose_context();
  queries.begin_frame();
  EXPECT_EQ(queries.state(), State::lost);
  for (std::uint32_t id = 0; id < 20; ++id) EXPECT_TRUE(queries.visible(id));
  EXPECT_FALSE(queries.begin(0));
  queries.end_frame();
  EXPECT_EQ(queries.objects().in_flight(), 0u);
  EXPECT_GT(queries.objects().latency().verdicts()[Verdict::lost], 0u);

  gl.restore();
  gl.set_latency_frames(0);
  EXPECT_TRUE(queries.restore());
  gl.set_samples_per_draw(0);
  for (int i = 0; i < 5; ++i) frame(queries, 0, 20);
  EXPECT_FALSE(queries.visible(3));
}

// Shows that notify_lost() with a test open and queries pending makes no driver call, nor does the
// destruction.
TEST_F(OcclusionFake, LostInsideATestMakesNoCall) {
  {
    OcclusionQueries queries({.objects = 4}, FakeGl::get);
    gl.hold_all();
    frame(queries, 0, 2);
    queries.begin_frame();
    auto state = queries.proxy_state();
    auto test = queries.test(2);
    ASSERT_TRUE(test.active());
    gl.lose_context();
    queries.notify_lost();
    gl.reset_counters();
    test.close();
    state.restore();
    queries.end_frame();
    EXPECT_EQ(queries.objects().diagnostics().count(Diagnostic::end_without_begin), 0u);
  }
  EXPECT_EQ(gl.total_calls(), 0u);
}

// Shows that all queries are deleted with the helper, pending and open ones too.
TEST_F(OcclusionFake, DestructionDeletesEverything) {
  {
    OcclusionQueries queries({.objects = 100}, FakeGl::get);
    gl.hold_all();
    frame(queries, 0, 50);
    queries.begin_frame();
    ASSERT_TRUE(queries.begin(60));
  }
  EXPECT_EQ(gl.live_queries(), 0u);
  EXPECT_EQ(gl.active_queries(), 0u);
}

// Shows the answers to misuse: a test in a test, an end without one, an id never declared, no frame.
TEST_F(OcclusionFake, Misuse) {
  OcclusionQueries queries({.objects = 4}, FakeGl::get);
  EXPECT_FALSE(queries.begin(0)) << "outside a frame";
  queries.begin_frame();
  EXPECT_FALSE(queries.begin(4));
  EXPECT_TRUE(queries.visible(4));
  EXPECT_EQ(queries.age(0), Visibility::never);
  EXPECT_TRUE(queries.visible(0)) << "never tested";
  ASSERT_TRUE(queries.begin(0));
  EXPECT_FALSE(queries.begin(1)) << "inside another";
  queries.end();
  queries.end();
  ASSERT_TRUE(queries.begin(2));
  queries.end_frame();
  const Diagnostics& diagnostics = queries.objects().diagnostics();
  EXPECT_EQ(diagnostics.count(Diagnostic::scope_outside_frame), 1u);
  EXPECT_EQ(diagnostics.count(Diagnostic::unknown_object), 2u);
  EXPECT_EQ(diagnostics.count(Diagnostic::query_begun_twice), 1u);
  EXPECT_EQ(diagnostics.count(Diagnostic::end_without_begin), 1u);
  EXPECT_EQ(diagnostics.count(Diagnostic::scope_left_open), 1u);
  EXPECT_EQ(gl.active_queries(), 0u);
}

// Shows that an occlusion query the application has open is left alone: nothing is tested meanwhile.
TEST_F(OcclusionFake, TheApplicationsOwnQueryIsLeftAlone) {
  OcclusionQueries queries({.objects = 4}, FakeGl::get);
  unsigned own = 0;
  entry<void(int, unsigned*)>("glGenQueries")(1, &own);
  entry<void(unsigned, unsigned)>("glBeginQuery")(e::samples_passed, own);
  frame(queries, 0, 4);
  EXPECT_EQ(queries.objects().in_flight(), 0u);
  EXPECT_EQ(queries.objects().diagnostics().count(Diagnostic::driver_error), 1u);
  EXPECT_EQ(gl.active_queries(), 1u);
  entry<void(unsigned)>("glEndQuery")(e::samples_passed);
  frame(queries, 0, 4);
  EXPECT_EQ(queries.objects().in_flight(), 4u);
  entry<void(int, const unsigned*)>("glDeleteQueries")(1, &own);
}

// Shows that a query which the application begins between two tests of a frame is left alone too, for each
// target that excludes ours: the test is refused without an OpenGL error, an old answer is not taken for its,
// and tests go on in the same frame when the application has ended its query.
TEST_F(OcclusionFake, TheApplicationsQueryBetweenTests) {
  unsigned own[2] = {};
  entry<void(int, unsigned*)>("glGenQueries")(2, own);
  const unsigned targets[2] = {e::any_samples_passed, e::samples_passed};
  for (int which = 0; which < 2; ++which) {
    SCOPED_TRACE(which);
    OcclusionQueries queries({.objects = 3, .retest_hidden_every = 1, .retest_visible_every = 1},
                             FakeGl::get);
    gl.set_samples_per_draw(0);
    for (int i = 0; i < 4; ++i) frame(queries, 0, 3);
    ASSERT_FALSE(queries.visible(1));
    const std::uint64_t accepted = queries.objects().latency().accepted();
    gl.set_samples_per_draw(10);

    queries.begin_frame();  // three answers of the last frame
    ASSERT_TRUE(test_one(queries, 0));
    entry<void(unsigned, unsigned)>("glBeginQuery")(targets[which], own[which]);
    EXPECT_FALSE(test_one(queries, 1));
    EXPECT_FALSE(test_one(queries, 1)) << "once a frame is enough";
    EXPECT_EQ(gl.active_queries(), 1u);
    entry<void(unsigned)>("glEndQuery")(targets[which]);
    EXPECT_TRUE(test_one(queries, 2));
    queries.end_frame();
    gl.next_frame();
    EXPECT_EQ(queries.objects().in_flight(), 2u);
    EXPECT_EQ(queries.objects().diagnostics().count(Diagnostic::driver_error), 1u);
    EXPECT_EQ(queries.objects().latency().verdicts()[Verdict::driver_error], 1u);

    queries.begin_frame();
    EXPECT_TRUE(queries.visible(0));
    EXPECT_TRUE(queries.visible(2));
    EXPECT_EQ(queries.objects().latency().accepted(), accepted + 5);
    ASSERT_TRUE(test_one(queries, 1));
    queries.end_frame();
    gl.next_frame();
    queries.begin_frame();
    EXPECT_TRUE(queries.visible(1)) << "its draws passed";
    queries.end_frame();
  }
  entry<void(int, const unsigned*)>("glDeleteQueries")(2, own);
}

// Shows that a test which the application ends, and puts its own query in the place of, has no answer and
// leaves that query open.
TEST_F(OcclusionFake, ATestThatTheApplicationEnds) {
  OcclusionQueries queries({.objects = 1, .hide_after = 1}, FakeGl::get);
  unsigned own = 0;
  entry<void(int, unsigned*)>("glGenQueries")(1, &own);
  queries.begin_frame();
  ASSERT_TRUE(queries.begin(0));
  entry<void(unsigned)>("glEndQuery")(e::any_samples_passed);
  entry<void(unsigned, unsigned)>("glBeginQuery")(e::any_samples_passed, own);
  queries.end();
  EXPECT_EQ(gl.active_queries(), 1u);
  entry<void(unsigned)>("glEndQuery")(e::any_samples_passed);
  queries.end_frame();
  gl.next_frame();
  queries.begin_frame();
  EXPECT_TRUE(queries.visible(0));
  EXPECT_EQ(queries.objects().latency().accepted(), 0u);
  EXPECT_EQ(queries.objects().latency().verdicts()[Verdict::driver_error], 1u);
  queries.end_frame();
  entry<void(int, const unsigned*)>("glDeleteQueries")(1, &own);
}

// Shows that more queries than the documented most are not made room for, and that this is said.
TEST_F(OcclusionFake, MaxQueriesIsBounded) {
  const std::uint64_t before = testing::thread_allocation_count();
  OcclusionQueries queries({.objects = 4}, FakeGl::get, {.max_queries = 0xFFFFFFFFu});
  EXPECT_GT(testing::thread_allocation_count(), before);
  EXPECT_EQ(queries.state(), State::measuring);
  EXPECT_EQ(queries.objects().diagnostics().count(Diagnostic::bad_config), 1u);
  frame(queries, 0, 4);
  EXPECT_EQ(queries.objects().in_flight(), 4u);
  const OcclusionQueries most({.objects = 4}, FakeGl::get, {.max_queries = 65536});
  EXPECT_EQ(most.objects().diagnostics().count(Diagnostic::bad_config), 0u);
}

// Shows that the proxy scope switches writes off and puts back whatever masks there were.
TEST_F(OcclusionFake, ProxyStateRestoresTheMasks) {
  OcclusionQueries queries({.objects = 1}, FakeGl::get);
  using Byte = unsigned char;
  entry<void(Byte, Byte, Byte, Byte)>("glColorMask")(1, 0, 1, 0);
  entry<void(Byte)>("glDepthMask")(1);
  Byte color[4] = {9, 9, 9, 9}, depth = 9;
  const auto get = [&] {
    entry<void(unsigned, Byte*)>("glGetBooleanv")(e::color_writemask, color);
    entry<void(unsigned, Byte*)>("glGetBooleanv")(e::depth_writemask, &depth);
  };
  {
    const auto state = queries.proxy_state();
    get();
    EXPECT_EQ(color[0] + color[1] + color[2] + color[3], 0);
    EXPECT_EQ(depth, 0);
  }
  get();
  EXPECT_EQ(color[0], 1);
  EXPECT_EQ(color[1], 0);
  EXPECT_EQ(color[2], 1);
  EXPECT_EQ(color[3], 0);
  EXPECT_EQ(depth, 1);
}

// Shows which query each kind of context is asked, and that a context without any says so and hides nothing.
TEST(OcclusionTargets, ByContext) {
  struct Row {
    Flavour flavour;
    OcclusionTarget asked;
    bool works;
    OcclusionTarget used;
  };
  const Row rows[] = {
      {Flavour::desktop, OcclusionTarget::automatic, true, OcclusionTarget::any_samples},
      {Flavour::desktop, OcclusionTarget::samples, true, OcclusionTarget::samples},
      {Flavour::desktop, OcclusionTarget::any_samples_conservative, true,
       OcclusionTarget::any_samples_conservative},
      {Flavour::gles3, OcclusionTarget::automatic, true, OcclusionTarget::any_samples},
      {Flavour::gles3, OcclusionTarget::samples, false, OcclusionTarget::automatic},
      {Flavour::webgl2, OcclusionTarget::any_samples_conservative, true,
       OcclusionTarget::any_samples_conservative},
      {Flavour::gles2, OcclusionTarget::automatic, true, OcclusionTarget::any_samples},
      {Flavour::webgl1, OcclusionTarget::automatic, false, OcclusionTarget::automatic},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(static_cast<int>(row.flavour));
    FakeGl gl(row.flavour);
    gl.make_current();
    if (row.flavour == Flavour::gles2) {
      gl.set_extensions({"GL_EXT_occlusion_query_boolean", "GL_EXT_disjoint_timer_query"});
    }
    {
      OcclusionQueries queries({.objects = 1, .hide_after = 1}, FakeGl::get, {.target = row.asked});
      EXPECT_EQ(queries.state() == State::measuring, row.works) << queries.reason();
      EXPECT_EQ(queries.target(), row.used);
      for (int i = 0; i < 6; ++i) {
        queries.begin_frame();
        const bool begun = queries.begin(0);
        EXPECT_TRUE(row.works || !begun);
        if (begun) queries.end();  // nothing drawn: hidden
        queries.end_frame();
        gl.next_frame();
      }
      EXPECT_EQ(queries.visible(0), !row.works);
    }
    EXPECT_TRUE(gl.violations().empty()) << gl.violations_text();
    EXPECT_EQ(gl.live_queries(), 0u);
  }
}

// Shows that without a context or a loader everything is visible and the reason says why.
TEST(OcclusionTargets, WithoutAContext) {
  FakeGl::release_current();
  OcclusionQueries queries({.objects = 2}, FakeGl::get);
  EXPECT_EQ(queries.state(), State::unavailable);
  EXPECT_STRNE(queries.reason(), "");
  queries.begin_frame();
  EXPECT_FALSE(queries.test(0).active());
  EXPECT_TRUE(queries.visible(0));
  queries.proxy_state().restore();
  queries.end_frame();
}

// Shows that with each single driver call of a run failing, or losing the context at it, nothing is ever
// hidden that was seen, nothing leaks, and the helper works again afterwards.
TEST(OcclusionFaults, EveryCallFailsOnce) {
  constexpr std::uint32_t count = 6;
  for (const bool lose : {false, true}) {
    for (std::uint64_t k = 1; k < 400; ++k) {
      FakeGl gl(Flavour::desktop);
      gl.make_current();
      {
        OcclusionQueries queries({.objects = count, .late_after_frames = 8}, FakeGl::get);
        const auto run = [&](int frames) {
          for (int i = 0; i < frames; ++i) {
            queries.begin_frame();
            for (std::uint32_t id = 0; id < count; ++id) {
              if (!queries.begin(id)) continue;
              entry<void(unsigned, int, int)>("glDrawArrays")(e::triangles, 0, 3);
              queries.end();
            }
            queries.end_frame();
            gl.next_frame();
            for (std::uint32_t id = 0; id < count; ++id) ASSERT_TRUE(queries.visible(id)) << k;
          }
        };
        const std::uint64_t before = gl.total_calls();
        if (lose) {
          gl.lose_context_at(k);
        } else {
          gl.fail_call(k);
        }
        run(20);
        if (gl.total_calls() - before < k) break;  // all calls of the run have been tried
        if (lose && gl.lost()) {
          queries.notify_lost();
          gl.restore();
          ASSERT_TRUE(queries.restore());
        }
        const std::uint64_t accepted = queries.objects().latency().accepted();
        run(20);
        EXPECT_GT(queries.objects().latency().accepted(), accepted)
            << (lose ? "lost at " : "failed at ") << k;
      }
      EXPECT_EQ(gl.live_queries(), 0u) << k;
      EXPECT_EQ(gl.active_queries(), 0u) << k;
    }
  }
}

// Shows that with any single call of a test failing, the id's old answer is not taken for the new one, no
// query stays open or leaks, and testing goes on.
TEST(OcclusionFaults, AnOldAnswerIsNotTakenForANewOne) {
  for (const bool at_end : {false, true}) {
    for (std::uint64_t k = 1; k <= (at_end ? 2u : 4u); ++k) {
      SCOPED_TRACE(::testing::Message() << (at_end ? "end " : "begin ") << k);
      FakeGl gl(Flavour::desktop);
      gl.make_current();
      {
        OcclusionQueries queries({.objects = 1, .retest_hidden_every = 1}, FakeGl::get);
        const auto run = [&](bool fails) {
          queries.begin_frame();
          if (fails && !at_end) gl.fail_call(k);
          ASSERT_TRUE(queries.begin(0));
          entry<void(unsigned, int, int)>("glDrawArrays")(e::triangles, 0, 3);
          if (fails && at_end) gl.fail_call(k);
          queries.end();
          queries.end_frame();
          gl.next_frame();
        };
        gl.set_samples_per_draw(0);
        for (int i = 0; i < 4; ++i) run(false);
        queries.begin_frame();
        queries.end_frame();
        ASSERT_FALSE(queries.visible(0));
        gl.set_samples_per_draw(10);
        const std::uint64_t accepted = queries.objects().latency().accepted();
        run(true);
        queries.begin_frame();
        queries.end_frame();
        EXPECT_TRUE(queries.visible(0) || queries.objects().latency().accepted() == accepted);
        EXPECT_EQ(gl.active_queries(), 0u);
        run(false);
        queries.begin_frame();
        queries.end_frame();
        EXPECT_TRUE(queries.visible(0));
      }
      EXPECT_EQ(gl.live_queries(), 0u);
      EXPECT_EQ(gl.active_queries(), 0u);
    }
  }
}

}  // namespace
}  // namespace passmeter::gl
