#include "fake_gl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "counting_new.h"

struct __GLsync;

namespace passmeter::testing {
namespace {

using namespace gl_enum;
using Sync = __GLsync*;

// The entry points the tests call, loaded as a loader would, with the suffix given.
struct Api {
  explicit Api(const std::string& suffix = "") {
    load(gen_queries, "glGenQueries" + suffix);
    load(delete_queries, "glDeleteQueries" + suffix);
    load(is_query, "glIsQuery" + suffix);
    load(begin_query, "glBeginQuery" + suffix);
    load(end_query, "glEndQuery" + suffix);
    load(query_counter, "glQueryCounter" + suffix);
    load(get_query_iv, "glGetQueryiv" + suffix);
    load(get_query_object_uiv, "glGetQueryObjectuiv" + suffix);
    load(get_query_object_i64v, "glGetQueryObjecti64v" + suffix);
    load(get_query_object_ui64v, "glGetQueryObjectui64v" + suffix);
    load(get_error, "glGetError");
    load(get_integer_v, "glGetIntegerv");
    load(get_integer64_v, "glGetInteger64v");
    load(get_string, "glGetString");
    load(get_string_i, "glGetStringi");
    load(flush, "glFlush");
    load(finish, "glFinish");
    load(fence_sync, "glFenceSync");
    load(client_wait_sync, "glClientWaitSync");
    load(get_sync_iv, "glGetSynciv");
    load(delete_sync, "glDeleteSync");
    load(get_reset_status, "glGetGraphicsResetStatus");
  }

  template <typename F>
  static void load(F& function, const std::string& name) {
    function = reinterpret_cast<F>(FakeGl::get(name.c_str()));
  }

  unsigned gen() const {
    unsigned id = 0;
    gen_queries(1, &id);
    return id;
  }
  bool available(unsigned id) const {
    unsigned value = 0;
    get_query_object_uiv(id, query_result_available, &value);
    return value != 0;
  }
  std::uint64_t result(unsigned id) const {
    std::uint64_t value = 0;
    get_query_object_ui64v(id, query_result, &value);
    return value;
  }
  // The result if it is available.
  std::uint64_t poll(unsigned id) const {
    EXPECT_TRUE(available(id));
    return result(id);
  }
  int integer(unsigned name) const {
    int value = -1;
    get_integer_v(name, &value);
    return value;
  }
  int bits(unsigned target) const {
    int value = -1;
    get_query_iv(target, query_counter_bits, &value);
    return value;
  }
  // A complete query around ns of GPU time.
  void elapse(FakeGl& gl, unsigned id, std::int64_t ns) const {
    begin_query(time_elapsed, id);
    gl.advance_gpu(ns);
    end_query(time_elapsed);
  }
  unsigned poll_sync(Sync sync) const { return client_wait_sync(sync, 0, 0); }

  void (*gen_queries)(int, unsigned*);
  void (*delete_queries)(int, const unsigned*);
  unsigned char (*is_query)(unsigned);
  void (*begin_query)(unsigned, unsigned);
  void (*end_query)(unsigned);
  void (*query_counter)(unsigned, unsigned);
  void (*get_query_iv)(unsigned, unsigned, int*);
  void (*get_query_object_uiv)(unsigned, unsigned, unsigned*);
  void (*get_query_object_i64v)(unsigned, unsigned, std::int64_t*);
  void (*get_query_object_ui64v)(unsigned, unsigned, std::uint64_t*);
  unsigned (*get_error)();
  void (*get_integer_v)(unsigned, int*);
  void (*get_integer64_v)(unsigned, std::int64_t*);
  const unsigned char* (*get_string)(unsigned);
  const unsigned char* (*get_string_i)(unsigned, unsigned);
  void (*flush)();
  void (*finish)();
  Sync (*fence_sync)(unsigned, unsigned);
  unsigned (*client_wait_sync)(Sync, unsigned, std::uint64_t);
  void (*get_sync_iv)(Sync, unsigned, int, int*, int*);
  void (*delete_sync)(Sync);
  unsigned (*get_reset_status)();
};

// A desktop context, current, with its entry points loaded. A test that provokes a violation takes it with
// expect_violation(); any other fails the test.
class FakeGlTest : public ::testing::Test {
 protected:
  FakeGlTest() {
    gl.make_current();
    api = Api();
  }
  ~FakeGlTest() override { EXPECT_EQ(gl.violations_text(), ""); }

  static void expect_violation(FakeGl& of, const std::string& part) {
    EXPECT_EQ(of.violations().size(), 1U) << of.violations_text();
    EXPECT_NE(of.violations_text().find(part), std::string::npos) << of.violations_text();
    of.clear_violations();
  }
  void expect_violation(const std::string& part) { expect_violation(gl, part); }

  FakeGl gl;
  Api api;
};

// The flavour decides which names exist: WebGL 2 has core queries and no suffixed ones, WebGL 1 the reverse.
TEST(FakeGlFlavours, DecideWhichNamesExist) {
  const auto has = [](Flavour flavour, const char* name) {
    FakeGl gl(flavour);
    gl.make_current();
    return FakeGl::get(name) != nullptr;
  };
  for (const char* name : {"glBeginQuery", "glGenQueries", "glGetQueryObjectuiv", "glFenceSync"}) {
    EXPECT_TRUE(has(Flavour::desktop, name)) << name;
    EXPECT_TRUE(has(Flavour::gles3, name)) << name;
    EXPECT_TRUE(has(Flavour::webgl2, name)) << name;
    EXPECT_FALSE(has(Flavour::gles2, name)) << name;
    EXPECT_FALSE(has(Flavour::webgl1, name)) << name;
  }
  for (const char* name : {"glBeginQueryEXT", "glGenQueriesEXT", "glGetQueryivEXT"}) {
    EXPECT_FALSE(has(Flavour::desktop, name)) << name;
    EXPECT_TRUE(has(Flavour::gles3, name)) << name;
    EXPECT_FALSE(has(Flavour::webgl2, name)) << name;
    EXPECT_TRUE(has(Flavour::gles2, name)) << name;
    EXPECT_TRUE(has(Flavour::webgl1, name)) << name;
  }
  EXPECT_TRUE(has(Flavour::desktop, "glQueryCounter"));
  EXPECT_FALSE(has(Flavour::gles3, "glQueryCounter"));
  EXPECT_TRUE(has(Flavour::webgl2, "glGetQueryObjectui64vEXT"));
  EXPECT_FALSE(has(Flavour::desktop, "glNoSuchFunction"));
}

// Hidden names are null, and names exposed against the flavour are violations when called.
TEST(FakeGlFlavours, HiddenAndExposedNames) {
  FakeGl gl(Flavour::webgl2);
  gl.make_current();
  gl.hide_64_bit_getters();
  EXPECT_EQ(FakeGl::get("glGetQueryObjectui64vEXT"), nullptr);
  gl.expose_all_names(true);
  void (*gen)(int, unsigned*) = nullptr;
  Api::load(gen, "glGenQueriesEXT");
  ASSERT_NE(gen, nullptr);
  unsigned id = 77;
  gen(1, &id);
  EXPECT_EQ(id, 77U);
  ASSERT_EQ(gl.violations().size(), 1U);
  EXPECT_NE(gl.violations()[0].find("glGenQueriesEXT"), std::string::npos);
}

// A loader finds version, renderer and extensions where each flavour keeps them.
TEST_F(FakeGlTest, Strings) {
  gl.set_version("3.3 test");
  gl.set_renderer("a renderer");
  gl.set_extensions({"GL_A", "GL_B"});
  EXPECT_EQ(api.integer(major_version), 3);
  EXPECT_EQ(api.integer(minor_version), 3);
  EXPECT_STREQ(reinterpret_cast<const char*>(api.get_string(renderer)), "a renderer");
  EXPECT_EQ(api.integer(num_extensions), 2);
  EXPECT_STREQ(reinterpret_cast<const char*>(api.get_string_i(extensions, 1)), "GL_B");
  gl.remove_extension("A");
  EXPECT_EQ(api.integer(num_extensions), 1);
  EXPECT_EQ(api.get_string(extensions), nullptr);
  EXPECT_EQ(api.get_error(), invalid_enum);
  expect_violation("glGetString");

  FakeGl es(Flavour::gles2);
  es.make_current();
  const Api es_api("EXT");
  EXPECT_NE(std::strstr(reinterpret_cast<const char*>(es_api.get_string(extensions)),
                        "GL_EXT_disjoint_timer_query"),
            nullptr);
  EXPECT_EQ(es.violations_text(), "");
}

// A query measures the GPU clock, in 64 bits; the 32-bit getter wraps.
TEST_F(FakeGlTest, ElapsedTimeComesFromTheGpuClock) {
  const unsigned id = api.gen();
  api.elapse(gl, id, 5'000'000'000);
  EXPECT_EQ(api.poll(id), 5'000'000'000U);
  unsigned narrow = 0;
  api.get_query_object_uiv(id, query_result, &narrow);
  EXPECT_EQ(narrow, 5'000'000'000U - (std::uint64_t{1} << 32));
  EXPECT_EQ(api.bits(time_elapsed), 64);
  api.delete_queries(1, &id);
  EXPECT_EQ(gl.live_queries(), 0U);
}

// Scripted raw values come before the clock, in order.
TEST_F(FakeGlTest, ScriptedValues) {
  gl.push_stamps({10, 0});
  gl.push_elapsed({3'508'000'000'000});
  gl.set_gpu_time(42);
  const unsigned stamp_id = api.gen();
  for (const std::uint64_t expected : {10U, 0U, 42U}) {
    api.query_counter(stamp_id, timestamp);
    EXPECT_EQ(api.poll(stamp_id), expected);
  }
  const unsigned id = api.gen();
  api.elapse(gl, id, 5);
  EXPECT_EQ(api.poll(id), 3'508'000'000'000U);
  api.elapse(gl, id, 5);
  EXPECT_EQ(api.poll(id), 5U);
}

// Quantized, wrapped and all-zero clocks.
TEST_F(FakeGlTest, BentClocks) {
  const unsigned id = api.gen();
  const auto stamp_at = [&](std::int64_t ns) {
    gl.set_gpu_time(ns);
    api.query_counter(id, timestamp);
    return api.poll(id);
  };
  gl.set_quantum(65'536);
  EXPECT_EQ(stamp_at(0x3FFFF), 0x30000U);
  gl.set_quantum(1);
  gl.set_wrap_bits(36);
  EXPECT_EQ(stamp_at(0xFFFFFFFFF), 0xFFFFFFFFFU);
  EXPECT_EQ(stamp_at(0x1000000000), 0U);
  const unsigned elapsed_id = api.gen();
  gl.set_gpu_time(0xFFFFFFFFF);
  api.elapse(gl, elapsed_id, 3);
  EXPECT_EQ(api.poll(elapsed_id), 3U);
  gl.set_wrap_bits(64);
  gl.set_zero_stamps(true);
  EXPECT_EQ(stamp_at(12345), 0U);
  gl.set_zero_stamps(false);
  gl.set_gpu_tick(7);
  EXPECT_EQ(stamp_at(100), 107U);
}

// A result appears after its latency in frames, and in CPU time.
TEST_F(FakeGlTest, Latency) {
  gl.set_latency_frames(2);
  const unsigned id = api.gen();
  api.elapse(gl, id, 5);
  EXPECT_FALSE(api.available(id));
  gl.next_frame();
  EXPECT_FALSE(api.available(id));
  gl.next_frame();
  EXPECT_EQ(api.poll(id), 5U);
  gl.set_latency_frames(0);
  gl.set_latency_ns(1000);
  api.elapse(gl, id, 6);
  gl.advance_cpu(999);
  EXPECT_FALSE(api.available(id));
  gl.advance_cpu(1);
  EXPECT_EQ(api.poll(id), 6U);
  EXPECT_EQ(FakeGl::cpu_now(&gl), gl.cpu_time());
}

// On WebGL no result is ready in the frame that issued it.
TEST(FakeGlFlavours, WebResultsComeInALaterFrame) {
  FakeGl gl(Flavour::webgl2);
  gl.make_current();
  Api api;
  Api::load(api.get_query_object_ui64v, "glGetQueryObjectui64vEXT");
  EXPECT_EQ(api.bits(timestamp), 0);
  const unsigned id = api.gen();
  api.elapse(gl, id, 5);
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(api.available(id));
  gl.next_frame();
  EXPECT_EQ(api.poll(id), 5U);
  EXPECT_EQ(gl.violations_text(), "");
}

// Held results get ready one by one, in the order asked for; what was ready before stays so.
TEST_F(FakeGlTest, HoldAndRelease) {
  std::vector<unsigned> ids(4);
  api.gen_queries(4, ids.data());
  api.elapse(gl, ids[0], 1);
  gl.hold_all();
  for (int i = 1; i < 4; ++i) api.elapse(gl, ids[static_cast<std::size_t>(i)], 1);
  const auto ready = [&] {
    std::string text;
    for (const unsigned id : ids) text += api.available(id) ? '1' : '0';
    return text;
  };
  for (int i = 0; i < 10; ++i) gl.next_frame();
  EXPECT_EQ(ready(), "1000");
  EXPECT_EQ(gl.make_ready(1), 1U);
  EXPECT_EQ(ready(), "1100");
  EXPECT_EQ(gl.make_ready(1, ReadyOrder::newest_first), 1U);
  EXPECT_EQ(ready(), "1101");
  gl.release_all();
  EXPECT_EQ(ready(), "1111");
  EXPECT_EQ(gl.make_ready(5), 0U);
  EXPECT_EQ(gl.unread_results(), 4U);
}

// Shuffled readiness and jitter make later queries ready before earlier ones, the same way for the same seed.
TEST_F(FakeGlTest, OutOfOrder) {
  std::vector<unsigned> ids(64);
  api.gen_queries(64, ids.data());
  const auto run = [&](const auto& make_some_ready) {
    for (const unsigned id : ids) api.elapse(gl, id, 1);
    make_some_ready();
    std::string ready;
    for (const unsigned id : ids) ready += api.available(id) ? '1' : '0';
    gl.release_all();
    for (const unsigned id : ids) api.poll(id);
    return ready;
  };
  const std::string in_order = std::string(20, '1') + std::string(44, '0');
  const auto hold_and_make = [&](ReadyOrder order, std::uint64_t seed) {
    gl.hold_all();
    return run([&] { gl.make_ready(20, order, seed); });
  };
  EXPECT_EQ(hold_and_make(ReadyOrder::oldest_first, 1), in_order);
  const std::string shuffled = hold_and_make(ReadyOrder::shuffled, 1);
  EXPECT_NE(shuffled, in_order);
  EXPECT_EQ(std::count(shuffled.begin(), shuffled.end(), '1'), 20);
  EXPECT_EQ(hold_and_make(ReadyOrder::shuffled, 1), shuffled);
  EXPECT_NE(hold_and_make(ReadyOrder::shuffled, 2), shuffled);
  gl.set_jitter_frames(3);
  EXPECT_NE(run([&] { gl.next_frame(); }).find("01"), std::string::npos);
}

// Where results need a flush, nothing gets ready without one.
TEST_F(FakeGlTest, NeedsFlush) {
  gl.set_needs_flush(true);
  const unsigned id = api.gen();
  api.elapse(gl, id, 5);
  gl.next_frame();
  gl.release_all();
  EXPECT_FALSE(api.available(id));
  api.flush();
  EXPECT_EQ(api.poll(id), 5U);
  EXPECT_EQ(gl.flushes(), 1U);
}

// GPU_DISJOINT clears when it is read; it does not exist on desktop GL.
TEST(FakeGlFlavours, Disjoint) {
  FakeGl gl(Flavour::gles3);
  gl.make_current();
  const Api api;
  EXPECT_EQ(api.integer(gpu_disjoint), 0);
  gl.set_disjoint();
  EXPECT_EQ(api.integer(gpu_disjoint), 1);
  EXPECT_EQ(api.integer(gpu_disjoint), 0);
  EXPECT_EQ(gl.disjoint_reads(), 3U);
  EXPECT_EQ(gl.violations_text(), "");

  FakeGl desktop;
  desktop.make_current();
  EXPECT_EQ(api.integer(gpu_disjoint), -1);
  EXPECT_EQ(desktop.violations().size(), 1U);
}

// Without the extension the timer targets do not exist.
TEST(FakeGlFlavours, WithoutTheTimerExtension) {
  FakeGl gl(Flavour::webgl2);
  gl.make_current();
  gl.remove_extension("EXT_disjoint_timer_query_webgl2");
  const Api api;
  EXPECT_EQ(api.bits(time_elapsed), -1);
  EXPECT_EQ(api.get_error(), invalid_enum);
  EXPECT_EQ(gl.violations().size(), 1U);
}

// Every kind of misuse of queries is noticed, with the GL error a driver would raise.
TEST_F(FakeGlTest, QueryMisuse) {
  const unsigned a = api.gen();
  const unsigned b = api.gen();
  api.begin_query(time_elapsed, a);
  api.begin_query(time_elapsed, b);
  expect_violation("is active");
  EXPECT_EQ(api.get_error(), invalid_operation);
  api.end_query(time_elapsed);
  api.end_query(time_elapsed);
  expect_violation("no such query is active");
  EXPECT_EQ(api.get_error(), invalid_operation);
  api.begin_query(time_elapsed, a);
  expect_violation("still in flight");
  EXPECT_EQ(gl.reused_in_flight(), 1U);
  api.end_query(time_elapsed);
  EXPECT_TRUE(api.available(a));
  api.begin_query(time_elapsed, a);  // answered available, so given up on purpose
  api.end_query(time_elapsed);
  EXPECT_EQ(gl.dropped_unread(), 1U);
  api.query_counter(a, timestamp);
  expect_violation("another target");
  EXPECT_EQ(api.get_error(), invalid_operation);
  const unsigned unknown = 9999;
  api.delete_queries(1, &unknown);
  expect_violation("no query 9999");
  EXPECT_EQ(api.get_error(), no_error);
  EXPECT_EQ(gl.errors_raised(), 3U);
}

// Reading a result that was never reported available is noticed, waits, and still gives the right value.
TEST_F(FakeGlTest, BlockingRead) {
  gl.hold_all();
  const unsigned id = api.gen();
  api.elapse(gl, id, 5);
  EXPECT_EQ(api.result(id), 5U);
  expect_violation("before it was reported available");
  EXPECT_EQ(gl.waits(), 1U);
  gl.allow_waits(true);
  api.elapse(gl, id, 6);
  EXPECT_EQ(api.result(id), 6U);
  api.finish();
  EXPECT_EQ(gl.waits(), 3U);
}

// With 0 TIMESTAMP bits a stamp is a violation and 0.
TEST_F(FakeGlTest, StampWithoutBits) {
  gl.set_counter_bits(timestamp, 0);
  EXPECT_EQ(api.bits(timestamp), 0);
  const unsigned id = api.gen();
  api.query_counter(id, timestamp);
  expect_violation("0 bits");
  EXPECT_EQ(api.poll(id), 0U);
}

// A stale id is unknown although its slot was used again, unless ids are reused as real drivers do.
TEST_F(FakeGlTest, StaleIds) {
  const unsigned first = api.gen();
  api.delete_queries(1, &first);
  const unsigned second = api.gen();
  EXPECT_NE(first, second);
  api.begin_query(time_elapsed, first);
  expect_violation("no query");
  EXPECT_EQ(gl.peak_live_queries(), 1U);

  FakeGl reusing;
  reusing.set_reuse_ids(true);
  reusing.make_current();
  const unsigned old_id = api.gen();
  api.delete_queries(1, &old_id);
  EXPECT_EQ(api.gen(), old_id);
  reusing.restore();
  EXPECT_EQ(api.gen(), old_id);
  EXPECT_EQ(reusing.violations_text(), "");
}

// Fences follow the same script; polling does not wait, a timeout would.
TEST_F(FakeGlTest, Fences) {
  gl.set_latency_frames(1);
  const Sync sync = api.fence_sync(sync_gpu_commands_complete, 0);
  EXPECT_EQ(api.poll_sync(sync), timeout_expired);
  int status = 0;
  api.get_sync_iv(sync, sync_status, 1, nullptr, &status);
  EXPECT_EQ(status, static_cast<int>(unsignaled));
  gl.next_frame();
  EXPECT_EQ(api.poll_sync(sync), already_signaled);
  EXPECT_EQ(gl.live_syncs(), 1U);
  const Sync other = api.fence_sync(sync_gpu_commands_complete, 0);
  EXPECT_EQ(api.client_wait_sync(other, sync_flush_commands_bit, 1000), condition_satisfied);
  expect_violation("glClientWaitSync");
  api.delete_sync(sync);
  api.delete_sync(other);
  EXPECT_EQ(gl.live_syncs(), 0U);
  api.delete_sync(sync);
  expect_violation("no such sync");
}

// An injected error makes exactly that call do nothing; the ones around it work.
TEST_F(FakeGlTest, InjectedError) {
  gl.fail_call(2, out_of_memory);
  const unsigned a = api.gen();
  unsigned b = 0;
  api.gen_queries(1, &b);
  const unsigned c = api.gen();
  EXPECT_NE(a, 0U);
  EXPECT_EQ(b, 0U);
  EXPECT_NE(c, 0U);
  EXPECT_EQ(gl.pending_error(), out_of_memory);
  EXPECT_EQ(api.get_error(), out_of_memory);
  EXPECT_EQ(api.get_error(), no_error);
  EXPECT_EQ(gl.errors_raised(), 0U);
  gl.fail_query_creation();
  EXPECT_EQ(api.gen(), 0U);
  EXPECT_NE(api.gen(), 0U);
}

// A lost context answers as KHR_robustness says; after restore() every old id is unknown.
TEST_F(FakeGlTest, LostContext) {
  gl.hold_all();
  const unsigned id = api.gen();
  api.elapse(gl, id, 5);
  gl.lose_context_at(2);
  EXPECT_EQ(api.get_reset_status(), no_error);
  EXPECT_TRUE(api.available(id));
  EXPECT_TRUE(gl.lost());
  EXPECT_EQ(api.result(id), 0U);
  unsigned untouched = 123;
  api.gen_queries(1, &untouched);
  EXPECT_EQ(untouched, 123U);
  EXPECT_EQ(api.get_error(), context_lost);
  EXPECT_EQ(api.get_reset_status(), unknown_context_reset);
  EXPECT_EQ(api.get_reset_status(), no_error);
  EXPECT_TRUE(gl.lost());
  gl.restore();
  EXPECT_EQ(gl.live_queries(), 0U);
  EXPECT_EQ(api.get_error(), no_error);
  api.delete_queries(1, &id);
  expect_violation("no query");
  EXPECT_NE(api.gen(), id);
}

// After the context is destroyed any call is a violation; without a context it is counted.
TEST_F(FakeGlTest, CallsWithoutAContext) {
  gl.destroy_context();
  api.flush();
  expect_violation("after the context was destroyed");
  FakeGl::release_current();
  const std::uint64_t before = FakeGl::stray_calls();
  api.flush();
  EXPECT_EQ(FakeGl::stray_calls(), before + 1);
  EXPECT_EQ(FakeGl::get("glFlush"), nullptr);
}

// Calls are counted per name and as a whole, and a misspelt name does not pass as never called.
TEST_F(FakeGlTest, CountsCalls) {
  const unsigned id = api.gen();
  api.elapse(gl, id, 1);
  api.flush();
  EXPECT_EQ(gl.calls("glBeginQuery"), 1U);
  EXPECT_EQ(gl.calls("glBeginQueryEXT"), 0U);
  EXPECT_EQ(gl.query_calls(), 3U);
  EXPECT_EQ(gl.total_calls(), 4U);
  gl.reset_counters();
  EXPECT_EQ(gl.query_calls(), 0U);
  EXPECT_EQ(gl.total_calls(), 0U);
  EXPECT_NE(gl.calls("glBeginQurey"), 0U);
  expect_violation("glBeginQurey");
}

// Occlusion and transform feedback queries count draws: 6 vertices make 2 triangles, a paused draw adds
// nothing, 8 points into room for 4 write 4 of 8 generated.
TEST_F(FakeGlTest, CountingQueries) {
  void (*draw)(unsigned, int, int) = nullptr;
  void (*begin_feedback)(unsigned) = nullptr;
  void (*pause)() = nullptr;
  void (*end_feedback)() = nullptr;
  Api::load(draw, "glDrawArrays");
  Api::load(begin_feedback, "glBeginTransformFeedback");
  Api::load(pause, "glPauseTransformFeedback");
  Api::load(end_feedback, "glEndTransformFeedback");
  const unsigned any = api.gen();
  const unsigned written = api.gen();
  const unsigned generated = api.gen();
  gl.set_samples_per_draw(100);
  api.begin_query(any_samples_passed, any);
  api.begin_query(transform_feedback_primitives_written, written);
  begin_feedback(triangles);
  draw(triangles, 0, 6);
  pause();
  draw(triangles, 0, 6);
  end_feedback();
  api.end_query(transform_feedback_primitives_written);
  api.end_query(any_samples_passed);
  EXPECT_EQ(api.poll(any), 1U);
  EXPECT_EQ(api.poll(written), 2U);
  gl.set_feedback_capacity(4);
  api.begin_query(transform_feedback_primitives_written, written);
  api.begin_query(primitives_generated, generated);
  begin_feedback(points);
  draw(points, 0, 8);
  end_feedback();
  api.end_query(primitives_generated);
  api.end_query(transform_feedback_primitives_written);
  EXPECT_EQ(api.poll(written), 4U);
  EXPECT_EQ(api.poll(generated), 8U);
  gl.push_results(any_samples_passed, {0});
  api.begin_query(any_samples_passed, any);
  draw(triangles, 0, 3);
  api.end_query(any_samples_passed);
  EXPECT_EQ(api.poll(any), 0U);
}

// The three occlusion targets exclude each other, other classes do not.
TEST_F(FakeGlTest, TargetClasses) {
  const unsigned a = api.gen();
  const unsigned b = api.gen();
  const unsigned c = api.gen();
  api.begin_query(samples_passed, a);
  api.begin_query(time_elapsed, b);
  EXPECT_EQ(gl.active_queries(), 2U);
  api.begin_query(any_samples_passed, c);
  expect_violation("is active");
  int current = 0;
  api.get_query_iv(samples_passed, current_query, &current);
  EXPECT_EQ(current, static_cast<int>(a));
  api.get_query_iv(any_samples_passed, current_query, &current);
  EXPECT_EQ(current, 0);
}

// A pixel pack buffer can be mapped without waiting once a fence set after the read is signalled, not before.
TEST_F(FakeGlTest, PixelReadback) {
  void (*gen)(int, unsigned*) = nullptr;
  void (*bind)(unsigned, unsigned) = nullptr;
  void (*data)(unsigned, std::ptrdiff_t, const void*, unsigned) = nullptr;
  void (*read)(int, int, int, int, unsigned, unsigned, void*) = nullptr;
  void* (*map)(unsigned, std::ptrdiff_t, std::ptrdiff_t, unsigned) = nullptr;
  unsigned char (*unmap)(unsigned) = nullptr;
  Api::load(gen, "glGenBuffers");
  Api::load(bind, "glBindBuffer");
  Api::load(data, "glBufferData");
  Api::load(read, "glReadPixels");
  Api::load(map, "glMapBufferRange");
  Api::load(unmap, "glUnmapBuffer");
  unsigned buffer = 0;
  gen(1, &buffer);
  bind(pixel_pack_buffer, buffer);
  EXPECT_EQ(api.integer(pixel_pack_buffer_binding), static_cast<int>(buffer));
  data(pixel_pack_buffer, 64, nullptr, stream_read);
  gl.set_latency_frames(1);
  gl.set_pixel(0x01020304);
  read(0, 0, 2, 2, rgba, unsigned_byte, reinterpret_cast<void*>(std::intptr_t{16}));
  const Sync fence = api.fence_sync(sync_gpu_commands_complete, 0);
  ASSERT_NE(map(pixel_pack_buffer, 0, 64, map_read_bit), nullptr);
  expect_violation("glMapBufferRange");
  unmap(pixel_pack_buffer);
  gl.next_frame();
  EXPECT_EQ(api.poll_sync(fence), already_signaled);
  const auto* bytes = static_cast<const unsigned char*>(map(pixel_pack_buffer, 0, 64, map_read_bit));
  ASSERT_NE(bytes, nullptr);
  std::uint32_t value = 0;
  std::memcpy(&value, bytes + 16 + 12, 4);
  EXPECT_EQ(value, 0x01020304U);
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(unmap(pixel_pack_buffer), 1);
  read(0, 0, 9, 9, rgba, unsigned_byte, nullptr);
  expect_violation("outside the buffer");
}

// Masks set are masks read.
TEST_F(FakeGlTest, Masks) {
  void (*color)(unsigned char, unsigned char, unsigned char, unsigned char) = nullptr;
  void (*get)(unsigned, unsigned char*) = nullptr;
  Api::load(color, "glColorMask");
  Api::load(get, "glGetBooleanv");
  color(1, 0, 1, 0);
  unsigned char mask[4] = {};
  get(color_writemask, mask);
  EXPECT_EQ(std::string(mask, mask + 4), std::string("\1\0\1\0", 4));
  get(depth_writemask, mask);
  EXPECT_EQ(mask[0], 1);
}

// In a steady state no call allocates, new and deleted objects included.
TEST_F(FakeGlTest, SteadyStateAllocatesNothing) {
  gl.set_latency_frames(2);
  std::vector<unsigned> ids(60);
  api.gen_queries(60, ids.data());
  std::uint64_t sum = 0;
  const auto frame = [&](std::size_t slot) {
    for (std::size_t i = 0; i < 20; ++i) {
      const unsigned id = ids[slot * 20 + i];
      if (gl.frame() >= 3) sum += api.available(id) ? api.result(id) : 0;
      api.elapse(gl, id, 10);
    }
    const Sync fence = api.fence_sync(sync_gpu_commands_complete, 0);
    api.flush();
    api.delete_sync(fence);
    const unsigned extra = api.gen();
    api.delete_queries(1, &extra);
    gl.next_frame();
  };
  for (std::size_t i = 0; i < 30; ++i) frame(i % 3);
  const std::uint64_t before = thread_allocation_count();
  for (std::size_t i = 0; i < 300; ++i) frame(i % 3);
  EXPECT_EQ(thread_allocation_count() - before, 0U);
  EXPECT_EQ(sum, 327U * 20 * 10);
}

// The counting operator new counts every form of allocation, for the program and for the thread.
TEST(CountingNew, CountsEveryForm) {
  struct alignas(128) Wide {
    char bytes[128];
  };
  const std::uint64_t all = allocation_count();
  const std::uint64_t own = thread_allocation_count();
  // The functions, since a compiler that sees the whole program removes pairs of the expressions.
  void* const one = ::operator new(sizeof(int));
  void* const many = ::operator new[](10 * sizeof(int));
  void* const wide = ::operator new(sizeof(Wide), std::align_val_t(alignof(Wide)));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide) % 128, 0U);
  ::operator delete(one);
  ::operator delete[](many);
  ::operator delete(wide, std::align_val_t(alignof(Wide)));
  EXPECT_EQ(thread_allocation_count() - own, 3U);
  EXPECT_GE(allocation_count() - all, 3U);
}

}  // namespace
}  // namespace passmeter::testing
