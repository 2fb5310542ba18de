// Draws the same deferred frame with OpenGL and with WebGPU, times every pass of both, and prints one table.
//
// The two backends draw in alternating blocks of frames, each block drained before the other begins: drift
// (clocks, temperature, other load) hits both alike, and neither times the other's work.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "passmeter/comparison.h"
#include "passmeter/gpu_timer.h"
#include "passmeter/writers.h"
#include "png_writer.h"
#include "scene_data.h"
#include "side.h"

namespace {

struct Arguments {
  // Enough for a narrow band, and for a software renderer on two cores to be done within a minute.
  int frames = 60;
  int block = 10;
  int size = scene::default_size;
  float load = 1.0F;
  std::string backend = "both";
  std::string json;
  std::string images;
  unsigned truth = 0;
  int pause_ms = 0;
  bool still = false;
  std::string gl_clock = "automatic";
};

constexpr int truth_turns = 20;
constexpr int truth_turn_frames = 10;

using SidePtr = std::unique_ptr<compare::Side>;

bool usable(const SidePtr& side) {
  if (side == nullptr) return false;
  if (side->why().empty()) return true;
  std::cerr << side->why() << '\n';
  return false;
}

void draw_block(compare::Side& side, int first, int count, const Arguments& arguments) {
  for (int i = 0; i < count; ++i) {
    side.draw(arguments.still ? 0 : first + i);
    if (arguments.pause_ms > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(arguments.pause_ms));
    }
  }
  side.drain();
}

// The first frames compile shaders and let clocks rise; they are drawn and then forgotten.
void warm_up(const std::vector<compare::Side*>& sides, const Arguments& arguments) {
  for (compare::Side* side : sides) {
    draw_block(*side, 0, arguments.block, arguments);
    side->reset_statistics();
  }
}

void draw_all(const std::vector<compare::Side*>& sides, const Arguments& arguments) {
  for (int done = 0; done < arguments.frames; done += arguments.block) {
    const int count = std::min(arguments.block, arguments.frames - done);
    for (compare::Side* side : sides) draw_block(*side, done, count, arguments);
    std::cerr << "\rframe " << done + count << " of " << arguments.frames << std::flush;
  }
  std::cerr << '\n';
}

bool save_picture(compare::Side& side, const std::string& folder, const std::string& name, int size) {
  const std::filesystem::path path = std::filesystem::path(folder) / (name + ".png");
  std::string why;
  if (scene::write_png(path.string(), size, size, side.picture(), why)) return true;
  std::cerr << path.string() << ": " << why << '\n';
  return false;
}

double mean_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  if (a.size() != b.size() || a.empty()) return std::nan("");
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(static_cast<int>(a[i]) - static_cast<int>(b[i]));
  return sum / static_cast<double>(a.size());
}

bool save_pictures(compare::Side* gl, compare::Side* webgpu, const Arguments& arguments) {
  std::error_code error;
  std::filesystem::create_directories(arguments.images, error);
  if (error) {
    std::cerr << arguments.images << ": " << error.message() << '\n';
    return false;
  }
  bool ok = true;
  for (compare::Side* side : {gl, webgpu}) {
    if (side != nullptr) side->draw(0);
  }
  if (gl != nullptr) ok &= save_picture(*gl, arguments.images, "gl", arguments.size);
  if (webgpu != nullptr) ok &= save_picture(*webgpu, arguments.images, "webgpu", arguments.size);
  if (gl != nullptr && webgpu != nullptr) {
    std::cout << "pictures: mean difference " << mean_difference(gl->picture(), webgpu->picture())
              << " of 255 per channel\n";
  }
  return ok;
}

bool save_text(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << '\n';
  file.close();
  if (file) return true;
  std::cerr << path << ": could not be written\n";
  return false;
}

// Steady work, one pass at a time: the timer's EMA after 200 flowing frames against the same pass measured
// with a wait after every run. Both in turns, and the waited medians weighted in time as the EMA weights its
// frames: a machine whose clock drifts by more than the timer errs would otherwise be what is measured.
void print_truth_row(compare::Side& side, unsigned runs, scene::Pass pass) {
  const double turn_weight = 1 - std::pow(1 - passmeter::TimerConfig{}.ema_alpha, truth_turn_frames);
  const char* name = scene::pass_names[static_cast<std::size_t>(pass)];
  std::vector<double> medians;
  double waited = std::nan("");
  side.reset_statistics();
  for (int turn = 0; turn < truth_turns; ++turn) {
    for (int frame = 0; frame < truth_turn_frames; ++frame) side.draw_only(pass);
    side.drain();
    const passmeter::MedianResult truth = side.measure_pass_median(runs, pass);
    if (!truth.valid) continue;
    medians.push_back(truth.median_ns);
    waited = std::isnan(waited) ? truth.median_ns : waited + turn_weight * (truth.median_ns - waited);
  }
  const passmeter::Report report = side.report();
  const passmeter::SeriesReport* row = report.find(name);
  if (medians.empty() || row == nullptr) {
    std::printf("  %-10s %12s\n", name, "?");
    return;
  }
  const passmeter::MedianResult spread = passmeter::median_of(medians, report.source);
  std::printf("  %-10s %10.4f %10.4f %10.4f .. %8.4f %7.4f %7llu\n", name, row->ema * 1e-6, waited * 1e-6,
              spread.q1_ns * 1e-6, spread.q3_ns * 1e-6, row->ema / waited,
              static_cast<unsigned long long>(row->verdicts.accepted()));
}

void print_truth(compare::Side& side, unsigned runs) {
  std::printf(
      "\n%s: each pass alone, EMA of %d frames in flow against %d blocking runs, %d and %u in turns\n",
      side.report().backend.c_str(), truth_turns * truth_turn_frames, truth_turns * static_cast<int>(runs),
      truth_turn_frames, runs);
  std::printf("  %-10s %10s %10s %22s %7s %7s\n", "pass", "ema ms", "waited ms", "quartiles of waited",
              "ratio", "frames");
  for (int pass = 0; pass < scene::pass_count; ++pass) {
    print_truth_row(side, runs, static_cast<scene::Pass>(pass));
  }
}

int run(const Arguments& arguments) {
  const compare::SideOptions options{
      .size = arguments.size, .load = arguments.load, .gl_clock = arguments.gl_clock};
  SidePtr gl = arguments.backend != "webgpu" ? compare::make_gl_side(options) : nullptr;
  SidePtr webgpu = arguments.backend != "gl" ? compare::make_webgpu_side(options) : nullptr;
  if ((gl && !usable(gl)) || (webgpu && !usable(webgpu))) return 1;

  std::vector<compare::Side*> sides;
  for (compare::Side* side : {gl.get(), webgpu.get()}) {
    if (side != nullptr) sides.push_back(side);
  }
  warm_up(sides, arguments);
  draw_all(sides, arguments);

  std::string json;
  if (sides.size() == 2) {
    const passmeter::Comparison comparison = passmeter::compare(gl->report(), webgpu->report());
    std::cout << passmeter::to_text(comparison);
    json = passmeter::to_json(comparison);
  } else {
    std::cout << passmeter::to_text(sides[0]->report());
    json = passmeter::to_json(sides[0]->report());
  }
  if (arguments.truth > 0) {
    for (compare::Side* side : sides) print_truth(*side, arguments.truth);
  }
  bool ok = arguments.json.empty() || save_text(arguments.json, json);
  if (!arguments.images.empty()) ok &= save_pictures(gl.get(), webgpu.get(), arguments);
  for (compare::Side* side : sides) {
    if (const int errors = side->errors(); errors > 0) {
      std::cerr << side->report().backend << ": " << errors << " driver errors\n";
      ok = false;
    }
  }
  return ok ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("One deferred frame, drawn and timed with OpenGL and with WebGPU.");
  app.add_option("--frames", arguments.frames, "frames per backend")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--block", arguments.block, "frames drawn by one backend before the other's turn")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--size", arguments.size, "width and height in pixels")
      ->check(CLI::Range(16, 8192))
      ->capture_default_str();
  app.add_option("--load", arguments.load, "shading work, 1 = default")
      ->check(CLI::Range(0.0F, 100000.0F))
      ->capture_default_str();
  app.add_option("--backend", arguments.backend, "gl, webgpu or both")
      ->check(CLI::IsMember({"gl", "webgpu", "both"}))
      ->capture_default_str();
  app.add_option("--json", arguments.json, "write the comparison (or the one report) to this file");
  app.add_option("--images", arguments.images, "write the picture of each backend into this folder");
  app.add_option("--gl-clock", arguments.gl_clock, "force OpenGL's clock")
      ->check(CLI::IsMember({"automatic", "timestamp", "time_elapsed", "fence"}))
      ->capture_default_str();
  app.add_option("--pause", arguments.pause_ms, "sleep this many ms between frames, to let the GPU idle")
      ->check(CLI::Range(0, 1000));
  app.add_flag("--still", arguments.still, "draw the same frame every time: the same work for the GPU");
  app.add_option("--truth", arguments.truth,
                 "also time each pass alone, this many runs waited for after every 10 frames in flow")
      ->check(CLI::Range(0, 10000));
  CLI11_PARSE(app, argc, argv);
  return run(arguments);
}
