// Which clock a context gets and what the timer says about it.
#include "fake_rig.h"

namespace passmeter::gl {
namespace {

// Each kind of context gets its best clock, named and with a reason.
TEST(GlClockChoice, BestClockOfEachContext) {
  struct Expectation {
    Flavour flavour;
    Source source;
  };
  for (const Expectation& given :
       {Expectation{Flavour::desktop, Source::timestamp}, Expectation{Flavour::gles2, Source::timestamp},
        Expectation{Flavour::gles3, Source::timestamp}, Expectation{Flavour::webgl1, Source::time_elapsed},
        Expectation{Flavour::webgl2, Source::time_elapsed}}) {
    FakeRig rig(given.flavour);
    rig.make({"a"});
    EXPECT_EQ(rig.timer->source(), given.source);
    EXPECT_EQ(rig.timer->state(), State::measuring);
    EXPECT_EQ(std::string(rig.timer->reason()).back(), '.');
    EXPECT_EQ(rig.timer->report().backend, "gl");
    EXPECT_EQ(rig.timer->report().adapter, "fake driver");
    for (int i = 0; i < 5; ++i) rig.frame_of("a", 2 * ms);
    EXPECT_EQ(rig.row("a").last, 2.0 * ms);
  }
}

// A get-proc-address that answers for every name misleads nobody: extensions decide.
TEST(GlClockChoice, NamesAloneProveNothing) {
  for (const Flavour flavour :
       {Flavour::desktop, Flavour::gles2, Flavour::gles3, Flavour::webgl1, Flavour::webgl2}) {
    FakeRig rig(flavour);
    rig.fake.expose_all_names(true);
    rig.fake.set_extensions({});
    if (flavour == Flavour::desktop) rig.fake.set_version("3.2 fake");
    rig.make({"a"});
    EXPECT_LE(rig.timer->source(), Source::fence);
    for (int i = 0; i < 5; ++i) rig.frame_of("a", 2 * ms);
  }
}

// An old desktop context has timer queries by extension.
TEST(GlClockChoice, ExtensionServesOldContexts) {
  FakeRig rig;
  rig.fake.set_version("3.2 fake");
  rig.make({"a"});
  EXPECT_EQ(rig.timer->source(), Source::timestamp);
  EXPECT_NE(std::string(rig.timer->reason()).find("ARB_timer_query"), std::string::npos);
  rig.frame_of("a", 2 * ms);
  EXPECT_EQ(rig.row("a").last, 2.0 * ms);
}

// Without 64-bit results there are no timer queries: 32 bits of nanoseconds wrap every 4.3 s.
TEST(GlClockChoice, NeedsWideResults) {
  FakeRig rig(Flavour::gles3);
  rig.fake.hide_64_bit_getters();
  rig.make({"a"});
  EXPECT_EQ(rig.timer->source(), Source::fence);
  EXPECT_NE(std::string(rig.timer->reason()).find("64-bit"), std::string::npos) << rig.timer->reason();
}

// A clock asked for that the context lacks is not exchanged for another.
TEST(GlClockChoice, AskedForAndMissingIsNone) {
  FakeRig rig;
  rig.fake.set_counter_bits(gl_enum::timestamp, 0);
  rig.make({"a"}, {.clock = Clock::timestamp});
  EXPECT_EQ(rig.timer->source(), Source::none);
  EXPECT_EQ(rig.timer->state(), State::unavailable);
  EXPECT_NE(std::string(rig.timer->reason()).find("0 counter bits"), std::string::npos);
  EXPECT_EQ(rig.timer->diagnostic_count(Diagnostic::feature_missing), 1u);
  rig.make({"a"}, {.clock = Clock::none});
  EXPECT_EQ(rig.timer->source(), Source::none);
}

// Without a context, or without a function to look things up with, the timer works and measures nothing.
TEST(GlClockChoice, NoContextIsNoCrash) {
  FakeGl fake;
  FakeGl::release_current();
  for (GetProcAddress get :
       {static_cast<GetProcAddress>(&FakeGl::get), static_cast<GetProcAddress>(nullptr)}) {
    TimerConfig config;
    config.passes = {"a"};
    GlTimer timer(config, get);
    EXPECT_EQ(timer.state(), State::unavailable);
    EXPECT_NE(std::string(timer.reason()).find("context"), std::string::npos);
    timer.begin_frame();
    {
      auto scope = timer.scope(timer.pass("a"));
    }
    timer.end_frame();
    EXPECT_FALSE(timer.restore());
    EXPECT_FALSE(timer.measure_median(3, [] {}).valid);
  }
}

// The two usual shapes of get-proc-address both fit.
TEST(GlClockChoice, VoidPointerLoaderFits) {
  FakeGl fake;
  fake.make_current();
  TimerConfig config;
  config.passes = {"a"};
  GlTimer timer(config, [](const char* name) { return reinterpret_cast<void*>(FakeGl::get(name)); });
  EXPECT_EQ(timer.source(), Source::timestamp);
}

// A driver with the timer extension but without GPU_DISJOINT is not asked for it again, and no error is left
// behind.
TEST(GlClockChoice, MissingDisjointFlagIsNotAskedForAgain) {
  FakeGl fake(Flavour::gles3);
  fake.make_current();
  TimerConfig config;
  config.passes = {"a"};
  {
    GlTimer probe(config, &FakeGl::get);  // counts the calls of a construction
  }
  const std::uint64_t construction = fake.total_calls();
  fake.reset_counters();
  fake.fail_call(construction, gl_enum::invalid_enum);
  GlTimer timer(config, &FakeGl::get);
  EXPECT_EQ(fake.pending_error(), gl_enum::no_error);
  for (int i = 0; i < 5; ++i) {
    timer.begin_frame();
    {
      auto scope = timer.scope(timer.pass("a"));
    }
    timer.end_frame();
    fake.next_frame();
  }
  EXPECT_EQ(fake.disjoint_reads(), 0u);
  EXPECT_EQ(fake.violations_text(), "");
}

}  // namespace
}  // namespace passmeter::gl
