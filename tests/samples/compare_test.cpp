// The comparison sample, on whatever renders here (Mesa and Dawn in the tests' environment).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "passmeter/comparison.h"
#include "passmeter/writers.h"
#include "side.h"

namespace {

using MakeSide = std::unique_ptr<compare::Side> (*)(const compare::SideOptions&);

struct Backend {
  const char* name;
  MakeSide make;
};

class CompareTest : public testing::TestWithParam<Backend> {
 protected:
  std::unique_ptr<compare::Side> make(const compare::SideOptions& options) {
    return GetParam().make(options);
  }
};

double ssao_ms(compare::Side& side, float load) {
  side.set_load(load);
  side.draw(0);  // the first frame after a change is not looked at
  side.drain();
  side.reset_statistics();
  for (int i = 0; i < 4; ++i) side.draw(0);
  side.drain();
  const passmeter::Report report = side.report();
  return report.find("ssao")->min * 1e-6;
}

// Twice the load is about twice the work of the pass that is nearly all workload.
TEST_P(CompareTest, DoublingTheLoadDoublesSsao) {
  const auto side = make({.size = 256, .load = 2});
  ASSERT_EQ(side->why(), "");
  double once = 1e9;
  double twice = 1e9;
  const auto about_double = [&] { return twice / once > 1.5 && twice / once < 2.7; };
  // In turns, so that other load hits both; on a busy machine it takes some more until each had a quiet
  // moment.
  for (int round = 0; round < 4 || (round < 20 && !about_double()); ++round) {
    once = std::min(once, ssao_ms(*side, 2));
    twice = std::min(twice, ssao_ms(*side, 4));
  }
  EXPECT_GT(twice / once, 1.5) << once << " ms, " << twice << " ms";
  EXPECT_LT(twice / once, 2.7) << once << " ms, " << twice << " ms";
}

// Timing does not change what is drawn.
TEST_P(CompareTest, ThePictureIsTheSameWithTimingOff) {
  std::vector<std::uint8_t> timed;
  {
    const auto side = make({.size = 128});
    ASSERT_EQ(side->why(), "");
    side->draw(3);
    timed = side->picture();
    EXPECT_EQ(side->errors(), 0);
  }
  const auto side = make({.size = 128, .timing = false});
  side->draw(3);
  EXPECT_EQ(side->picture(), timed);
  const passmeter::Report report = side->report();
  EXPECT_EQ(report.state, passmeter::State::switched_off);
  EXPECT_EQ(report.find("ssao")->marks(), 0u);
  EXPECT_EQ(side->errors(), 0);
}

// Each pass alone can be measured with a wait, and flowing frames tell the same time.
TEST_P(CompareTest, SteadyWorkAgreesWithTheBlockingMedian) {
  const auto side = make({.size = 256, .load = 2});
  ASSERT_EQ(side->why(), "");
  side->draw(0);
  side->drain();
  double best = 1e9;  // other load on the machine can spoil a round, not every round
  for (int round = 0; round < 4; ++round) {
    side->reset_statistics();
    for (int i = 0; i < 12; ++i) side->draw_only(scene::pass_ssao);
    side->drain();
    const passmeter::MedianResult truth = side->measure_pass_median(12, scene::pass_ssao);
    ASSERT_TRUE(truth.valid);
    best = std::min(best, std::abs(side->report().find("ssao")->p50 / truth.median_ns - 1));
  }
  EXPECT_LT(best, 0.25);
}

const Backend backends[] = {
    {"gl", compare::make_gl_side},
#if PASSMETER_TEST_WEBGPU
    {"webgpu", compare::make_webgpu_side},
#endif
};

INSTANTIATE_TEST_SUITE_P(Backends, CompareTest, testing::ValuesIn(backends),
                         [](const auto& backend) { return std::string(backend.param.name); });

#if PASSMETER_TEST_WEBGPU

double mean_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(static_cast<int>(a[i]) - static_cast<int>(b[i]));
  return sum / static_cast<double>(a.size());
}

// Both backends draw the same picture, and their reports make a comparison that a program can read.
TEST(Compare, BothBackendsDrawAndReportTheSameFrame) {
  const auto gl = compare::make_gl_side({.size = 256});
  const auto webgpu = compare::make_webgpu_side({.size = 256});
  ASSERT_EQ(gl->why(), "");
  ASSERT_EQ(webgpu->why(), "");
  for (compare::Side* side : {gl.get(), webgpu.get()}) {
    for (int frame = 0; frame < 6; ++frame) side->draw(frame);
    side->drain();
  }
  const auto left = gl->picture();
  const auto right = webgpu->picture();
  ASSERT_EQ(left.size(), 256u * 256u * 4u);
  ASSERT_EQ(left.size(), right.size());
  EXPECT_LE(mean_difference(left, right), 2.0);
  EXPECT_NE(*std::max_element(left.begin(), left.end()), *std::min_element(left.begin(), left.end()));

  const auto json =
      nlohmann::json::parse(passmeter::to_json(passmeter::compare(gl->report(), webgpu->report())));
  EXPECT_EQ(json.at("schema"), "passmeter.comparison/1");
  ASSERT_EQ(json.at("rows").size(), static_cast<std::size_t>(scene::pass_count));
  for (const char* side : {"left", "right"}) {
    EXPECT_EQ(json.at(side).at("source"), "timestamp");
    ASSERT_EQ(json.at(side).at("series").size(), static_cast<std::size_t>(scene::pass_count));
    for (const auto& series : json.at(side).at("series"))
      EXPECT_GT(series.at("ema").get<double>(), 0) << series;
  }
  EXPECT_EQ(gl->errors(), 0);
  EXPECT_EQ(webgpu->errors(), 0);
}

#endif

}  // namespace
