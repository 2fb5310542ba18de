// Particles of which some die, counted by the GPU, the count read late and never waited for, with OpenGL and
// with WebGPU; every count that comes back is compared with a replay of the same rule on the CPU.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "passmeter/writers.h"
#include "png_writer.h"
#include "replay.h"
#include "side.h"

namespace {

struct Arguments {
  particles::SideOptions side;
  std::uint32_t frames = 200;
  std::string backend = "both";
  std::string json;
  std::string images;
};

struct Outcome {
  std::string how;
  std::uint32_t counts = 0;      // that came back
  std::uint32_t mismatches = 0;  // with the replay
  std::uint64_t latency = 0;     // frames, the longest
  std::uint64_t last_alive = 0;
  std::uint64_t overflowed = 0;         // frames, as the helper reports
  std::uint32_t overflow_expected = 0;  // of the frames that came back, by the replay
  std::uint32_t too_few_drawn = 0;      // frames in which fewer were drawn than were alive
  int errors = 0;
  passmeter::Report report;

  bool good() const {
    return counts > 0 && mismatches == 0 && too_few_drawn == 0 && errors == 0 &&
           (overflowed > 0) == (overflow_expected > 0);
  }
};

void check(const particles::Counted& counted, const particles::Replay& replay, Outcome& outcome) {
  ++outcome.counts;
  outcome.latency = std::max(outcome.latency, counted.latency);
  outcome.last_alive = counted.alive;
  const particles::Replay::Count* expected = replay.of(counted.frame);
  const bool same = expected != nullptr && counted.alive == expected->alive &&
                    (!counted.generated_known || counted.generated == expected->generated);
  outcome.mismatches += same ? 0U : 1U;
  if (expected != nullptr) outcome.overflow_expected += expected->generated > expected->alive ? 1U : 0U;
}

std::unique_ptr<particles::Replay> make_replay(const particles::Options& rule, bool counts_alive) {
  // Without compaction by the GPU the count is of all that was drawn.
  if (counts_alive) return std::make_unique<particles::AliveReplay>(rule);
  return std::make_unique<particles::DrawnReplay>(rule);
}

Outcome run(particles::Side& side, const Arguments& arguments) {
  particles::Frames& frames = side.frames();
  Outcome outcome;
  outcome.how = frames.how();
  const auto replay = make_replay(arguments.side.rule, frames.counts_alive());
  for (std::uint32_t frame = 0; frame < arguments.frames; ++frame) {
    const std::uint32_t expected = replay->advance().alive;
    particles::Counted counted;
    if (side.draw(frame, counted)) check(counted, *replay, outcome);
    const std::uint32_t drawn = frames.drawn();
    if (drawn != 0 && drawn < expected) ++outcome.too_few_drawn;
  }
  side.drain();
  outcome.overflowed = frames.overflowed_frames();
  outcome.report = frames.report();
  outcome.errors = side.errors();
  return outcome;
}

void print(const Outcome& outcome) {
  std::printf("\n%s: %s\n  %s\n", outcome.report.backend.c_str(), outcome.report.adapter.c_str(),
              outcome.how.c_str());
  std::printf("  %u counts came back, up to %llu frames late; %u differ from the replay; the last is %llu\n",
              outcome.counts, static_cast<unsigned long long>(outcome.latency), outcome.mismatches,
              static_cast<unsigned long long>(outcome.last_alive));
  if (outcome.overflowed > 0) {
    std::printf("  no room for all particles in %llu frames\n",
                static_cast<unsigned long long>(outcome.overflowed));
  }
  if (outcome.too_few_drawn > 0) std::printf("  too few drawn in %u frames\n", outcome.too_few_drawn);
  if (outcome.errors > 0) std::printf("  %d driver errors\n", outcome.errors);
  std::printf("%s", passmeter::to_text(outcome.report).c_str());
}

std::string to_json(const Outcome& outcome) {
  return "{\"backend\":\"" + outcome.report.backend + "\",\"counts\":" + std::to_string(outcome.counts) +
         ",\"mismatches\":" + std::to_string(outcome.mismatches) +
         ",\"latency_frames\":" + std::to_string(outcome.latency) +
         ",\"last\":" + std::to_string(outcome.last_alive) +
         ",\"overflowed_frames\":" + std::to_string(outcome.overflowed) +
         ",\"too_few_drawn_frames\":" + std::to_string(outcome.too_few_drawn) +
         ",\"driver_errors\":" + std::to_string(outcome.errors) +
         ",\"report\":" + passmeter::to_json(outcome.report) + "}";
}

bool save_picture(particles::Side& side, const Arguments& arguments, const std::string& backend) {
  std::error_code error;
  std::filesystem::create_directories(arguments.images, error);
  const std::filesystem::path path =
      std::filesystem::path(arguments.images) / ("particles_" + backend + ".png");
  std::string why;
  if (scene::write_png(path.string(), arguments.side.size, arguments.side.size, side.picture(), why))
    return true;
  std::cerr << path.string() << ": " << why << '\n';
  return false;
}

int run_all(const Arguments& arguments) {
  bool good = true;
  std::string json;
  for (const std::string name : {"gl", "webgpu"}) {
    if (arguments.backend != "both" && arguments.backend != name) continue;
    const std::unique_ptr<particles::Side> side =
        name == "gl" ? particles::make_gl_side(arguments.side) : particles::make_webgpu_side(arguments.side);
    if (!side->why().empty()) {
      std::cerr << side->why() << '\n';
      return 1;
    }
    const Outcome outcome = run(*side, arguments);
    print(outcome);
    if (!arguments.images.empty()) good &= save_picture(*side, arguments, name);
    good &= outcome.good();
    json += (json.empty() ? "" : ",\n") + to_json(outcome);
  }
  if (!arguments.json.empty()) {
    std::ofstream file(arguments.json);
    file << "{\"schema\":\"passmeter.particles/1\",\"capacity\":" << arguments.side.rule.capacity
         << ",\"sides\":[" << json << "]}\n";
    file.close();
    if (!file) std::cerr << arguments.json << ": could not be written\n";
    good &= static_cast<bool>(file);
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app(
      "Particles of which some die, drawn with their late count. Fails if a count differs from its replay.");
  app.add_option("--frames", arguments.frames, "frames")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--emit", arguments.side.rule.emit, "new particles a frame")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--capacity", arguments.side.rule.capacity, "room for particles")
      ->check(CLI::Range(1, 16777216))
      ->capture_default_str();
  app.add_option("--size", arguments.side.size, "width and height in pixels")
      ->check(CLI::Range(16, 4096))
      ->capture_default_str();
  app.add_flag("--gles", arguments.side.gles, "OpenGL ES instead of OpenGL");
  app.add_flag("--by-age", arguments.side.by_age,
               "without a geometry shader, as in WebGL2 and OpenGL ES 3.0");
  app.add_option("--backend", arguments.backend, "gl, webgpu or both")
      ->check(CLI::IsMember({"gl", "webgpu", "both"}))
      ->capture_default_str();
  app.add_option("--json", arguments.json, "write the result to this file");
  app.add_option("--images", arguments.images, "write pictures into this folder");
  CLI11_PARSE(app, argc, argv);
  arguments.side.rule.emit = std::min(arguments.side.rule.emit, arguments.side.rule.capacity);
  return run_all(arguments);
}
