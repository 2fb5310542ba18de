// passmeter_read_bench [--json FILE] [--rounds N] [--quick] [--detail N] [--backend gl|webgpu|both]
//
// What reading back costs: the same frames (a city and 256 bounds), their 256 occlusion tests read late by
// the helper, read at once by waiting, and not made at all. Blocks of each kind alternate in one run, so that
// drift hits all alike; each block ends when the GPU is idle. The CPU has work of its own in each frame, as
// an application has, and runs at most two frames ahead, as with a swapchain.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "city.h"
#include "read_rig.h"

namespace {

using passmeter::bench::make_gl_rig;
using passmeter::bench::make_webgpu_rig;
using passmeter::bench::ReadKind;
using passmeter::bench::ReadRig;
using Clock = std::chrono::steady_clock;

constexpr std::array kinds = {ReadKind::none, ReadKind::late, ReadKind::blocking};
constexpr std::array kind_names = {"not read", "read late", "blocking"};
constexpr int frames_per_block = 10;

struct Options {
  std::string json;
  std::string backend = "both";
  int rounds = 9;
  int detail = 1;
  bool usable = true;
};

struct Quartiles {
  double q1 = 0, median = 0, q3 = 0;
};

struct Row {
  std::string backend, driver, skipped;
  std::array<Quartiles, kinds.size()> ms;     // a frame
  std::array<Quartiles, kinds.size()> ratio;  // to the block of frames not read, of the same round
  double answers = 0;                         // that the helpers delivered, a frame
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--quick") {
      options.rounds = 2;
    } else if (argument == "--json" && has_value) {
      options.json = argv[++i];
    } else if (argument == "--rounds" && has_value) {
      options.rounds = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--detail" && has_value) {
      options.detail = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--backend" && has_value) {
      options.backend = argv[++i];
    } else {
      options.usable = false;
    }
  }
  return options;
}

Quartiles quartiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&values](std::size_t part) { return values[(values.size() - 1) * part / 4]; };
  return {at(1), at(2), at(3)};
}

double block_ms(ReadRig& rig, ReadKind kind) {
  const auto begin = Clock::now();
  for (int i = 0; i < frames_per_block; ++i) rig.frame(kind);
  rig.drain();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count() / frames_per_block;
}

Row measure(ReadRig& rig, const std::string& backend, const Options& options) {
  Row row{backend, rig.driver(), rig.why(), {}, {}, 0};
  if (!row.skipped.empty()) return row;
  for (const ReadKind kind : kinds) block_ms(rig, kind);  // warm up
  std::array<std::vector<double>, kinds.size()> ms, ratios;
  for (int round = 0; round < options.rounds; ++round) {
    std::array<double, kinds.size()> now{};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const std::size_t kind = (i + static_cast<std::size_t>(round)) % kinds.size();
      now[kind] = block_ms(rig, kinds[kind]);
    }
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      ms[kind].push_back(now[kind]);
      ratios[kind].push_back(now[kind] / now[0]);
    }
    std::fprintf(stderr, "\r%s: round %d of %d", backend.c_str(), round + 1, options.rounds);
  }
  std::fprintf(stderr, "\n");
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    row.ms[kind] = quartiles(ms[kind]);
    row.ratio[kind] = quartiles(ratios[kind]);
  }
  row.answers = rig.answers_per_late_frame();
  return row;
}

void print(const Row& row) {
  if (!row.skipped.empty()) {
    std::printf("%-8s skipped: %s\n", row.backend.c_str(), row.skipped.c_str());
    return;
  }
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    std::printf("%-8s %-10s %9.3f %9.3f to %-9.3f %7.3f  %.3f to %.3f  %s\n", row.backend.c_str(),
                kind_names[kind], row.ms[kind].median, row.ms[kind].q1, row.ms[kind].q3,
                row.ratio[kind].median, row.ratio[kind].q1, row.ratio[kind].q3,
                kind == 0 ? row.driver.c_str() : "");
  }
  std::printf("%-8s the helper delivered %.0f answers a frame\n", row.backend.c_str(), row.answers);
  std::fflush(stdout);
}

std::string to_json(const Row& row) {
  const auto text = [](const Quartiles& q) {
    return "[" + std::to_string(q.q1) + "," + std::to_string(q.median) + "," + std::to_string(q.q3) + "]";
  };
  std::string out = "{\"backend\":\"" + row.backend + "\"";
  if (!row.skipped.empty()) return out + ",\"skipped\":true}";
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    out += std::string(",\"") + kind_names[kind] + "\":{\"ms_quartiles\":" + text(row.ms[kind]) +
           ",\"ratio_quartiles\":" + text(row.ratio[kind]) + "}";
  }
  return out + ",\"answers_a_frame\":" + std::to_string(row.answers) + "}";
}

}  // namespace

int main(int argc, char** argv) {
  // One thread of llvmpipe draws beside the application, as a GPU does. Other drivers ignore it.
  setenv("LP_NUM_THREADS", "1", 0);
  const Options options = parse(argc, argv);
  if (!options.usable) {
    std::fprintf(
        stderr,
        "usage: passmeter_read_bench [--json FILE] [--rounds N] [--quick] [--detail N] [--backend NAME]\n");
    return 2;
  }
  const city::City city({.objects = 400, .detail = options.detail});
  std::printf("Frames with 256 occlusion tests: %d frames a block, blocks alternating, %d rounds\n\n",
              frames_per_block, options.rounds);
  std::printf("%-8s %-10s %9s %-22s %7s  %-14s %s\n", "backend", "", "ms/frame", "quartiles", "ratio",
              "quartiles", "driver");
  std::string json;
  for (const std::string backend : {"gl", "webgpu"}) {
    if (options.backend != "both" && options.backend != backend) continue;
    const std::unique_ptr<ReadRig> rig = backend == "gl" ? make_gl_rig(city) : make_webgpu_rig(city);
    if (rig == nullptr) continue;
    const Row row = measure(*rig, backend, options);
    print(row);
    json += (json.empty() ? "" : ",") + to_json(row);
  }
  if (options.json.empty()) return 0;
  std::ofstream file(options.json);
  file << "{\"schema\":\"passmeter.read_bench/1\",\"rows\":[" << json << "]}\n";
  return file.flush() ? 0 : 1;
}
