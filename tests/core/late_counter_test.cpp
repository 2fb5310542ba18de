#include "passmeter/late_counter.h"

#include <gtest/gtest.h>

namespace passmeter {
namespace {

// Shows that nothing is known before the first value, and its age after it.
TEST(LateCounter, UnknownUntilTheFirstValue) {
  LateCounter counter("alive", 0.1, 16);
  EXPECT_FALSE(counter.known());
  EXPECT_EQ(counter.age(5), LateCounter::no_age);
  counter.ask();
  EXPECT_EQ(counter.in_flight(), 1u);
  counter.deliver(42, 3);
  EXPECT_TRUE(counter.known());
  EXPECT_EQ(counter.last(), 42u);
  EXPECT_EQ(counter.frame(), 3u);
  EXPECT_EQ(counter.age(5), 2u);
  EXPECT_EQ(counter.in_flight(), 0u);
}

// Shows that an older frame's value that comes later is counted but does not replace the newer one.
TEST(LateCounter, AnOlderFrameDoesNotReplaceANewerOne) {
  LateCounter counter("alive", 0.1, 16);
  counter.ask();
  counter.ask();
  counter.deliver(10, 8);
  counter.deliver(99, 7);
  EXPECT_EQ(counter.last(), 10u);
  EXPECT_EQ(counter.frame(), 8u);
  EXPECT_EQ(counter.series().accepted(), 2u);
}

// Shows that a loss rejects what was in flight and keeps the last value with its age.
TEST(LateCounter, LossKeepsTheLastValue) {
  LateCounter counter("alive", 0.1, 16);
  counter.ask();
  counter.deliver(10, 1);
  counter.ask();
  counter.ask();
  counter.lose();
  EXPECT_EQ(counter.in_flight(), 0u);
  EXPECT_EQ(counter.series().verdicts()[Verdict::lost], 2u);
  EXPECT_EQ(counter.last(), 10u);
  counter.reject(Verdict::no_free_slot);
  Report report;
  counter.append_to(report);
  ASSERT_NE(report.find("alive"), nullptr);
  EXPECT_EQ(report.find("alive")->unit, Unit::count);
  EXPECT_EQ(report.find("alive")->marks(), 4u);
}

}  // namespace
}  // namespace passmeter
