// FeedbackQueries and Readback on the fake driver.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "counting_new.h"
#include "fake_gl.h"
#include "passmeter/gl/feedback_queries.h"
#include "passmeter/gl/readback.h"

namespace passmeter::gl {
namespace {

using testing::FakeGl;
using testing::Flavour;
namespace e = testing::gl_enum;

template <class Function>
Function* entry(const char* name) {
  return reinterpret_cast<Function*>(FakeGl::get(name));
}

void draw_captured(int vertices, unsigned mode = e::triangles) {
  entry<void(unsigned)>("glBeginTransformFeedback")(mode);
  entry<void(unsigned, int, int)>("glDrawArrays")(mode, 0, vertices);
  entry<void()>("glEndTransformFeedback")();
}

class FeedbackFake : public ::testing::Test {
 protected:
  void SetUp() override { gl.make_current(); }
  void TearDown() override {
    EXPECT_TRUE(gl.violations().empty()) << gl.violations_text();
    EXPECT_EQ(gl.waits(), 0u);
  }
  FakeGl gl{Flavour::desktop};
};

// Shows that primitives are counted, not vertices, that scopes of one frame add up, and that the count
// belongs to the frame it was made in.
TEST_F(FeedbackFake, CountsPrimitivesOfAFrame) {
  FeedbackQueries queries({.counters = {"particles"}}, FakeGl::get);
  ASSERT_EQ(queries.state(), State::measuring) << queries.reason();
  const CounterId particles = queries.counter("particles");
  gl.set_latency_frames(2);
  for (int number = 0; number < 6; ++number) {
    queries.begin_frame();
    for (int i = 0; i <= number % 2; ++i) {
      const auto scope = queries.scope(particles);
      draw_captured(6);
    }
    queries.end_frame();
    gl.next_frame();
  }
  const LateCounter& written = queries.written(particles);
  ASSERT_TRUE(written.known());
  EXPECT_EQ(written.frame(), 3u);
  EXPECT_EQ(written.last(), 4u) << "two scopes of two triangles";
  EXPECT_EQ(written.age(queries.frame()), 2u);
  EXPECT_EQ(written.series().min(), 2.0);
  EXPECT_EQ(written.in_flight(), 2u);
  EXPECT_EQ(queries.overflowed_frames(particles), 0u);
}

// Shows that a full buffer is reported: more generated than written.
TEST_F(FeedbackFake, OverflowIsReported) {
  FeedbackQueries queries({.counters = {"particles"}}, FakeGl::get);
  const CounterId particles = queries.counter("particles");
  gl.set_feedback_capacity(4);
  for (int number = 0; number < 3; ++number) {
    queries.begin_frame();
    {
      const auto scope = queries.scope(particles);
      draw_captured(8, e::points);
    }
    queries.end_frame();
    gl.next_frame();
  }
  EXPECT_EQ(queries.written(particles).last(), 4u);
  EXPECT_EQ(queries.generated(particles).last(), 8u);
  EXPECT_EQ(queries.overflowed_frames(particles), 2u);
  EXPECT_EQ(queries.diagnostic_count(Diagnostic::overflow), 2u);
}

// Shows that WebGL2 and ES 3.0, which cannot count what was generated, are not asked to.
TEST(FeedbackFlavours, WithoutGenerated) {
  for (const Flavour flavour : {Flavour::webgl2, Flavour::gles3}) {
    FakeGl gl(flavour);
    gl.make_current();
    if (flavour == Flavour::gles3) gl.set_version("OpenGL ES 3.0 fake");
    {
      FeedbackQueries queries({.counters = {"a"}}, FakeGl::get);
      EXPECT_EQ(queries.state(), State::measuring) << queries.reason();
      EXPECT_FALSE(queries.counts_generated());
      for (int i = 0; i < 4; ++i) {
        queries.begin_frame();
        {
          const auto scope = queries.scope(queries.counter("a"));
          draw_captured(5, e::points);
        }
        queries.end_frame();
        entry<void()>("glFlush")();
        gl.next_frame();
      }
      EXPECT_EQ(queries.written(queries.counter("a")).last(), 5u);
      EXPECT_FALSE(queries.generated(queries.counter("a")).known());
    }
    EXPECT_TRUE(gl.violations().empty()) << gl.violations_text();
  }
}

// Shows that a query which the application begins between two scopes of a frame is left alone, that the
// scopes inside it are refused without an OpenGL error, and that no old count is taken for theirs.
TEST_F(FeedbackFake, TheApplicationsQueryBetweenScopes) {
  FeedbackQueries queries({.counters = {"a", "b"}}, FakeGl::get);
  const CounterId a = queries.counter("a"), b = queries.counter("b");
  unsigned own[6] = {};
  entry<void(int, unsigned*)>("glGenQueries")(6, own);
  const auto captured = [&](CounterId id, int points) {
    const auto scope = queries.scope(id);
    draw_captured(points, e::points);
    return scope.active();
  };
  for (int i = 0; i < 6; ++i) {
    queries.begin_frame();
    EXPECT_TRUE(captured(a, 3));
    if (i >= 3)
      entry<void(unsigned, unsigned)>("glBeginQuery")(e::transform_feedback_primitives_written, own[i]);
    EXPECT_EQ(captured(b, i < 3 ? 5 : 9), i < 3);
    EXPECT_EQ(gl.active_queries(), i < 3 ? 0u : 1u);
    if (i >= 3) entry<void(unsigned)>("glEndQuery")(e::transform_feedback_primitives_written);
    queries.end_frame();
    gl.next_frame();
  }
  queries.begin_frame();
  queries.end_frame();
  EXPECT_EQ(queries.written(a).series().accepted(), 6u);
  EXPECT_EQ(queries.written(b).series().accepted(), 3u);
  EXPECT_EQ(queries.written(b).series().verdicts().rejected(), 3u);
  EXPECT_EQ(queries.written(b).frame(), 2u);
  EXPECT_EQ(queries.diagnostic_count(Diagnostic::driver_error), 3u);
  entry<void(int, const unsigned*)>("glDeleteQueries")(6, own);
}

// Shows that with any single call of a scope failing, no count is accepted that is not the frame's, that no
// query stays open or leaks, and that counting goes on.
TEST(FeedbackFaults, NoWrongCountIsAccepted) {
  for (const bool at_end : {false, true}) {
    for (std::uint64_t k = 1; k <= 4; ++k) {
      SCOPED_TRACE(::testing::Message() << (at_end ? "end " : "begin ") << k);
      FakeGl gl(Flavour::desktop);
      gl.make_current();
      {
        FeedbackQueries queries({.counters = {"a"}}, FakeGl::get);
        const CounterId a = queries.counter("a");
        const auto run = [&](int points, int failing_scope) {
          queries.begin_frame();
          for (int i = 0; i < 3; ++i) {
            if (i == failing_scope && !at_end) gl.fail_call(k);
            ASSERT_TRUE(queries.begin(a));
            draw_captured(points, e::points);
            if (i == failing_scope && at_end) gl.fail_call(k);
            queries.end();
          }
          queries.end_frame();
          gl.next_frame();
        };
        const LateCounter& written = queries.written(a);
        for (int failing = 0; failing < 3; ++failing) {
          for (int i = 0; i < 4; ++i) run(2, -1);
          run(5, failing);
          queries.begin_frame();
          queries.end_frame();
          EXPECT_TRUE(written.last() == 6 || written.last() == 15) << written.last();
          EXPECT_TRUE(queries.generated(a).last() == 6 || queries.generated(a).last() == 15);
          EXPECT_EQ(queries.overflowed_frames(a), 0u);
          EXPECT_EQ(gl.active_queries(), 0u);
        }
        run(7, -1);
        queries.begin_frame();
        queries.end_frame();
        EXPECT_EQ(written.last(), 21u);
      }
      EXPECT_EQ(gl.live_queries(), 0u);
      EXPECT_EQ(gl.active_queries(), 0u);
    }
  }
}

// Shows that a scope refused inside another one makes its counter's frame incomplete: the others' sum is not
// accepted for the whole.
TEST_F(FeedbackFake, AScopeRefusedInsideAnotherIsMissing) {
  FeedbackQueries queries({.counters = {"a", "b"}}, FakeGl::get);
  const CounterId a = queries.counter("a"), b = queries.counter("b");
  queries.begin_frame();
  {
    const auto scope = queries.scope(b);
    draw_captured(5, e::points);
  }
  {
    const auto scope = queries.scope(a);
    draw_captured(1, e::points);
    const auto inner = queries.scope(b);
    EXPECT_FALSE(inner.active());
    draw_captured(7, e::points);
  }
  queries.end_frame();
  gl.next_frame();
  queries.begin_frame();
  queries.end_frame();
  EXPECT_EQ(queries.written(a).last(), 8u);
  EXPECT_EQ(queries.written(b).series().accepted(), 0u);
  EXPECT_EQ(queries.written(b).series().verdicts()[Verdict::no_free_slot], 1u);
  EXPECT_EQ(queries.written(b).in_flight(), 0u);
}

// Shows that a frame in which the context was lost and restored is lost only: what is left of it is not
// accepted for the whole.
TEST_F(FeedbackFake, LossAndRestoreInsideAFrame) {
  FeedbackQueries queries({.counters = {"a"}}, FakeGl::get);
  const CounterId a = queries.counter("a");
  const auto captured = [&](int points) {
    const auto scope = queries.scope(a);
    draw_captured(points, e::points);
    return scope.active();
  };
  queries.begin_frame();
  EXPECT_TRUE(captured(3));
  gl.lose_context();
  queries.notify_lost();
  gl.restore();
  ASSERT_TRUE(queries.restore());
  EXPECT_FALSE(captured(4));
  queries.end_frame();
  gl.next_frame();
  queries.begin_frame();
  EXPECT_TRUE(captured(5)) << "from the next frame on";
  queries.end_frame();
  gl.next_frame();
  queries.begin_frame();
  queries.end_frame();
  EXPECT_EQ(queries.written(a).series().verdicts()[Verdict::lost], 1u);
  EXPECT_EQ(queries.written(a).series().accepted(), 1u);
  EXPECT_EQ(queries.written(a).last(), 5u);
  EXPECT_EQ(queries.written(a).in_flight(), 0u);
}

// Shows the answers to misuse, to a full pool and to a loss, and that a frame allocates nothing.
TEST_F(FeedbackFake, MisusePoolAndLoss) {
  FeedbackQueries queries({.counters = {"a", "b", "a", ""}, .max_scopes = 4}, FakeGl::get);
  EXPECT_EQ(queries.diagnostic_count(Diagnostic::duplicate_name), 1u);
  EXPECT_EQ(queries.diagnostic_count(Diagnostic::empty_name), 1u);
  const CounterId a = queries.counter("a"), b = queries.counter("b");
  EXPECT_FALSE(queries.begin(a)) << "outside a frame";
  EXPECT_FALSE(queries.written(queries.counter("c")).known());
  gl.hold_all();
  std::uint64_t allocations = 0;
  for (int i = 0; i < 6; ++i) {
    const std::uint64_t before = testing::thread_allocation_count();
    queries.begin_frame();
    if (queries.begin(a)) {
      EXPECT_FALSE(queries.begin(b)) << "inside another";
      queries.end();
    }
    queries.end_frame();
    if (i > 1) allocations += testing::thread_allocation_count() - before;
    gl.next_frame();
  }
  EXPECT_EQ(allocations, 0u);
  queries.end();
  EXPECT_EQ(queries.diagnostic_count(Diagnostic::query_begun_twice), 4u);
  EXPECT_EQ(queries.diagnostic_count(Diagnostic::end_without_begin), 1u);
  EXPECT_EQ(queries.written(a).in_flight(), 4u);
  EXPECT_EQ(queries.written(a).series().verdicts()[Verdict::no_free_slot], 2u);
  EXPECT_EQ(gl.live_queries(), 8u) << "written and generated";

  gl.lose_context();
  queries.begin_frame();
  queries.end_frame();
  queries.notify_lost();
  EXPECT_EQ(queries.written(a).series().verdicts()[Verdict::lost], 4u);
  EXPECT_FALSE(queries.written(a).known());
  gl.restore();
  gl.release_all();
  ASSERT_TRUE(queries.restore());
  for (int i = 0; i < 3; ++i) {
    queries.begin_frame();
    ASSERT_TRUE(queries.begin(b));
    queries.end();
    queries.end_frame();
    gl.next_frame();
  }
  EXPECT_TRUE(queries.written(b).known());
}

// --- Readback
// ---------------------------------------------------------------------------------------------------

struct Received {
  struct One {
    std::uint64_t frame, tag;
    Verdict verdict;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<One> all;
  ReadCallback callback() {
    return {[](void* user, const ReadResult& result) {
              One one{result.frame, result.tag, result.verdict, {}};
              for (const std::byte b : result.bytes) one.bytes.push_back(static_cast<std::uint8_t>(b));
              static_cast<Received*>(user)->all.push_back(one);
            },
            this};
  }
};

unsigned make_buffer(std::initializer_list<std::uint8_t> bytes) {
  unsigned buffer = 0;
  entry<void(int, unsigned*)>("glGenBuffers")(1, &buffer);
  entry<void(unsigned, unsigned)>("glBindBuffer")(e::array_buffer, buffer);
  entry<void(unsigned, std::ptrdiff_t, const void*, unsigned)>("glBufferData")(
      e::array_buffer, static_cast<std::ptrdiff_t>(bytes.size()), bytes.begin(), 0x88E4);
  return buffer;
}

// Shows that reads of a frame arrive together, in order, late, with their frame's number and their own bytes,
// on contexts that map and on WebGL2, which cannot.
TEST(ReadbackFake, DeliversLateInOrder) {
  for (const Flavour flavour : {Flavour::desktop, Flavour::gles3, Flavour::webgl2}) {
    SCOPED_TRACE(static_cast<int>(flavour));
    FakeGl gl(flavour);
    gl.make_current();
    Received received;
    {
      Readback readback({}, FakeGl::get);
      ASSERT_EQ(readback.state(), State::measuring) << readback.reason();
      const unsigned buffer = make_buffer({1, 2, 3, 4, 5, 6, 7, 8});
      gl.set_latency_frames(2);
      gl.set_pixel(0x44332211);
      for (int i = 0; i < 5; ++i) {
        readback.begin_frame();
        if (i == 0) {
          EXPECT_TRUE(readback.read_buffer(buffer, 2, 3, received.callback(), 10));
          EXPECT_TRUE(readback.read_pixels({.x = 1, .y = 1}, received.callback(), 11));
        } else if (i == 1) {
          EXPECT_TRUE(readback.read_buffer(buffer, 0, 8, received.callback(), 12));
        }
        EXPECT_EQ(received.all.size(), i < 2 ? 0u : i == 2 ? 2u : 3u);
        readback.end_frame();
        entry<void()>("glFlush")();
        gl.next_frame();
      }
      ASSERT_EQ(received.all.size(), 3u);
      EXPECT_EQ(received.all[0].bytes, (std::vector<std::uint8_t>{3, 4, 5}));
      EXPECT_EQ(received.all[0].frame, 0u);
      EXPECT_EQ(received.all[0].tag, 10u);
      EXPECT_EQ(received.all[1].bytes, (std::vector<std::uint8_t>{0x11, 0x22, 0x33, 0x44}));
      EXPECT_EQ(received.all[2].bytes, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}));
      EXPECT_EQ(received.all[2].frame, 1u);
      entry<void(int, const unsigned*)>("glDeleteBuffers")(1, &buffer);
    }
    EXPECT_EQ(gl.live_buffers(), 0u);
    EXPECT_EQ(gl.live_syncs(), 0u);
    EXPECT_EQ(gl.waits(), 0u);
    EXPECT_TRUE(gl.violations().empty()) << gl.violations_text();
  }
}

// Shows that only so many batches are in flight, that further reads are refused and counted, that nothing is
// waited for or allocated, and that reads go on once the old ones have come.
TEST(ReadbackFake, BoundedInFlight) {
  FakeGl gl(Flavour::desktop);
  gl.make_current();
  Received received;
  Readback readback({.batch_bytes = 64, .batches_in_flight = 3}, FakeGl::get);
  const unsigned buffer = make_buffer({1, 2, 3, 4});
  gl.hold_all();
  int taken = 0;
  std::uint64_t allocations = 0;
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t before = testing::thread_allocation_count();
    readback.begin_frame();
    taken += readback.read_buffer(buffer, 0, 4, received.callback()) ? 1 : 0;
    readback.end_frame();
    if (i >= 4) allocations += testing::thread_allocation_count() - before;
    gl.next_frame();
  }
  EXPECT_EQ(taken, 3);
  EXPECT_EQ(allocations, 0u);
  EXPECT_EQ(readback.batches_in_flight(), 3u);
  EXPECT_EQ(gl.live_buffers(), 4u);
  EXPECT_EQ(readback.diagnostic_count(Diagnostic::pool_full), 7u);
  gl.release_all();
  readback.begin_frame();
  EXPECT_EQ(received.all.size(), 3u);
  // Four of 16 bytes fit; the fifth does not.
  for (int i = 0; i < 5; ++i) EXPECT_EQ(readback.read_buffer(buffer, 0, 4, received.callback()), i < 4);
  EXPECT_FALSE(readback.read_buffer(buffer, 0, 65, received.callback())) << "more than a batch";
  EXPECT_FALSE(readback.read_buffer(buffer, 0, 0, received.callback()));
  EXPECT_FALSE(readback.read_buffer(buffer, 0, 4, {}));
  EXPECT_EQ(readback.diagnostic_count(Diagnostic::read_out_of_range), 3u);
  readback.end_frame();
  EXPECT_FALSE(readback.read_buffer(buffer, 0, 4, received.callback())) << "outside a frame";
  EXPECT_EQ(gl.waits(), 0u);
  EXPECT_TRUE(gl.violations().empty()) << gl.violations_text();
}

// Shows that with each single driver call failing, each read that was taken is answered once, the
// application's buffers and bindings stay as they are, nothing leaks, and reads go on.
TEST(ReadbackFake, EveryCallFailsOnce) {
  for (std::uint64_t k = 1;; ++k) {
    SCOPED_TRACE(k);
    FakeGl gl(Flavour::desktop);
    gl.make_current();
    const unsigned source = make_buffer({1, 2, 3, 4});
    const unsigned own = make_buffer({9, 9, 9, 9});
    const auto bind = entry<void(unsigned, unsigned)>("glBindBuffer");
    const unsigned targets[] = {e::copy_read_buffer, e::copy_write_buffer, e::pixel_pack_buffer};
    for (const unsigned target : targets) bind(target, own);
    Received received;
    {
      Readback readback({.batches_in_flight = 2}, FakeGl::get);
      std::size_t taken = 0;
      const auto run = [&](int frames) {
        for (int i = 0; i < frames; ++i) {
          readback.begin_frame();
          taken += readback.read_buffer(source, 0, 4, received.callback()) ? 1u : 0u;
          taken += readback.read_pixels({}, received.callback()) ? 1u : 0u;
          readback.end_frame();
          gl.next_frame();
        }
      };
      const std::uint64_t before = gl.total_calls();
      gl.fail_call(k);
      run(4);
      if (gl.total_calls() - before < k) break;                 // all calls of the run have been tried
      for (const unsigned target : targets) bind(target, own);  // putting it back may be what failed
      run(4);
      readback.begin_frame();
      EXPECT_EQ(received.all.size(), taken);
      EXPECT_GE(taken, 13u);
      for (const Received::One& one : received.all) EXPECT_NE(one.bytes, (std::vector<std::uint8_t>(4, 9)));
      EXPECT_EQ(received.all[taken - 2].bytes, (std::vector<std::uint8_t>{1, 2, 3, 4}));
    }
    std::uint8_t bytes[4] = {};
    entry<void(unsigned, std::ptrdiff_t, std::ptrdiff_t, void*)>("glGetBufferSubData")(e::copy_read_buffer, 0,
                                                                                       4, bytes);
    EXPECT_EQ(bytes[0], 9);
    // Where the staging buffer was not given its size, what copies into it fails as well.
    for (const std::string& violation : gl.violations()) {
      EXPECT_NE(violation.find("outside the buffer"), std::string::npos) << violation;
    }
    EXPECT_LE(gl.live_buffers(), 3u);  // deleting may be what failed
    if (::testing::Test::HasFailure()) return;
  }
}

// Answers a driver error with notify_lost(), inside of the log callback.
template <class Helper>
struct LossTeller {
  Helper* helper = nullptr;
  LogCallback callback() {
    return {[](void* user, Diagnostic diagnostic, const char*) {
              if (diagnostic == Diagnostic::driver_error)
                static_cast<LossTeller*>(user)->helper->notify_lost();
            },
            this};
  }
};

// Shows that a loss told from the log callback counts each read and each frame once, whichever call it was
// that had failed, also with more results to come.
TEST(ReadbackFake, LossToldFromTheLog) {
  for (std::uint64_t k = 1; k < 60; ++k) {
    SCOPED_TRACE(k);
    FakeGl gl(Flavour::desktop);
    gl.make_current();
    LossTeller<Readback> teller;
    Readback readback({.log = teller.callback()}, FakeGl::get);
    teller.helper = &readback;
    Received received;
    std::size_t taken = 0;
    gl.fail_call(k);
    for (int i = 0; i < 6; ++i) {
      readback.begin_frame();
      taken += readback.read_pixels({}, received.callback()) ? 1u : 0u;
      readback.end_frame();
      if (i > 2) gl.next_frame();
    }
    readback.notify_lost();
    EXPECT_EQ(received.all.size(), taken);
    EXPECT_EQ(readback.batches_in_flight(), 0u);
    readback.begin_frame();
    EXPECT_EQ(received.all.size(), taken);
  }
}

TEST(FeedbackFaults, LossToldFromTheLog) {
  for (std::uint64_t k = 1; k < 60; ++k) {
    SCOPED_TRACE(k);
    FakeGl gl(Flavour::desktop);
    gl.make_current();
    LossTeller<FeedbackQueries> teller;
    FeedbackQueries queries({.counters = {"a"}, .log = teller.callback()}, FakeGl::get);
    teller.helper = &queries;
    const CounterId a = queries.counter("a");
    gl.fail_call(k);
    gl.hold_all();
    for (int i = 0; i < 4; ++i) {
      queries.begin_frame();
      const auto scope = queries.scope(a);
      queries.end_frame();
    }
    gl.release_all();
    queries.begin_frame();
    queries.end_frame();
    EXPECT_LE(queries.written(a).series().accepted() + queries.written(a).series().verdicts().rejected(), 4u);
    EXPECT_EQ(queries.written(a).in_flight(), 0u);
  }
}

// Shows that a buffer that there is not is refused, and nothing else is read in its place.
TEST(ReadbackFake, NoSuchBuffer) {
  FakeGl gl(Flavour::desktop);
  gl.make_current();
  entry<void(unsigned, unsigned)>("glBindBuffer")(e::copy_read_buffer, make_buffer({1, 2, 3, 4}));
  Received received;
  Readback readback({}, FakeGl::get);
  readback.begin_frame();
  for (const unsigned buffer : {0u, 77u}) {
    EXPECT_FALSE(readback.read_buffer(buffer, 0, 4, received.callback()));
  }
  EXPECT_EQ(readback.diagnostic_count(Diagnostic::driver_error), 2u);
  gl.clear_violations();  // binding one that there is not is an error
}

// Shows that sizes and ranges that no type here holds are refused, not cut to something small.
TEST(ReadbackFake, SizesThatOverflow) {
  FakeGl gl(Flavour::desktop);
  gl.make_current();
  Received received;
  Readback readback({}, FakeGl::get);
  const unsigned buffer = make_buffer({1, 2, 3, 4});
  constexpr std::int32_t most = 0x7FFFFFFF;
  const PixelRegion regions[] = {
      {.width = 671170565, .height = 1717777216, .bytes_per_pixel = 16},  // 1024 modulo 2^64
      {.width = most, .height = most, .bytes_per_pixel = 0xFFFFFFFFu},
      {.width = 1 << 30, .height = 1 << 30, .bytes_per_pixel = 16},  // 0 modulo 2^64
      {.width = 1, .height = 1, .bytes_per_pixel = 0xFFFFFFFFu},
      {.bytes_per_pixel = 0},
  };
  const std::uint64_t offsets[] = {~std::uint64_t{0}, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 4};
  readback.begin_frame();
  for (const PixelRegion& region : regions) EXPECT_FALSE(readback.read_pixels(region, received.callback()));
  for (const std::uint64_t offset : offsets)
    EXPECT_FALSE(readback.read_buffer(buffer, offset, 8, received.callback()));
  EXPECT_EQ(readback.diagnostic_count(Diagnostic::read_out_of_range), 8u);
  readback.end_frame();
  EXPECT_EQ(readback.batches_in_flight(), 0u);
  EXPECT_EQ(gl.calls("glReadPixels") + gl.calls("glCopyBufferSubData"), 0u);
  EXPECT_TRUE(gl.violations().empty()) << gl.violations_text();
}

// Shows that on a loss every read in flight hears of it, and that reads work again after restore().
TEST(ReadbackFake, Loss) {
  FakeGl gl(Flavour::desktop);
  gl.make_current();
  Received received;
  Readback readback({}, FakeGl::get);
  unsigned buffer = make_buffer({1, 2, 3, 4});
  gl.set_latency_frames(5);
  for (int i = 0; i < 2; ++i) {
    readback.begin_frame();
    readback.read_buffer(buffer, 0, 4, received.callback());
    readback.end_frame();
    gl.next_frame();
  }
  gl.lose_context();
  readback.begin_frame();
  readback.end_frame();
  EXPECT_EQ(readback.state(), State::lost);
  ASSERT_EQ(received.all.size(), 2u);
  EXPECT_EQ(received.all[0].verdict, Verdict::lost);
  EXPECT_TRUE(received.all[0].bytes.empty());
  gl.restore();
  gl.set_latency_frames(0);
  ASSERT_TRUE(readback.restore());
  buffer = make_buffer({5});
  for (int i = 0; i < 2; ++i) {
    readback.begin_frame();
    readback.read_buffer(buffer, 0, 1, received.callback());
    readback.end_frame();
    gl.next_frame();
  }
  ASSERT_EQ(received.all.size(), 3u);
  EXPECT_EQ(received.all[2].bytes, (std::vector<std::uint8_t>{5}));
}

// Shows that bytes that do not come are given up, and their callbacks told.
TEST(ReadbackFake, LateOnesAreGivenUp) {
  FakeGl gl(Flavour::desktop);
  gl.make_current();
  Received received;
  Readback readback({.late_after_frames = 5}, FakeGl::get);
  const unsigned buffer = make_buffer({1, 2, 3, 4});
  gl.hold_all();
  for (int i = 0; i < 8; ++i) {
    readback.begin_frame();
    if (i == 0) readback.read_buffer(buffer, 0, 4, received.callback(), 7);
    readback.end_frame();
    gl.next_frame();
  }
  ASSERT_EQ(received.all.size(), 1u);
  EXPECT_EQ(received.all[0].verdict, Verdict::late);
  EXPECT_EQ(received.all[0].tag, 7u);
  EXPECT_EQ(readback.batches_in_flight(), 0u);
  Report report;
  readback.append_to(report);
  ASSERT_NE(report.find("readback latency"), nullptr);
  EXPECT_EQ(report.find("readback latency")->verdicts[Verdict::late], 1u);
  EXPECT_EQ(report.find("readback bytes")->unit, Unit::bytes);
}

// Shows that a context without fences or pack buffers says so and refuses every read.
TEST(ReadbackFake, Unavailable) {
  FakeGl gl(Flavour::gles2);
  gl.make_current();
  Received received;
  Readback readback({}, FakeGl::get);
  EXPECT_EQ(readback.state(), State::unavailable);
  readback.begin_frame();
  EXPECT_FALSE(readback.read_pixels({}, received.callback()));
  readback.end_frame();
  EXPECT_TRUE(gl.violations().empty()) << gl.violations_text();
}

}  // namespace
}  // namespace passmeter::gl
