#include "passmeter/stamps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "passmeter/cpu_clock.h"
#include "passmeter/series.h"

namespace passmeter {
namespace {

constexpr std::uint64_t top = ~std::uint64_t{0};
constexpr std::int64_t unchecked = -1;

struct Distance {
  const char* name;
  std::uint64_t begin, end;
  unsigned bits;
  std::int64_t ticks;
};

// Ticks are subtracted as integers, modulo the counter's width, and read as signed.
TEST(TicksBetween, IsSignedAtTheCountersWidth) {
  const Distance table[] = {
      {"same", 5, 5, 64, 0},
      {"forward", 100, 350, 64, 250},
      {"backward", 350, 100, 64, -250},
      {"64 bits wrap", top, 0, 64, 1},
      {"64 bits wrap back", 0, top, 64, -1},
      {"values double can't tell apart", (1ull << 62) + 1, (1ull << 62) + 2, 64, 1},
      {"36 bits wrap", 0xFFFFFFFFFull, 0, 36, 1},
      {"36 bits wrap back", 0, 0xFFFFFFFFFull, 36, -1},
      {"36 bits, half the range", 0, 1ull << 35, 36, -(1ll << 35)},
      {"36 bits, just under half", 0, (1ull << 35) - 1, 36, (1ll << 35) - 1},
      {"36 bits, garbage above", 0xABC0000000000005ull, 0x1230000000000007ull, 36, 2},
      {"32 bits wrap", 0xFFFFFFF0ull, 0x10, 32, 0x20},
      {"1 bit", 0, 0, 1, 0},
      {"width 0 is taken as 64", 350, 100, 0, -250},
      {"width over 64 is taken as 64", 350, 100, 99, -250},
  };
  for (const Distance& row : table)
    EXPECT_EQ(ticks_between(row.begin, row.end, row.bits), row.ticks) << row.name;
}

struct Judgement {
  const char* name;
  std::uint64_t begin, end;
  StampRule rule;
  std::int64_t cpu_elapsed_ns;
  Verdict verdict;
  double ns;
};

constexpr StampRule gl{64, 1.0, false};
constexpr StampRule webgpu{64, 1.0, true};

// Each pair of stamps gets one verdict, in the order unwritten, negative, nonfinite, implausible.
TEST(JudgeStamps, GivesOneVerdict) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Judgement table[] = {
      {"plain", 1000, 3500, gl, unchecked, Verdict::accepted, 2500},
      {"zero length", 1000, 1000, gl, unchecked, Verdict::accepted, 0},
      {"two zeros", 0, 0, gl, unchecked, Verdict::unwritten, 0},
      {"GL counter starting at 0", 0, 700, gl, unchecked, Verdict::accepted, 700},
      {"GL counter passing 0", top, 0, gl, unchecked, Verdict::accepted, 1},
      {"WebGPU begin missing", 0, 700, webgpu, unchecked, Verdict::unwritten, 0},
      {"WebGPU end missing", 700, 0, webgpu, unchecked, Verdict::unwritten, 0},
      {"WebGPU both missing", 0, 0, webgpu, unchecked, Verdict::unwritten, 0},
      {"end first", 700, 699, webgpu, unchecked, Verdict::negative, 0},
      {"end first, also too long", 700, 699, webgpu, 0, Verdict::negative, 0},
      {"infinite scale", 1, 2, {64, infinity, false}, unchecked, Verdict::nonfinite, 0},
      {"NaN scale", 1, 2, {64, nan, false}, unchecked, Verdict::nonfinite, 0},
      {"no scale", 1, 2, {64, 0, false}, unchecked, Verdict::nonfinite, 0},
      {"negative scale", 1, 2, {64, -1, false}, unchecked, Verdict::nonfinite, 0},
      {"overflow in scaling", 1, 1ull << 62, {64, 1e300, false}, unchecked, Verdict::nonfinite, 0},
      {"as long as the CPU saw", 1, 5'000'001, gl, 5'000'000, Verdict::accepted, 5e6},
      {"twice as long", 1, 10'000'001, gl, 5'000'000, Verdict::implausible, 0},
      {"in no time at all", 1, 100'000'001, gl, 0, Verdict::implausible, 0},
  };
  for (const Judgement& row : table) {
    const StampResult result = judge_stamps(row.begin, row.end, row.rule, row.cpu_elapsed_ns);
    EXPECT_EQ(result.verdict, row.verdict) << row.name << ": " << to_string(result.verdict);
    if (row.verdict == Verdict::accepted) {
      EXPECT_EQ(result.ns, row.ns) << row.name;
    }
  }
}

// Clocks drift apart and are read a moment later: a little longer than the CPU time is still believed.
TEST(JudgeStamps, AllowsClocksToDisagreeALittle) {
  EXPECT_EQ(judge_stamps(1, 5'050'001, gl, 5'000'000).verdict, Verdict::accepted);
  EXPECT_EQ(judge_stamps(1, 5'001, gl, 0).verdict, Verdict::accepted);
#ifndef __EMSCRIPTEN__  // a browser's CPU clock may be coarser than this
  EXPECT_EQ(judge_stamps(1, 6'000'001, gl, 5'000'000).verdict, Verdict::implausible);
  EXPECT_EQ(judge_stamps(1, 50'001, gl, 0).verdict, Verdict::implausible);
#endif
}

// Unsigned subtraction made of these 1.8e17 us or -48 ms in the field.
TEST(Case03, UnsignedSubtraction) {
  const StampRule ten_ns{64, 10.0, true};
  const std::uint64_t first = 156289731758, second = 156289731042, third = 156289733254;
  Series series;
  const auto take = [&](std::uint64_t end) {
    const StampResult result = judge_stamps(first, end, ten_ns);
    series.add(result.ns, result.verdict, 0);
    return result;
  };
  EXPECT_EQ(take(third).ns, 14'960);
  EXPECT_EQ(take(second).verdict, Verdict::negative);
  EXPECT_EQ(take(0).verdict, Verdict::unwritten);
  EXPECT_EQ(series.ema(), 14'960);
  EXPECT_EQ(series.accepted(), 1u);
  EXPECT_EQ(series.verdicts()[Verdict::negative], 1u);
  EXPECT_EQ(series.verdicts()[Verdict::unwritten], 1u);
}

// Two stamps in one quantum are a zero that was measured.
TEST(Case05, ZeroBetweenWrittenStampsIsValid) {
  for (const StampRule& rule : {gl, webgpu}) {
    const StampResult result = judge_stamps(0x30000, 0x30000, rule, 1000);
    EXPECT_EQ(result.verdict, Verdict::accepted);
    EXPECT_EQ(result.ns, 0);
  }
}

// Results over 32 bits neither wrap nor turn negative.
TEST(Case11, LongResultsAreExact) {
  EXPECT_EQ(judge_duration(5'000'000'000), Verdict::accepted);
  EXPECT_EQ(judge_duration(3'000'000'000), Verdict::accepted);
  EXPECT_EQ(judge_stamps(7, 5'000'000'007, gl).ns, 5e9);
  EXPECT_EQ(judge_stamps(7, 3'000'000'007, gl).ns, 3e9);
}

// A pass without work that gives two zero stamps was not written; the statistics keep what they had.
TEST(Case27, PassWithoutWork) {
  Series series;
  series.add(2000, Verdict::accepted, 0);
  for (const StampRule& rule : {gl, webgpu}) {
    const StampResult result = judge_stamps(0, 0, rule);
    EXPECT_EQ(series.add(result.ns, result.verdict, 1), Verdict::unwritten);
  }
  EXPECT_EQ(series.ema(), 2000);
  EXPECT_EQ(series.accepted(), 1u);
}

// Ticks are scaled after the subtraction.
TEST(Case30, TimestampPeriod) {
  const StampResult result = judge_stamps(1'000'000'000'000, 1'000'000'001'000, {64, 52.0833, false});
  EXPECT_EQ(result.ticks, 1000);
  EXPECT_NEAR(result.ns, 52'083.3, 1e-6);
  EXPECT_EQ(std::floor(result.ns), 52'083);
}

// A 36-bit counter wraps; the same values on a 64-bit counter go backwards.
TEST(Case32, CounterWrap) {
  const StampResult wrapped = judge_stamps(0xFFFFFFFFF, 0, {36, 1.0, false});
  EXPECT_EQ(wrapped.verdict, Verdict::accepted);
  EXPECT_EQ(wrapped.ticks, 1);
  EXPECT_EQ(judge_stamps(0xFFFFFFFFF, 0, gl).verdict, Verdict::negative);
}

// A context's first TIME_ELAPSED may be the machine's uptime: longer than the CPU time since its begin.
TEST(Case46, UptimeInsteadOfElapsedTime) {
  EXPECT_EQ(judge_duration(3'508'000'000'000, 5'000'000), Verdict::implausible);
  EXPECT_EQ(judge_stamps(1, 3'508'000'000'001, gl, 5'000'000).verdict, Verdict::implausible);
  EXPECT_EQ(judge_duration(4'900'000, 5'000'000), Verdict::accepted);
}

// Durations: 0 is a valid one, one that fills 64 bits is a negative number in disguise.
TEST(JudgeDuration, KnowsItsLimits) {
  EXPECT_EQ(judge_duration(0), Verdict::accepted);
  EXPECT_EQ(judge_duration(0, 0), Verdict::accepted);
  EXPECT_EQ(judge_duration(top), Verdict::negative);
  EXPECT_EQ(judge_duration(1ull << 63), Verdict::negative);
  EXPECT_EQ(judge_duration((1ull << 63) - 1), Verdict::accepted);
  EXPECT_EQ(judge_duration((1ull << 63) - 1, 1'000'000'000), Verdict::implausible);
}

// The quantum is found from stamps at random, for clocks fine and coarse.
TEST(QuantumMeter, FindsTheQuantum) {
  for (const std::uint64_t quantum : {1ull, 32ull, 80ull, 1000ull, 65'536ull, 1'000'000ull}) {
    std::mt19937_64 random(quantum);
    QuantumMeter meter;
    for (int i = 0; i < 200; ++i) meter.add((1'000'000 + random() % 1'000'000) * quantum);
    EXPECT_EQ(meter.ticks(), quantum);
  }
}

// Too few stamps say nothing.
TEST(QuantumMeter, NeedsEightStamps) {
  QuantumMeter meter;
  EXPECT_EQ(meter.ticks(), 0u);
  for (std::uint64_t i = 1; i <= 7; ++i) meter.add(i * 100);
  EXPECT_EQ(meter.ticks(), 0u);
  meter.add(800);
  EXPECT_EQ(meter.ticks(), 100u);
}

// Zeros and repetitions carry no information: steady work of 2 ms does not make a clock of 2 ms.
TEST(QuantumMeter, IsNotFooledByConstantValues) {
  QuantumMeter meter;
  for (int i = 0; i < 1000; ++i) {
    meter.add(2'000'000);
    meter.add(0);
  }
  EXPECT_EQ(meter.ticks(), 0u);
}

// The largest values do not overflow anything, and reset() forgets.
TEST(QuantumMeter, TakesLargeValuesAndResets) {
  QuantumMeter meter;
  for (std::uint64_t i = 0; i < 100; ++i) meter.add(top - i * 3);  // 2^64 - 1 is a multiple of 3
  EXPECT_EQ(meter.ticks(), 3u);
  meter.reset();
  EXPECT_EQ(meter.ticks(), 0u);
}

// A clock given by the user is asked; without one the steady clock is.
TEST(CpuClock, IsTheUsersOrTheSteadyOne) {
  std::int64_t time = 42;
  const CpuClock mine{[](void* user) { return *static_cast<std::int64_t*>(user); }, &time};
  EXPECT_EQ(mine.now(), 42);
  time = 43;
  EXPECT_EQ(mine.now(), 43);

  const CpuClock steady;
  const std::int64_t before = steady.now();
  EXPECT_GE(steady.now(), before);
}

}  // namespace
}  // namespace passmeter
