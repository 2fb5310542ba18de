// Two ways of doing the same, timed in alternating blocks of frames of one run. A machine's clock, heat and
// neighbours drift; what is left of that in the ratio of two adjacent blocks is noise that the quartiles
// show.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace passmeter::bench {

inline constexpr std::uint32_t passes_per_frame = 20;

struct Settings {
  std::uint32_t pairs = 200;
  std::uint32_t frames_per_block = 32;
};

// The settings of this run; main() fills them.
Settings& settings();

// One of the two ways.
struct Side {
  std::function<void()> frame;  // timed
  std::function<void()>
      settle;  // not timed, after each frame: lets the driver finish, so that results arrive
};

// What one benchmark found. Times are nanoseconds a pass.
struct Row {
  std::string name{};
  std::string driver{};
  std::string skipped{};  // why there are no numbers; else empty
  std::string failed{};   // why the numbers mean nothing; else empty
  double ours = 0;        // medians
  double bare = 0;
  double ratio = 0;  // median and quartiles of the pairs' ratios
  double q1 = 0;
  double q3 = 0;
  std::uint32_t pairs = 0;
};

// All rows of this run, in the order they were measured.
std::vector<Row>& rows();

// Runs the pairs inside a Google Benchmark loop, one iteration a pair, and adds a row.
Row& run_interleaved(benchmark::State& state, const std::string& name, const std::string& driver,
                     const Side& ours, const Side& bare);

// Adds a row without numbers.
void skip(benchmark::State& state, const std::string& name, const std::string& why);
// Marks the row as meaningless.
void fail(benchmark::State& state, Row& row, const std::string& why);

// Linear interpolation between order statistics; `sorted` must not be empty.
double quantile(const std::vector<double>& sorted, double p);

}  // namespace passmeter::bench
