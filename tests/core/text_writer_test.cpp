#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "passmeter/writers.h"
#include "report_fixture.h"

namespace passmeter {
namespace {

using testing::measured_pass;
using testing::sample_report;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string line_with(const std::string& text, const std::string& word) {
  for (const std::string& line : lines_of(text)) {
    if (line.find(word) != std::string::npos) return line;
  }
  return "no line with " + word;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& line : lines_of(text)) longest = std::max(longest, line.size());
  return longest;
}

// The whole table of a small report, as people see it.
TEST(ReportText, ReadsLikeThis) {
  Report report = sample_report();
  report.hint = "A hint.";
  EXPECT_EQ(to_text(report), R"(passmeter    WebGPU | Test Adapter | 1.2.3
source       timestamp, 64-bit counter, resolution 65.5 us, results 2.0 frames late
             The device has timestamp queries.
             604 frames, 2 in flight

pass            ema ms   mean     min     p50     p95     p99    max  share %    n  rejected
--------------------------------------------------------------------------------------------
gbuffer          3.000  3.000   2.700   3.000   3.300   3.600  4.500     59.6  600         2
  decals         0.300  0.300   0.270   0.300   0.330   0.360  0.450      6.6  600         6
shadow           1.500  1.500   1.350   1.500   1.650   1.800  2.250     33.1  600         2
tonemap         <0.066  0.030  <0.066  <0.066   0.066   0.066  0.066      0.7  600         0
never drawn          ?      ?       ?       ?       ?       ?      ?        ?    0         0
--------------------------------------------------------------------------------------------
GPU busy         4.530                  4.500   5.000   6.000  6.800           600         2
GPU span         5.000
sum of passes    4.530
frame interval  16.667                 16.600  17.000  33.000
unexplained     12.137

slowest      frame 120 (6.800 ms)
rejected     gbuffer, shadow: 2 disjoint
             decals: 5 unwritten, 1 late
diagnostics  3 scope_left_open
hint         A hint.
)");
}

// What is not known reads "?", and nothing reads 0.000.
TEST(ReportText, UnknownIsNeverZero) {
  Report nothing;
  nothing.reason = "No timer here.";
  nothing.series.emplace_back().name = "a";
  const std::string text = to_text(nothing);
  EXPECT_NE(line_with(text, "GPU busy").find('?'), std::string::npos);
  EXPECT_NE(line_with(text, "a  ").find('?'), std::string::npos);
  EXPECT_NE(text.find("none (unavailable)"), std::string::npos);
  EXPECT_NE(text.find("No timer here."), std::string::npos);
  EXPECT_EQ(text.find("0.0"), std::string::npos) << text;
}

// A measured zero says under what the time lies, on a fine clock, too.
TEST(ReportText, SmallTimesSayWhatTheyAreBelow) {
  Report report = sample_report();
  report.resolution_ns = 1;
  report.series = {measured_pass("empty", "", 0), measured_pass("tiny", "", 400),
                   measured_pass("small", "", 600)};
  const std::string text = to_text(report);
  EXPECT_NE(line_with(text, "empty").find("<0.001"), std::string::npos);
  EXPECT_NE(line_with(text, "tiny").find("<0.001"), std::string::npos);
  EXPECT_NE(line_with(text, "small").find(" 0.001"), std::string::npos);
  EXPECT_EQ(text.find(" 0.000"), std::string::npos) << text;
}

// A table of ordinary passes fits 100 columns; an overlong name has a line of its own and moves nothing.
TEST(ReportText, FitsAHundredColumns) {
  Report report = sample_report();
  report.reason =
      "A sentence that goes on and on, because drivers have long names and longer excuses, and is "
      "therefore broken into lines.";
  report.series.push_back(measured_pass(std::string(90, 'x'), "", 12e6));
  arrange(report);
  const std::string text = to_text(report);
  EXPECT_LE(longest_line(text), 100u) << text;
  EXPECT_NE(text.find(std::string(90, 'x') + '\n'), std::string::npos) << text;
  EXPECT_EQ(line_with(text, "12.000").find("12.000"), line_with(text, "pass  ").find("ema ms"));
}

// Columns line up by what a terminal shows, not by bytes.
TEST(ReportText, AlignsByDisplayWidth) {
  Report report = sample_report();
  report.series = {measured_pass("abcdefgh", "", 4e6), measured_pass("\xC3\xA9t\xC3\xA9 abcd", "", 3e6),
                   measured_pass("\xE5\xBD\xB1\xE5\xBD\xB1\xE5\xBD\xB1\xE5\xBD\xB1", "", 2e6),
                   measured_pass("e\xCC\x81"
                                 "bcdefgh",
                                 "", 1e6)};
  const std::string text = to_text(report);
  const std::size_t place = line_with(text, "abcdefgh").find("4.000");
  EXPECT_EQ(line_with(text, "\xC3\xA9t").find("3.000"), place + 2);  // two letters of two bytes
  EXPECT_EQ(line_with(text, "\xE5\xBD").find("2.000"), place + 4);   // 12 bytes, 8 columns
  EXPECT_EQ(line_with(text, "e\xCC\x81").find("1.000"), place + 2);  // a mark of two bytes and no width
}

// Names that would break the table are made harmless.
TEST(ReportText, ControlCharactersDoNotReachTheTerminal) {
  Report report = sample_report();
  report.series = {measured_pass("a\nb\x1B[31m\xFF", "", 1e6)};
  const std::string text = to_text(report);
  EXPECT_NE(text.find("a\xEF\xBF\xBD"
                      "b\xEF\xBF\xBD[31m\xEF\xBF\xBD"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find('\x1B'), std::string::npos);
}

// Series of other units have a table of their own, with their unit.
TEST(ReportText, OtherUnitsStandApart) {
  Report report = sample_report();
  report.series.push_back(measured_pass("objects hidden", "", 5430));
  report.series.back().unit = Unit::count;
  arrange(report);
  const std::string line = line_with(to_text(report), "objects hidden");
  EXPECT_NE(line.find("count"), std::string::npos);
  EXPECT_NE(line.find("5430.0"), std::string::npos);
}

// Overlap is told with how often it happened.
TEST(ReportText, TellsOfOverlap) {
  Report report = sample_report();
  report.frame.overlapping_frames = 3;
  EXPECT_NE(to_text(report).find("passes overlap in 3 of 600 measured frames, not in the last"),
            std::string::npos);
  report.frame.overlapping = true;
  EXPECT_NE(to_text(report).find("3 of 600 measured frames, also in the last"), std::string::npos);
}

// Numbers no table was made for stay legible.
TEST(ReportText, HugeNumbers) {
  Report report = sample_report();
  report.series = {measured_pass("huge", "", 1.79e308), measured_pass("year", "", 3.15e16)};
  const std::string text = to_text(report);
  EXPECT_NE(line_with(text, "huge").find("1.790e+302"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "year").find("31500000000.000"), std::string::npos) << text;
}

Comparison sample_comparison() {
  Report right = sample_report();
  Report left = right;
  left.backend = "gl";
  left.resolution_ns = 1;
  left.latency_frames = 1;
  for (SeriesReport& row : left.series) row.p50 *= 1.5, row.p50_low *= 1.5, row.p50_high *= 1.5;
  return compare(left, right);
}

// A row a pass: both times, ratio, band, verdict, source, resolution, latency and counts of each side.
TEST(ComparisonText, SaysEverythingInARow) {
  const std::string text = to_text(sample_comparison());
  EXPECT_EQ(line_with(text, "pass  "),
            "pass         GL ms  WebGPU ms  ratio    95 % band  verdict    source         resolution    "
            "latency  n/rej "
            "GL  WebGPU");
  EXPECT_EQ(line_with(text, "shadow  "),
            "shadow       2.250      1.500  1.500  1.451-1.552  GL slower  timestamp  1 ns | 65.5 us  1.0 | "
            "2.0     "
            "600/2   600/2");
  EXPECT_NE(line_with(text, "never drawn").find("?"), std::string::npos);
  EXPECT_LE(longest_line(text), 120u);
}

// A count of a pass's name is not the pass: its numbers stand in nobody's row.
TEST(ComparisonText, ACountOfTheSameName) {
  Report right = sample_report();
  right.backend = "gl";
  right.series = {measured_pass("shadow", "", 40)};
  right.series[0].unit = Unit::count;
  const std::string text = to_text(compare(sample_report(), right));
  EXPECT_TRUE(line_with(text, "shadow  ").ends_with("600/2   -")) << text;
}

// Two reports of one backend are called left and right.
TEST(ComparisonText, NamesSidesApart) {
  const std::string text = to_text(compare(sample_report(), sample_report()));
  EXPECT_NE(text.find("left ms  right ms"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "shadow  ").find("same"), std::string::npos);
}

// Differing sources stand next to each other, and both sides' rejections are told.
TEST(ComparisonText, ShowsBothSidesTrouble) {
  Comparison comparison = sample_comparison();
  comparison.left.source = Source::time_elapsed;
  comparison.right.state = State::lost;
  const std::string text = to_text(comparison);
  EXPECT_NE(line_with(text, "shadow  ").find("elapsed | timestamp"), std::string::npos);
  EXPECT_NE(text.find("GL rejected"), std::string::npos);
  EXPECT_NE(text.find("WebGPU rejected"), std::string::npos);
  EXPECT_NE(text.find("timestamp (lost)"), std::string::npos);
}

}  // namespace
}  // namespace passmeter
