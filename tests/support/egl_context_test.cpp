#include "egl_context.h"

#include <gtest/gtest.h>

namespace passmeter::testing {
namespace {

template <typename F>
F load(const char* name) {
  return reinterpret_cast<F>(EglContext::get_proc_address(name));
}

unsigned error_of_current_context() { return load<unsigned (*)()>("glGetError")(); }

// A core 3.3 context is current after construction: it answers glGetIntegerv with at least that version.
TEST(EglContext, MakesADesktopCoreContext) {
  EglContext context;
  if (!context.valid()) GTEST_SKIP() << "no desktop GL context: " << context.why();
  int version[2] = {0, 0};
  const auto get = load<void (*)(unsigned, int*)>("glGetIntegerv");
  get(0x821B, &version[0]);
  get(0x821C, &version[1]);
  EXPECT_GE(version[0] * 10 + version[1], 33);
  EXPECT_EQ(error_of_current_context(), 0U);
  EXPECT_FALSE(context.renderer().empty());
  EXPECT_FALSE(context.platform().empty());
  EXPECT_TRUE(context.why().empty());
  RecordProperty("renderer", context.renderer());
}

// A GLES context says so in its version string.
TEST(EglContext, MakesAGlesContext) {
  for (const int major : {3, 2}) {
    EglContext context({.api = EglApi::gles, .major = major});
    if (!context.valid()) GTEST_SKIP() << "no GLES " << major << " context: " << context.why();
    EXPECT_EQ(context.version().rfind("OpenGL ES ", 0), 0U) << context.version();
  }
}

// A robust context reports LOSE_CONTEXT_ON_RESET as its strategy, on desktop GL and on GLES.
TEST(EglContext, MakesARobustContext) {
  for (const EglApi api : {EglApi::desktop_core, EglApi::gles}) {
    EglContext context({.api = api, .robust = true});
    if (!context.valid()) GTEST_SKIP() << "no robust context: " << context.why();
    int strategy = 0;
    load<void (*)(unsigned, int*)>("glGetIntegerv")(0x8256, &strategy);
    EXPECT_EQ(strategy, 0x8252) << context.version();
  }
}

// Two contexts live side by side; destroying one leaves the other usable.
TEST(EglContext, TwoContextsAreIndependent) {
  EglContext first;
  if (!first.valid()) GTEST_SKIP() << "no desktop GL context: " << first.why();
  {
    EglContext second;
    ASSERT_TRUE(second.valid()) << second.why();
  }
  ASSERT_TRUE(first.make_current());
  EXPECT_NE(load<const unsigned char* (*)(unsigned)>("glGetString")(0x1F01), nullptr);
  first.release();
}

// A device that does not exist gives no context and a reason, not a crash.
TEST(EglContext, SaysWhyThereIsNoContext) {
  EglContext context({.device = 1000});
  EXPECT_FALSE(context.valid());
  EXPECT_FALSE(context.why().empty());
  EXPECT_FALSE(context.make_current());
}

}  // namespace
}  // namespace passmeter::testing
