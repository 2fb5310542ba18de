#include "interleaved.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace passmeter::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Nanoseconds a pass, over one block of frames.
double time_block(const Side& side) {
  Clock::duration total{};
  for (std::uint32_t i = 0; i < settings().frames_per_block; ++i) {
    const auto begin = Clock::now();
    side.frame();
    total += Clock::now() - begin;
    side.settle();
  }
  const auto passes = 1.0 * settings().frames_per_block * passes_per_frame;
  return std::chrono::duration<double, std::nano>(total).count() / passes;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

}  // namespace

Settings& settings() {
  static Settings instance;
  return instance;
}

std::vector<Row>& rows() {
  static std::vector<Row> instance;
  return instance;
}

double quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

Row& run_interleaved(benchmark::State& state, const std::string& name, const std::string& driver,
                     const Side& ours, const Side& bare) {
  std::vector<double> ours_ns, bare_ns, ratios;
  for (int warm_up = 0; warm_up < 4; ++warm_up) {
    time_block(ours);
    time_block(bare);
  }
  bool ours_first = true;
  for (auto _ : state) {
    double a = 0, b = 0;
    if (ours_first) {
      a = time_block(ours);
      b = time_block(bare);
    } else {
      b = time_block(bare);
      a = time_block(ours);
    }
    ours_first = !ours_first;
    state.SetIterationTime(a * 1e-9);
    ours_ns.push_back(a);
    bare_ns.push_back(b);
    ratios.push_back(a / b);
  }
  std::sort(ratios.begin(), ratios.end());
  Row row{.name = name, .driver = driver};
  row.ours = median(ours_ns);
  row.bare = median(bare_ns);
  row.ratio = quantile(ratios, 0.5);
  row.q1 = quantile(ratios, 0.25);
  row.q3 = quantile(ratios, 0.75);
  row.pairs = static_cast<std::uint32_t>(ratios.size());
  state.SetLabel(driver);
  state.counters["bare_ns"] = row.bare;
  state.counters["ratio"] = row.ratio;
  state.counters["q1"] = row.q1;
  state.counters["q3"] = row.q3;
  rows().push_back(row);
  return rows().back();
}

void skip(benchmark::State& state, const std::string& name, const std::string& why) {
  rows().push_back({.name = name, .skipped = why});
  state.SkipWithError(why.c_str());
}

void fail(benchmark::State& state, Row& row, const std::string& why) {
  row.failed = why;
  state.SetLabel("FAILED: " + why);
}

}  // namespace passmeter::bench
