#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "passmeter/comparison.h"
#include "passmeter/diagnostic.h"
#include "passmeter/pass.h"
#include "passmeter/series.h"
#include "passmeter/source.h"
#include "passmeter/verdict.h"

namespace passmeter {
namespace {

// The words of JSON and text are those of the enumerators: scripts rely on them.
TEST(Words, AreStable) {
  EXPECT_STREQ(to_string(Source::none), "none");
  EXPECT_STREQ(to_string(Source::cpu), "cpu");
  EXPECT_STREQ(to_string(Source::fence), "fence");
  EXPECT_STREQ(to_string(Source::time_elapsed), "time_elapsed");
  EXPECT_STREQ(to_string(Source::timestamp), "timestamp");
  EXPECT_STREQ(to_string(State::measuring), "measuring");
  EXPECT_STREQ(to_string(State::switched_off), "switched_off");
  EXPECT_STREQ(to_string(State::unavailable), "unavailable");
  EXPECT_STREQ(to_string(State::degraded), "degraded");
  EXPECT_STREQ(to_string(State::lost), "lost");
  EXPECT_STREQ(to_string(Unit::nanoseconds), "ms");
  EXPECT_STREQ(to_string(Unit::count), "count");
  EXPECT_STREQ(to_string(Unit::bytes), "bytes");
  EXPECT_STREQ(to_string(Difference::same), "same");
  EXPECT_STREQ(to_string(Difference::left_slower), "left_slower");
  EXPECT_STREQ(to_string(Difference::right_slower), "right_slower");
  EXPECT_STREQ(to_string(Difference::undecided), "unknown");
  EXPECT_STREQ(to_string(Verdict::accepted), "accepted");
  EXPECT_STREQ(to_string(Verdict::no_free_slot), "no_free_slot");
  EXPECT_STREQ(to_string(Diagnostic::end_without_begin), "end_without_begin");
}

// Each verdict and each diagnostic has a word of its own, so none hides in another's count.
TEST(Words, AreUnique) {
  std::set<std::string> words;
  for (std::size_t i = 0; i < verdict_count; ++i) words.insert(to_string(static_cast<Verdict>(i)));
  EXPECT_EQ(words.size(), verdict_count);
  words.clear();
  for (std::size_t i = 0; i < diagnostic_count; ++i) words.insert(to_string(static_cast<Diagnostic>(i)));
  EXPECT_EQ(words.size(), diagnostic_count);
}

// A value no enumerator has (memory trampled on, newer library) still gives a word.
TEST(Words, AreNeverNull) {
  EXPECT_NE(to_string(static_cast<Source>(200)), nullptr);
  EXPECT_NE(to_string(static_cast<State>(200)), nullptr);
  EXPECT_NE(to_string(static_cast<Verdict>(200)), nullptr);
  EXPECT_NE(to_string(static_cast<Unit>(200)), nullptr);
  EXPECT_NE(to_string(static_cast<Diagnostic>(200)), nullptr);
  EXPECT_NE(to_string(static_cast<Difference>(200)), nullptr);
}

// Everything that is not accepted counts as rejected.
TEST(VerdictCounts, RejectedIsTheSumOfTheOthers) {
  VerdictCounts counts;
  EXPECT_EQ(counts.rejected(), 0u);
  for (std::size_t i = 0; i < verdict_count; ++i) counts[static_cast<Verdict>(i)] = i + 1;
  EXPECT_EQ(counts.accepted(), 1u);
  EXPECT_EQ(counts.rejected(), 2u + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10);
}

struct Line {
  Diagnostic diagnostic;
  std::string message;
};

// A diagnostic is counted each time and logged the first time only.
TEST(Diagnostics, CountsAlwaysAndLogsOnce) {
  std::vector<Line> lines;
  const LogCallback log{[](void* user, Diagnostic diagnostic, const char* message) {
                          static_cast<std::vector<Line>*>(user)->push_back({diagnostic, message});
                        },
                        &lines};
  Diagnostics diagnostics(log);
  for (int i = 0; i < 3; ++i) diagnostics.raise(Diagnostic::pool_full, "8 of 8 in flight");
  diagnostics.raise(Diagnostic::lost, "gone");

  EXPECT_EQ(diagnostics.count(Diagnostic::pool_full), 3u);
  EXPECT_EQ(diagnostics.count(Diagnostic::lost), 1u);
  EXPECT_EQ(diagnostics.count(Diagnostic::disjoint), 0u);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].diagnostic, Diagnostic::pool_full);
  EXPECT_EQ(lines[0].message, "8 of 8 in flight");
  EXPECT_EQ(lines[1].diagnostic, Diagnostic::lost);
}

// Without a callback raising is only counting.
TEST(Diagnostics, NeedNoCallback) {
  Diagnostics diagnostics;
  diagnostics.raise(Diagnostic::lost, "gone");
  EXPECT_EQ(diagnostics.count(Diagnostic::lost), 1u);
}

// Names keep their order; a name given twice and an empty one change nothing.
TEST(PassTable, KeepsNamesInOrder) {
  PassTable table;
  EXPECT_EQ(table.add("shadow"), PassTable::Added::added);
  EXPECT_EQ(table.add("gbuffer"), PassTable::Added::added);
  EXPECT_EQ(table.add("shadow"), PassTable::Added::duplicate);
  EXPECT_EQ(table.add(""), PassTable::Added::empty);
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.find("shadow").index, 0u);
  EXPECT_EQ(table.find("gbuffer").index, 1u);
  EXPECT_EQ(table.name(PassId{1}), "gbuffer");
}

// What the table does not have is an invalid id with an empty name.
TEST(PassTable, AnswersForUnknownPasses) {
  PassTable table;
  table.add("a");
  EXPECT_FALSE(table.find("b").valid());
  EXPECT_FALSE(table.find("").valid());
  EXPECT_FALSE(table.contains(PassId{}));
  EXPECT_FALSE(table.contains(PassId{1}));
  EXPECT_EQ(table.name(PassId{}), "");
  EXPECT_EQ(table.name(PassId{1}), "");
}

}  // namespace
}  // namespace passmeter
