#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "passmeter/writers.h"
#include "report_fixture.h"

namespace passmeter {
namespace {

using nlohmann::json;
using testing::measured_pass;
using testing::sample_report;

template <class T>
json parsed(const T& what) {
  const std::string text = to_json(what);
  json document = json::parse(text, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << text;
  return document;
}

// Every documented field of passmeter.report/1 is there with its type and value.
TEST(ReportJson, HasTheDocumentedFields) {
  const json report = parsed(sample_report());
  EXPECT_EQ(report["schema"], "passmeter.report/1");
  EXPECT_EQ(report["backend"], "webgpu");
  EXPECT_EQ(report["adapter"], "Test Adapter");
  EXPECT_EQ(report["driver"], "1.2.3");
  EXPECT_EQ(report["source"], "timestamp");
  EXPECT_EQ(report["state"], "measuring");
  EXPECT_EQ(report["reason"], "The device has timestamp queries.");
  EXPECT_EQ(report["hint"], "");
  EXPECT_EQ(report["resolution_ns"], 65'536);
  EXPECT_EQ(report["counter_bits"], 64);
  EXPECT_EQ(report["latency_frames"], 2);
  EXPECT_EQ(report["frames"], 604);
  EXPECT_EQ(report["frames_in_flight"], 2);
  EXPECT_EQ(report["alpha"], 0.1);

  const json& frame = report["frame"];
  EXPECT_EQ(frame["busy_ms"], 4.53);
  EXPECT_EQ(frame["span_ms"], 5);
  EXPECT_EQ(frame["sum_ms"], 4.53);
  EXPECT_EQ(frame["cpu_interval_ms"], 16.667);
  EXPECT_EQ(frame["unexplained_ms"], 12.137);
  EXPECT_EQ(frame["overlapping"], false);
  EXPECT_EQ(frame["overlapping_frames"], 0);
  EXPECT_EQ(frame["accepted"], 600);
  EXPECT_EQ(frame["rejected"], json({{"disjoint", 2}}));
  EXPECT_EQ(frame["spikes"], json::array({{{"frame", 120}, {"ms", 6.8}}}));

  ASSERT_EQ(report["series"].size(), 5u);
  const json& gbuffer = report["series"][0];
  EXPECT_EQ(gbuffer["name"], "gbuffer");
  EXPECT_TRUE(gbuffer["parent"].is_null());
  EXPECT_EQ(gbuffer["depth"], 0);
  EXPECT_EQ(gbuffer["unit"], "ms");
  EXPECT_EQ(gbuffer["ema"], 3);
  EXPECT_EQ(gbuffer["exclusive_ema"], 2.7);
  EXPECT_EQ(gbuffer["mean"], 3);
  EXPECT_NEAR(gbuffer["share"].get<double>(), 2.7 / 4.53, 1e-6);
  EXPECT_EQ(gbuffer["last"], 3);
  EXPECT_EQ(gbuffer["min"], 2.7);
  EXPECT_EQ(gbuffer["max"], 4.5);
  EXPECT_EQ(gbuffer["p50"], 3);
  EXPECT_EQ(gbuffer["p50_low"], 2.97);
  EXPECT_EQ(gbuffer["p50_high"], 3.03);
  EXPECT_EQ(gbuffer["p95"], 3.3);
  EXPECT_EQ(gbuffer["p99"], 3.6);
  EXPECT_EQ(gbuffer["window"], 600);
  EXPECT_EQ(gbuffer["below_resolution"], false);
  EXPECT_EQ(gbuffer["accepted"], 600);
  EXPECT_EQ(gbuffer["in_flight"], 0);
  EXPECT_EQ(gbuffer["rejected"], json({{"disjoint", 2}}));
  EXPECT_EQ(gbuffer["spikes"], json::array({{{"frame", 120}, {"ms", 4.5}}}));

  const json& decals = report["series"][1];
  EXPECT_EQ(decals["parent"], "gbuffer");
  EXPECT_EQ(decals["depth"], 1);
  EXPECT_EQ(decals["rejected"], json({{"unwritten", 5}, {"late", 1}}));
  EXPECT_EQ(report["series"][3]["below_resolution"], true);
  EXPECT_EQ(report["diagnostics"], json({{"scope_left_open", 3}}));
}

// Unknown, and what is not finite, is null, never 0 and never a word that is no JSON.
TEST(ReportJson, UnknownIsNull) {
  Report report;
  report.resolution_ns = std::numeric_limits<double>::infinity();
  report.series.push_back(measured_pass("a", "", -std::numeric_limits<double>::infinity()));
  report.series.emplace_back();
  const json document = parsed(report);
  for (const char* field : {"resolution_ns", "latency_frames", "counter_bits"}) {
    EXPECT_TRUE(document[field].is_null()) << field;
  }
  for (const char* field :
       {"busy_ms", "span_ms", "sum_ms", "cpu_interval_ms", "unexplained_ms", "busy_p50_ms"}) {
    EXPECT_TRUE(document["frame"][field].is_null()) << field;
  }
  for (const json& row : document["series"]) {
    for (const char* field :
         {"ema", "exclusive_ema", "mean", "share", "last", "min", "max", "p50", "p95", "p99"}) {
      EXPECT_TRUE(row[field].is_null()) << field;
    }
  }
}

// Counts are not scaled and keep their unit.
TEST(ReportJson, CountsAreNotTimes) {
  Report report;
  report.series = {measured_pass("objects", "", 5430)};
  report.series[0].unit = Unit::count;
  const json row = parsed(report)["series"][0];
  EXPECT_EQ(row["unit"], "count");
  EXPECT_EQ(row["ema"], 5430);
  EXPECT_EQ(row["spikes"][0], json({{"frame", 120}, {"value", 8145}}));
}

struct Text {
  const char* given;
  const char* read;
};

// Strings come back as they were; what is no UTF-8 comes back as U+FFFD.
TEST(ReportJson, EscapesStrings) {
  const Text table[] = {
      {"plain", "plain"},
      {"", ""},
      {"say \"hi\"", "say \"hi\""},
      {"back\\slash/", "back\\slash/"},
      {"line\nfeed\ttab\rreturn\x01\x1F\x7F", "line\nfeed\ttab\rreturn\x01\x1F\x7F"},
      {"\xC3\xA9\xE5\xBD\xB1\xF0\x9F\x94\xA5", "\xC3\xA9\xE5\xBD\xB1\xF0\x9F\x94\xA5"},
      {"lone \xFF byte", "lone \xEF\xBF\xBD byte"},
      {"stray \x80 continuation", "stray \xEF\xBF\xBD continuation"},
      {"cut off \xE5\xBD", "cut off \xEF\xBF\xBD\xEF\xBF\xBD"},
      {"overlong \xC0\xAF", "overlong \xEF\xBF\xBD\xEF\xBF\xBD"},
      {"overlong \xE0\x80\xAF", "overlong \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"surrogate \xED\xA0\x80", "surrogate \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"beyond \xF4\x90\x80\x80", "beyond \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
      {"not UTF-8 at all \xF8\x88", "not UTF-8 at all \xEF\xBF\xBD\xEF\xBF\xBD"},
  };
  for (const Text& text : table) {
    Report report;
    report.reason = text.given;
    report.series.emplace_back().name = text.given;
    const json document = parsed(report);
    EXPECT_EQ(document["reason"], text.read);
    EXPECT_EQ(document["series"][0]["name"], text.read);
  }
}

// Names of random bytes always give a document.
TEST(ReportJson, IsValidForAnyBytes) {
  std::mt19937 random(9);
  for (int i = 0; i < 2000; ++i) {
    Report report;
    for (auto n = random() % 12; n > 0; --n) report.reason += static_cast<char>(random() % 256);
    parsed(report);
  }
}

// Numbers are right to the last of six digits, over the whole range, and round as they should.
TEST(ReportJson, NumbersAreRoundedRight) {
  std::mt19937_64 random(4);
  Report report;
  for (int i = 0; i < 20'000; ++i) {
    const double size = std::pow(10, static_cast<double>(random() % 18) - 4);
    report.resolution_ns = size * (static_cast<double>(random() >> 11) * 0x1p-53) * (random() % 2 ? 1 : -1);
    const double read = parsed(report)["resolution_ns"].get<double>();
    // Half of the last digit, and what reading a double back may add.
    ASSERT_NEAR(read, report.resolution_ns, 0.5000001e-6 + std::fabs(report.resolution_ns) * 2.3e-16);
  }
  struct Row {
    double value;
    const char* text;
  };
  const Row table[] = {{0, "0"},
                       {-0.0, "0"},
                       {1, "1"},
                       {0.1, "0.1"},
                       {-2.5, "-2.5"},
                       {0.9999996, "1"},
                       {999.9999999, "1000"},
                       {0.0000005, "0"},  // a hair under half of the last digit in binary
                       {0.00000051, "0.000001"},
                       {-0.0000001, "0"},
                       {0.5 + 0x1p-7, "0.507812"},           // 0.5078125: a tie, to even
                       {1.5 + 0x1p-7 + 0x1p-6, "1.523438"},  // 1.5234375: a tie, to even
                       {123456789.123456, "123456789.123456"},
                       {999999999999999, "999999999999999"},
                       {1e15, "1.000000e+15"},
                       {-2.5e100, "-2.500000e+100"}};
  for (const Row& row : table) {
    report.resolution_ns = row.value;
    const std::string text = to_json(report);
    const std::string wanted = std::string("\"resolution_ns\": ") + row.text + ",";
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted << " in " << text;
  }
}

// Numbers too large for a time are still numbers.
TEST(ReportJson, HugeNumbersAreNumbers) {
  Report report;
  for (const double value : {1e15, 1.8446744073709552e19, 3.3e50, 1.7976931348623157e308}) {
    report.resolution_ns = value;
    EXPECT_NEAR(parsed(report)["resolution_ns"].get<double>() / value, 1, 1e-6);
  }
  report.frames = ~std::uint64_t{0};
  EXPECT_EQ(parsed(report)["frames"].get<std::uint64_t>(), ~std::uint64_t{0});
}

// passmeter.comparison/1: both reports whole, and the rows.
TEST(ComparisonJson, HasTheDocumentedFields) {
  Report left = sample_report();
  Report right = left;
  left.backend = "gl";
  left.resolution_ns = 1;
  for (SeriesReport& row : left.series) row.p50 *= 2, row.p50_low *= 2, row.p50_high *= 2;
  const Comparison comparison = compare(left, right);
  const json document = parsed(comparison);
  EXPECT_EQ(document["schema"], "passmeter.comparison/1");
  EXPECT_EQ(document["left"], parsed(left));
  EXPECT_EQ(document["right"], parsed(right));
  ASSERT_EQ(document["rows"].size(), 5u);
  const json& row = document["rows"][0];
  EXPECT_EQ(row["name"], "gbuffer");
  EXPECT_EQ(row["left_ms"], 6);
  EXPECT_EQ(row["right_ms"], 3);
  EXPECT_EQ(row["ratio"], 2);
  EXPECT_NEAR(row["low"].get<double>(), comparison.rows[0].low, 1e-6);
  EXPECT_NEAR(row["high"].get<double>(), comparison.rows[0].high, 1e-6);
  EXPECT_EQ(row["verdict"], "left_slower");
  EXPECT_EQ(document["rows"][4]["verdict"], "unknown");
  EXPECT_TRUE(document["rows"][4]["ratio"].is_null());
}

// An empty comparison is a document, too.
TEST(ComparisonJson, MayBeEmpty) {
  const json document = parsed(Comparison{});
  EXPECT_EQ(document["rows"], json::array());
  EXPECT_EQ(document["left"]["series"], json::array());
}

}  // namespace
}  // namespace passmeter
