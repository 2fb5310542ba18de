// The WebGPU timer on Dawn. Any validation error fails the test (see Dawn::TearDown).
#include <gtest/gtest.h>

#include "dawn_device.h"
#include "passmeter/webgpu/webgpu_timer.h"
#include "passmeter/writers.h"

namespace passmeter::webgpu {
namespace {

using testing::DawnDevice;
using testing::DawnSetup;

class Dawn : public ::testing::Test {
 protected:
  void open(const DawnSetup& setup = {}) {
    gpu = std::make_unique<DawnDevice>(setup);
    if (!gpu->ok()) GTEST_SKIP() << gpu->why();
  }
  void TearDown() override {
    if (gpu == nullptr || !gpu->ok()) return;
    for (const std::string& error : gpu->errors()) ADD_FAILURE() << error;
  }
  std::unique_ptr<DawnDevice> gpu;
};

TEST_F(Dawn, TimesARenderAndAComputePass) {
  // Both kinds of pass are timed, by real timestamps, with no help but end_frame().
  open();
  if (IsSkipped()) return;
  WebGpuTimer timer({.passes = {"render", "compute"}}, gpu->device());
  ASSERT_EQ(timer.source(), Source::timestamp) << timer.reason();
  for (int frame = 0; frame < 50; ++frame) {
    timer.begin_frame();
    WGPUCommandEncoder encoder = gpu->encoder();
    {
      auto scope = timer.scope(PassId{0});
      gpu->render_pass(encoder, timer.writes(scope));
    }
    {
      auto scope = timer.scope(PassId{1});
      gpu->compute_pass(encoder, timer.compute_writes(scope), 64);
    }
    gpu->submit(encoder);
    timer.end_frame();
    gpu->finish();
  }
  const Report report = timer.report();
  std::puts(to_text(report).c_str());
  EXPECT_GT(report.find("render")->verdicts.accepted(), 40u);
  EXPECT_GT(report.find("compute")->verdicts.accepted(), 40u);
  EXPECT_GT(report.find("compute")->ema, 0);
}

}  // namespace
}  // namespace passmeter::webgpu
