// Stands in for webgpu_side.cpp in builds without the WebGPU backend.
#include "side.h"

namespace compare {
namespace {

class NoSide final : public Side {
 public:
  const std::string& why() const override { return why_; }
  void draw(int) override {}
  void draw_only(scene::Pass) override {}
  void drain() override {}
  void set_load(float) override {}
  void reset_statistics() override {}
  passmeter::Report report() override { return {}; }
  std::vector<std::uint8_t> picture() override { return {}; }
  passmeter::MedianResult measure_pass_median(unsigned, scene::Pass) override { return {}; }
  int errors() override { return 0; }

 private:
  std::string why_ = "WebGPU: this build has no WebGPU backend (PASSMETER_WEBGPU=OFF); use --backend gl.";
};

}  // namespace

std::unique_ptr<Side> make_webgpu_side(const SideOptions&) { return std::make_unique<NoSide>(); }

}  // namespace compare
