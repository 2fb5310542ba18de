// A city of boxes behind walls, drawn with and without occlusion culling, with OpenGL and with WebGPU.
//
// Three parts for each backend. The walk: the camera moves, then rests, with culling on; nothing is read back
// meanwhile, so that answers come as late as they do. The same walk with culling off, the truth: pixels that
// differ, and objects that were in view but not drawn. The timing: at the resting place, culling on and off
// in alternating blocks of frames.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "passmeter/comparison.h"
#include "passmeter/writers.h"
#include "png_writer.h"
#include "side.h"

namespace {

struct Arguments {
  city::Options city;
  int size = 256;
  int frames = 60;
  int rest = 30;
  std::uint32_t max_queries = 0;
  std::string backend = "both";
  std::string json;
  std::string images;
};

constexpr int block = 10;

struct Outcome {
  std::string backend;
  std::uint32_t objects = 0;
  std::uint32_t in_view = 0;                 // at rest: what is drawn without culling
  std::uint32_t drawn = 0;                   // at rest, with culling
  std::vector<std::uint32_t> wrong_pixels;   // of each frame of the walk
  std::uint32_t different_at_rest = 0;       // pixels of the last frame
  std::uint32_t longest_missing = 0;         // frames in a row in which an object in view was not drawn
  std::uint32_t latency = 0;                 // frames, the longest of the walk
  std::uint32_t bound = 0;                   // what longest_missing may be with that latency ...
  bool bound_holds = true;                   // ... as long as no test was skipped for want of a query
  double frame_off_ms = 0, frame_on_ms = 0;  // medians over blocks
  passmeter::Report off, on;
  int errors = 0;

  double fewer() const { return in_view == 0 ? 0.0 : 1.0 - static_cast<double>(drawn) / in_view; }
  std::uint32_t worst() const {
    return wrong_pixels.empty() ? 0 : *std::max_element(wrong_pixels.begin(), wrong_pixels.end());
  }
  double mean() const {
    double sum = 0;
    for (const std::uint32_t pixels : wrong_pixels) sum += pixels;
    return wrong_pixels.empty() ? 0.0 : sum / static_cast<double>(wrong_pixels.size());
  }
  bool good() const {
    return fewer() >= 0.6 && different_at_rest == 0 && (longest_missing <= bound || !bound_holds) &&
           errors == 0;
  }
};

std::uint32_t different_pixels(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i + 3 < a.size(); i += 4) count += std::equal(&a[i], &a[i] + 4, &b[i]) ? 0U : 1U;
  return count;
}

std::vector<std::uint8_t> objects_seen(const std::vector<std::uint8_t>& numbers, std::size_t objects) {
  std::vector<std::uint8_t> seen(objects, 0);
  for (std::size_t i = 0; i + 3 < numbers.size(); i += 4) {
    const std::size_t id = numbers[i] + std::size_t{256} * numbers[i + 1];
    if (numbers[i + 3] != 0 && id < objects) seen[id] = 1;
  }
  return seen;
}

std::vector<city::Drawn> walk(city::Side& side, int frames) {
  std::vector<city::Drawn> drawn(static_cast<std::size_t>(frames));
  for (int frame = 0; frame < frames; ++frame)
    side.draw(frame, true, frame, drawn[static_cast<std::size_t>(frame)]);
  side.drain();
  return drawn;
}

// Draws the walk again without culling and compares.
void compare_with_truth(city::Side& side, const std::vector<city::Drawn>& culled, const Arguments& arguments,
                        Outcome& outcome) {
  const int spare = static_cast<int>(culled.size());
  std::vector<std::uint32_t> missing(outcome.objects, 0);
  for (int frame = 0; frame < spare; ++frame) {
    const city::Drawn& with = culled[static_cast<std::size_t>(frame)];
    city::Drawn without;
    side.draw(frame, false, spare, without);
    const std::uint32_t wrong = different_pixels(side.picture(frame), side.picture(spare));
    const std::vector<std::uint8_t> seen = objects_seen(side.numbers(), outcome.objects);
    for (std::size_t id = 0; id < seen.size(); ++id) {
      missing[id] = seen[id] != 0 && with.objects[id] == 0 ? missing[id] + 1 : 0;
      outcome.longest_missing = std::max(outcome.longest_missing, missing[id]);
    }
    if (frame <= arguments.city.walk) outcome.wrong_pixels.push_back(wrong);
    outcome.different_at_rest = wrong;
    outcome.in_view = without.count;
    outcome.drawn = with.count;
  }
}

// The frame's time is taken over whole blocks, until the GPU is idle: within a block the CPU runs ahead at
// times.
double time_block(city::Side& side, int frame, bool culling) {
  const auto begin = std::chrono::steady_clock::now();
  city::Drawn drawn;
  for (int i = 0; i < block; ++i) side.draw(frame, culling, 0, drawn);
  side.drain();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count() / block;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void time_both(city::Side& side, const Arguments& arguments, Outcome& outcome) {
  const int at_rest = arguments.city.walk + arguments.rest;
  for (const bool culling : {false, true}) time_block(side, at_rest, culling);  // warms up
  side.reset_statistics();
  std::vector<double> off, on;
  for (int done = 0; done < arguments.frames; done += block) {
    off.push_back(time_block(side, at_rest, false));
    on.push_back(time_block(side, at_rest, true));
  }
  outcome.frame_off_ms = median(off);
  outcome.frame_on_ms = median(on);
}

bool save_pictures(city::Side& side, const Arguments& arguments, const std::string& backend, int frames) {
  std::error_code error;
  std::filesystem::create_directories(arguments.images, error);
  const auto save = [&](const std::string& name, int picture) {
    const std::filesystem::path path =
        std::filesystem::path(arguments.images) / (backend + "_" + name + ".png");
    std::string why;
    if (scene::write_png(path.string(), arguments.size, arguments.size, side.picture(picture), why))
      return true;
    std::cerr << path.string() << ": " << why << '\n';
    return false;
  };
  bool all = save("culling_on", frames - 1);  // each is tried, whatever became of the others
  all = save("culling_off", frames) && all;
  return save("walking", arguments.city.walk / 2) && all;
}

Outcome run(city::Side& side, const city::City& city, const Arguments& arguments, bool& saved) {
  const int frames = arguments.city.walk + arguments.rest;
  Outcome outcome;
  outcome.objects = static_cast<std::uint32_t>(city.objects().size());
  const std::vector<city::Drawn> culled = walk(side, frames);
  const passmeter::Visibility& visibility = side.frames().visibility();
  const double latency = visibility.latency().max();
  outcome.latency = std::isfinite(latency) ? static_cast<std::uint32_t>(latency) : 0;
  outcome.bound = std::max(visibility.config().retest_hidden_every, outcome.latency) - 1 + outcome.latency;
  outcome.bound_holds = visibility.latency().verdicts()[passmeter::Verdict::no_free_slot] == 0;
  compare_with_truth(side, culled, arguments, outcome);
  if (!arguments.images.empty())
    saved &= save_pictures(side, arguments, side.frames().report(false).backend, frames);
  time_both(side, arguments, outcome);
  outcome.off = side.frames().report(false);
  outcome.on = side.frames().report(true);
  outcome.backend = outcome.on.backend;
  outcome.errors = side.errors();
  return outcome;
}

double pass_ms(const passmeter::Report& report, const char* name) {
  const passmeter::SeriesReport* row = report.find(name);
  return row == nullptr ? passmeter::unknown : row->p50 * 1e-6;
}

void print_time(const char* name, double off, double on) {
  const auto text = [](double value) {
    return std::isfinite(value) ? std::to_string(value) : std::string("-");
  };
  std::printf("  %-12s %12s %12s", name, text(off).c_str(), text(on).c_str());
  if (std::isfinite(off) && std::isfinite(on)) std::printf("  %5.1f %% saved", 100.0 * (1.0 - on / off));
  std::printf("\n");
}

void print(const Outcome& outcome) {
  std::printf("\n%s: %s\n", outcome.backend.c_str(), outcome.on.adapter.c_str());
  std::printf("  objects: %u, in view at rest %u, drawn %u: %.1f %% fewer\n", outcome.objects,
              outcome.in_view, outcome.drawn, 100.0 * outcome.fewer());
  std::printf("  pixels that differ at rest: %u; while walking %.1f a frame, at worst %u\n",
              outcome.different_at_rest, outcome.mean(), outcome.worst());
  std::printf(
      "  an object in view was missing for at most %u frames; answers took up to %u frames, so %u are "
      "allowed%s\n",
      outcome.longest_missing, outcome.latency, outcome.bound,
      outcome.bound_holds ? "" : ", and more where queries were too few");
  std::printf("  medians in ms   culling off   culling on\n");
  for (const char* name : {"gbuffer", "bounds", "lighting"}) {
    print_time(name, pass_ms(outcome.off, name), pass_ms(outcome.on, name));
  }
  print_time("GPU busy", outcome.off.frame.busy_p50 * 1e-6, outcome.on.frame.busy_p50 * 1e-6);
  print_time("frame", outcome.frame_off_ms, outcome.frame_on_ms);
  for (const char* name :
       {"occlusion tested", "occlusion hidden", "occlusion skipped", "occlusion latency"}) {
    const passmeter::SeriesReport* row = outcome.on.find(name);
    if (row != nullptr) std::printf("  %-18s mean %9.2f, last %9.0f\n", name, row->mean, row->last);
  }
  if (outcome.errors > 0) std::printf("  %d driver errors\n", outcome.errors);
}

std::string to_json(const Outcome& outcome) {
  std::string wrong;
  for (const std::uint32_t pixels : outcome.wrong_pixels)
    wrong += (wrong.empty() ? "" : ",") + std::to_string(pixels);
  return "{\"backend\":\"" + outcome.backend + "\",\"objects\":" + std::to_string(outcome.objects) +
         ",\"in_view\":" + std::to_string(outcome.in_view) + ",\"drawn\":" + std::to_string(outcome.drawn) +
         ",\"fewer\":" + std::to_string(outcome.fewer()) +
         ",\"different_at_rest\":" + std::to_string(outcome.different_at_rest) + ",\"wrong_pixels\":[" +
         wrong + "],\"longest_missing_frames\":" + std::to_string(outcome.longest_missing) +
         ",\"latency_frames\":" + std::to_string(outcome.latency) +
         ",\"allowed_missing_frames\":" + std::to_string(outcome.bound) +
         ",\"frame_off_ms\":" + std::to_string(outcome.frame_off_ms) +
         ",\"frame_on_ms\":" + std::to_string(outcome.frame_on_ms) +
         ",\"driver_errors\":" + std::to_string(outcome.errors) +
         ",\"off\":" + passmeter::to_json(outcome.off) + ",\"on\":" + passmeter::to_json(outcome.on) + "}";
}

int run_all(const Arguments& arguments) {
  const city::City city(arguments.city);
  const city::FrameOptions options{.size = arguments.size,
                                   .pictures = arguments.city.walk + arguments.rest + 1,
                                   .max_queries = arguments.max_queries};
  bool good = true;
  std::string json;
  for (const char* name : {"gl", "webgpu"}) {
    if (arguments.backend != "both" && arguments.backend != name) continue;
    const std::unique_ptr<city::Side> side =
        name[0] == 'g' ? city::make_gl_side(city, options) : city::make_webgpu_side(city, options);
    if (!side->why().empty()) {
      std::cerr << side->why() << '\n';
      return 1;
    }
    const Outcome outcome = run(*side, city, arguments, good);
    print(outcome);
    good &= outcome.good();
    json += (json.empty() ? "" : ",\n") + to_json(outcome);
  }
  if (!arguments.json.empty()) {
    std::ofstream file(arguments.json);
    file << "{\"schema\":\"passmeter.occlusion/1\",\"size\":" << arguments.size << ",\"sides\":[" << json
         << "]}\n";
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
      "A city drawn with and without occlusion culling. Fails if less than 60 % of the objects are saved, if "
      "the picture differs at rest, or if an object in view is missing for longer than answers explain.");
  app.add_option("--frames", arguments.frames, "timed frames of each kind")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--walk", arguments.city.walk, "frames the camera walks")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--rest", arguments.rest, "frames it rests before the pictures are compared")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--size", arguments.size, "width and height in pixels")
      ->check(CLI::Range(16, 4096))
      ->capture_default_str();
  app.add_option("--objects", arguments.city.objects, "boxes, about")
      ->check(CLI::Range(16, 60000))
      ->capture_default_str();
  app.add_option("--detail", arguments.city.detail, "quads along an edge of a box")
      ->check(CLI::Range(1, 128))
      ->capture_default_str();
  app.add_option("--queries", arguments.max_queries, "cap of the queries, 0 = the helper's default")
      ->capture_default_str();
  app.add_option("--backend", arguments.backend, "gl, webgpu or both")
      ->check(CLI::IsMember({"gl", "webgpu", "both"}))
      ->capture_default_str();
  app.add_option("--json", arguments.json, "write the result to this file");
  app.add_option("--images", arguments.images, "write pictures into this folder");
  CLI11_PARSE(app, argc, argv);
  return run_all(arguments);
}
