// passmeter_bench [--json FILE] [--pairs N] [--quick] [--benchmark_...]
//
// What the profiler itself costs on the CPU: one frame with 20 passes, against the bare driver calls that any
// timer of those passes would have to make. See interleaved.h for how.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "interleaved.h"
#ifdef PASSMETER_BENCH_GL
#include "gl_bench.h"
#endif
#ifdef PASSMETER_BENCH_WEBGPU
#include "webgpu_bench.h"
#endif

namespace {

using passmeter::bench::Row;
using passmeter::bench::rows;
using passmeter::bench::settings;

struct Options {
  std::string json;
  bool usable = true;
};

// Takes our options out of argv and leaves Google Benchmark's.
Options take_options(int& argc, char** argv) {
  Options options;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--quick") {
      settings().pairs = 8;
      settings().frames_per_block = 8;
    } else if (argument == "--json" && i + 1 < argc) {
      options.json = argv[++i];
    } else if (argument == "--pairs" && i + 1 < argc) {
      const int pairs = std::atoi(argv[++i]);
      options.usable = options.usable && pairs > 0;
      settings().pairs = static_cast<std::uint32_t>(pairs);
    } else if (argument.rfind("--benchmark_", 0) == 0) {
      argv[kept++] = argv[i];
    } else {
      options.usable = false;
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  return options;
}

void print_table() {
  std::printf(
      "CPU cost of one pass in a frame of %u, against the bare calls; %u frames a block, blocks "
      "alternating\n\n",
      passmeter::bench::passes_per_frame, settings().frames_per_block);
  std::printf("%-26s %12s %10s %7s  %-15s %5s  %s\n", "benchmark", "passmeter ns", "bare ns", "ratio",
              "quartiles", "pairs", "driver");
  for (const Row& row : rows()) {
    if (!row.skipped.empty()) {
      std::printf("%-26s skipped: %s\n", row.name.c_str(), row.skipped.c_str());
      continue;
    }
    std::printf("%-26s %12.1f %10.1f %7.3f  %.3f to %.3f  %5u  %s\n", row.name.c_str(), row.ours, row.bare,
                row.ratio, row.q1, row.q3, row.pairs, row.driver.c_str());
    if (!row.failed.empty()) std::printf("%-26s FAILED: %s\n", "", row.failed.c_str());
  }
}

bool write_json(const std::string& path) {
  nlohmann::ordered_json out = {{"schema", "passmeter.bench/1"},
                                {"passes", passmeter::bench::passes_per_frame},
                                {"frames_per_block", settings().frames_per_block}};
  auto& list = out["rows"] = nlohmann::ordered_json::array();
  for (const Row& row : rows()) {
    nlohmann::ordered_json entry = {{"name", row.name}};
    if (row.skipped.empty()) {
      entry.update({{"driver", row.driver},
                    {"passmeter_ns", row.ours},
                    {"bare_ns", row.bare},
                    {"ratio", row.ratio},
                    {"ratio_q1", row.q1},
                    {"ratio_q3", row.q3},
                    {"pairs", row.pairs}});
      if (!row.failed.empty()) entry["failed"] = row.failed;
    } else {
      entry["skipped"] = row.skipped;
    }
    list.push_back(entry);
  }
  std::ofstream file(path);
  file << out.dump(2) << '\n';
  return static_cast<bool>(file.flush());
}

}  // namespace

int main(int argc, char** argv) {
  // llvmpipe draws on the calling thread then: its workers' wake-ups are most of the noise. Others ignore it.
  setenv("LP_NUM_THREADS", "0", 0);
  const Options options = take_options(argc, argv);
  if (!options.usable) {
    std::fprintf(stderr, "usage: passmeter_bench [--json FILE] [--pairs N] [--quick] [--benchmark_...]\n");
    return 2;
  }
  benchmark::Initialize(&argc, argv);
#ifdef PASSMETER_BENCH_GL
  passmeter::bench::register_gl();
#endif
#ifdef PASSMETER_BENCH_WEBGPU
  passmeter::bench::register_webgpu();
#endif
  benchmark::ConsoleReporter progress(benchmark::ConsoleReporter::OO_Tabular);
  progress.SetOutputStream(&std::cerr);
  progress.SetErrorStream(&std::cerr);
  benchmark::RunSpecifiedBenchmarks(&progress);

  print_table();
  if (!options.json.empty() && !write_json(options.json)) {
    std::fprintf(stderr, "passmeter_bench: %s could not be written\n", options.json.c_str());
    return 1;
  }
  bool measured = false;
  for (const Row& row : rows()) {
    if (!row.failed.empty()) return 1;
    measured = measured || row.skipped.empty();
  }
  return measured ? 0 : 1;
}
