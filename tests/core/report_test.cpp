#include "passmeter/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace passmeter {
namespace {

SeriesReport row(std::string name, std::string parent, double ema, double exclusive) {
  SeriesReport result;
  result.name = std::move(name);
  result.parent = std::move(parent);
  result.ema = ema;
  result.exclusive_ema = exclusive;
  result.verdicts[Verdict::accepted] = 10;
  return result;
}

SeriesReport never_measured(std::string name, std::string parent = "") {
  SeriesReport result;
  result.name = std::move(name);
  result.parent = std::move(parent);
  return result;
}

std::string order(const Report& report) {
  std::string names;
  for (const SeriesReport& r : report.series) names += std::string(r.depth, '.') + r.name + ' ';
  return names;
}

struct Arrangement {
  const char* what;
  std::vector<SeriesReport> rows;
  const char* order;
};

// Depth first, siblings by time, the never measured last, whatever the rows' parents say.
TEST(Arrange, OrdersRows) {
  const Arrangement table[] = {
      {"nothing", {}, ""},
      {"by time", {row("a", "", 1, 1), row("b", "", 3, 3), row("c", "", 2, 2)}, "b c a "},
      {"equal times keep their order",
       {row("b", "", 1, 1), row("a", "", 1, 1), row("c", "", 1, 1)},
       "b a c "},
      {"children under their parent",
       {row("x", "a", 1, 1), row("b", "", 9, 9), row("a", "", 5, 2), row("y", "a", 2, 2)},
       "b a .y .x "},
      {"three levels",
       {row("a", "", 9, 1), row("b", "a", 8, 1), row("c", "b", 7, 7), row("d", "", 10, 10)},
       "d a .b ..c "},
      {"never measured last",
       {never_measured("u"), row("a", "", 1, 1), never_measured("t"), row("b", "", 2, 2)},
       "b a u t "},
      {"never measured child stays with its parent",
       {row("a", "", 1, 1), never_measured("u", "a"), row("b", "", 2, 2)},
       "b a .u "},
      {"parent nobody has", {row("a", "ghost", 1, 1), row("b", "", 2, 2)}, "b a "},
      {"its own parent", {row("a", "a", 1, 1), row("b", "", 2, 2)}, "b a "},
      {"two that name each other", {row("a", "b", 1, 1), row("b", "a", 2, 2)}, "a .b "},
      {"ring of three with a tail",
       {row("t", "a", 1, 1), row("a", "b", 2, 2), row("b", "c", 3, 3), row("c", "a", 4, 4)},
       "a .c ..b .t "},
      {"ring of three with a tail at its last",
       {row("t", "c", 1, 1), row("a", "b", 2, 2), row("b", "c", 3, 3), row("c", "a", 4, 4)},
       "a .c ..b ..t "},
  };
  for (const Arrangement& entry : table) {
    Report report;
    report.series = entry.rows;
    arrange(report);
    EXPECT_EQ(order(report), entry.order) << entry.what;
    arrange(report);
    EXPECT_EQ(order(report), entry.order) << entry.what << ", arranged again";
  }
}

// Each row moves as a whole.
TEST(Arrange, MovesWholeRows) {
  Report report;
  for (int i = 0; i < 50; ++i) {
    report.series.push_back(row("pass " + std::to_string(i), "", (i * 37) % 50, 1));
    report.series.back().in_flight = static_cast<std::uint64_t>(i);
  }
  arrange(report);
  for (std::size_t i = 0; i < 50; ++i) {
    const SeriesReport& r = report.series[i];
    EXPECT_EQ(r.ema, 49.0 - static_cast<double>(i));
    EXPECT_EQ(r.name, "pass " + std::to_string(r.in_flight));
    EXPECT_EQ(r.ema, static_cast<double>((r.in_flight * 37) % 50));
  }
}

// Shares come from exclusive times, so that they add up to 1 in a tree, too.
TEST(Arrange, SharesAddUpToOne) {
  Report report;
  report.series = {row("a", "", 6, 3), row("b", "a", 3, 3), row("c", "", 4, 4), never_measured("d")};
  arrange(report);
  EXPECT_DOUBLE_EQ(report.find("a")->share, 0.3);
  EXPECT_DOUBLE_EQ(report.find("b")->share, 0.3);
  EXPECT_DOUBLE_EQ(report.find("c")->share, 0.4);
  EXPECT_TRUE(std::isnan(report.find("d")->share));
}

// Only measured times take part; what counts something else, or is unknown, has no share.
TEST(Arrange, SharesAreForKnownTimesOnly) {
  Report report;
  report.series = {row("a", "", 6, 6), row("n", "", 1000, 1000), row("u", "", 2, unknown),
                   row("neg", "", 1, -1)};
  report.series[1].unit = Unit::count;
  arrange(report);
  EXPECT_DOUBLE_EQ(report.find("a")->share, 1);
  EXPECT_DOUBLE_EQ(report.find("neg")->share, 0);
  EXPECT_TRUE(std::isnan(report.find("n")->share));
  EXPECT_TRUE(std::isnan(report.find("u")->share));
  EXPECT_EQ(order(report), "a u neg n ");

  Report zeros;
  zeros.series = {row("a", "", 0, 0)};
  arrange(zeros);
  EXPECT_TRUE(std::isnan(zeros.series[0].share));
}

// A row is found by its whole name.
TEST(Report, FindsRowsByName) {
  Report report;
  report.series = {row("a", "", 1, 1), row("ab", "", 2, 2)};
  EXPECT_EQ(report.find("ab"), &report.series[1]);
  EXPECT_EQ(report.find("abc"), nullptr);
  EXPECT_EQ(report.find(""), nullptr);
}

}  // namespace
}  // namespace passmeter
