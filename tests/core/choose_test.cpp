// choose(): which timer a program that could draw with either API should make, and the sentence that says
// why.
#include "passmeter/choose.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace passmeter {
namespace {

constexpr AvailableGl gl_timestamps = {
    .context = true, .timer_queries = true, .timestamp_bits = 64, .elapsed_bits = 64, .fences = true};
constexpr AvailableGl gl_elapsed = {
    .context = true, .timer_queries = true, .timestamp_bits = 0, .elapsed_bits = 64, .fences = true};
constexpr AvailableGl gl_fences = {
    .context = true, .timer_queries = false, .timestamp_bits = 0, .elapsed_bits = 0, .fences = true};
constexpr AvailableGl gl_nothing = {
    .context = true, .timer_queries = false, .timestamp_bits = 0, .elapsed_bits = 0, .fences = false};
constexpr AvailableWebGpu gpu_timed = {
    .adapter = true, .adapter_timestamps = true, .device = true, .device_timestamps = true};
constexpr AvailableWebGpu gpu_adapter_only = {
    .adapter = true, .adapter_timestamps = true, .device = false, .device_timestamps = false};
constexpr AvailableWebGpu gpu_forgotten = {
    .adapter = true, .adapter_timestamps = true, .device = true, .device_timestamps = false};
constexpr AvailableWebGpu gpu_plain = {
    .adapter = true, .adapter_timestamps = false, .device = true, .device_timestamps = false};

struct Expectation {
  const char* what;
  Available available;
  Wanted wanted;
  Api api;
  Source source;
};

// The most trusted source wins; of equal ones WebGPU's, but OpenGL's fences. What is wanted and missing is
// none.
TEST(Choose, TakesTheMostTrustedSourceOrWhatIsWanted) {
  const std::vector<Expectation> table = {
      {"nothing at all", {}, {}, Api::none, Source::none},
      {"both with timestamps", {gl_timestamps, gpu_timed}, {}, Api::webgpu, Source::timestamp},
      {"GL timestamps over WebGPU callbacks", {gl_timestamps, gpu_plain}, {}, Api::gl, Source::timestamp},
      {"WebGPU timestamps over elapsed time", {gl_elapsed, gpu_timed}, {}, Api::webgpu, Source::timestamp},
      {"elapsed time over WebGPU callbacks", {gl_elapsed, gpu_plain}, {}, Api::gl, Source::time_elapsed},
      {"fences of both", {gl_fences, gpu_plain}, {}, Api::gl, Source::fence},
      {"WebGPU callbacks alone", {gl_nothing, gpu_plain}, {}, Api::webgpu, Source::fence},
      {"WebGL1 without anything", {gl_nothing, {}}, {}, Api::none, Source::none},
      {"GL wanted", {gl_elapsed, gpu_timed}, {.api = Api::gl}, Api::gl, Source::time_elapsed},
      {"WebGPU wanted", {gl_timestamps, gpu_plain}, {.api = Api::webgpu}, Api::webgpu, Source::fence},
      {"elapsed wanted where timestamps are",
       {gl_timestamps, gpu_timed},
       {.any_source = false, .source = Source::time_elapsed},
       Api::gl,
       Source::time_elapsed},
      {"timestamps wanted where the counter has 0 bits",
       {gl_elapsed, {}},
       {.any_source = false, .source = Source::timestamp},
       Api::none,
       Source::none},
      {"fences wanted",
       {gl_timestamps, gpu_timed},
       {.any_source = false, .source = Source::fence},
       Api::gl,
       Source::fence},
      {"elapsed time wanted of WebGPU",
       {gl_elapsed, gpu_timed},
       {.api = Api::webgpu, .any_source = false, .source = Source::time_elapsed},
       Api::none,
       Source::none},
      {"CPU times wanted",
       {gl_timestamps, gpu_timed},
       {.any_source = false, .source = Source::cpu},
       Api::none,
       Source::none},
      {"no timing wanted",
       {gl_timestamps, gpu_timed},
       {.any_source = false, .source = Source::none},
       Api::none,
       Source::none},
  };
  for (const Expectation& row : table) {
    const Choice choice = choose(row.available, row.wanted);
    EXPECT_EQ(choice.api, row.api) << row.what;
    EXPECT_EQ(choice.source, row.source) << row.what;
    EXPECT_FALSE(std::string(choice.reason).empty()) << row.what;
    EXPECT_FALSE(choice.needs_timestamp_feature) << row.what;
  }
}

// Before the device exists the adapter's feature decides, and the caller is told to require it.
TEST(Choose, AsksForTheFeatureWhileThereIsNoDevice) {
  const Choice choice = choose({gl_elapsed, gpu_adapter_only});
  EXPECT_EQ(choice.api, Api::webgpu);
  EXPECT_EQ(choice.source, Source::timestamp);
  EXPECT_TRUE(choice.needs_timestamp_feature);
}

// A device made without the feature its adapter has is told apart from an adapter that lacks it.
TEST(Choose, SaysWhenTheDeviceWasMadeWithoutTheFeature) {
  const Wanted timestamps = {.api = Api::webgpu, .any_source = false, .source = Source::timestamp};
  EXPECT_NE(std::string(choose({.webgpu = gpu_forgotten}, timestamps).reason).find("created without"),
            std::string::npos);
  EXPECT_NE(
      std::string(choose({.webgpu = gpu_plain}, timestamps).reason).find("adapter has no timestamp-query"),
      std::string::npos);
  EXPECT_NE(std::string(choose({.webgpu = gpu_forgotten}).reason).find("created without"), std::string::npos);
}

}  // namespace
}  // namespace passmeter
