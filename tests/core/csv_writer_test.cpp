#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "passmeter/writers.h"
#include "report_fixture.h"

namespace passmeter {
namespace {

using Record = std::vector<std::string>;

// A reader of RFC 4180 as other programs have it.
std::vector<Record> parse(const std::string& text) {
  std::vector<Record> records(1, Record(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = records.back().back();
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      records.back().emplace_back();
    } else if (!quoted && c == '\n') {
      records.emplace_back(1);
    } else {
      field += c;
    }
  }
  records.pop_back();  // what follows the last line's end
  return records;
}

std::string field(const std::vector<Record>& records, std::size_t row, const std::string& column) {
  for (std::size_t i = 0; i < records.at(0).size(); ++i) {
    if (records[0][i] == column) return records.at(row).at(i);
  }
  return "no column " + column;
}

// Header first, one line a series, times in ms, each reason in a column of its own.
TEST(Csv, HasALineForEachSeries) {
  const std::vector<Record> records = parse(to_csv(testing::sample_report()));
  ASSERT_EQ(records.size(), 6u);
  for (const Record& record : records) EXPECT_EQ(record.size(), records[0].size());
  EXPECT_EQ(field(records, 1, "name"), "gbuffer");
  EXPECT_EQ(field(records, 1, "ema"), "3");
  EXPECT_EQ(field(records, 1, "exclusive_ema"), "2.7");
  EXPECT_EQ(field(records, 2, "name"), "decals");
  EXPECT_EQ(field(records, 2, "parent"), "gbuffer");
  EXPECT_EQ(field(records, 2, "depth"), "1");
  EXPECT_EQ(field(records, 2, "rejected"), "6");
  EXPECT_EQ(field(records, 2, "unwritten"), "5");
  EXPECT_EQ(field(records, 2, "late"), "1");
  EXPECT_EQ(field(records, 2, "disjoint"), "0");
  EXPECT_EQ(field(records, 4, "below_resolution"), "true");
  EXPECT_EQ(field(records, 4, "source"), "timestamp");
  EXPECT_EQ(field(records, 4, "resolution_ns"), "65536");
}

// Unknown is an empty field.
TEST(Csv, UnknownIsEmpty) {
  const std::vector<Record> records = parse(to_csv(testing::sample_report()));
  EXPECT_EQ(field(records, 5, "name"), "never drawn");
  for (const char* column : {"ema", "mean", "share", "p50", "max"}) EXPECT_EQ(field(records, 5, column), "");
  EXPECT_EQ(field(records, 5, "accepted"), "0");
}

// Names that hold commas, quotes or line breaks come back as they were.
TEST(Csv, QuotesWhatNeedsIt) {
  const std::vector<std::string> names = {"a,b", "say \"hi\"", "two\nlines", "plain",
                                          "\"",  ",",          "\r\n",       "\xC3\xA9"};
  Report report;
  for (const std::string& name : names) report.series.push_back(testing::measured_pass(name, name, 1e6));
  const std::vector<Record> records = parse(to_csv(report));
  ASSERT_EQ(records.size(), names.size() + 1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(field(records, i + 1, "name"), names[i]);
    EXPECT_EQ(field(records, i + 1, "parent"), names[i]);
  }
}

}  // namespace
}  // namespace passmeter
