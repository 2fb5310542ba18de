// Built in place of webgpu_side.cpp where there is no WebGPU.
#include <cstdlib>

#include "side.h"

namespace particles {
namespace {

class NoSide final : public Side {
 public:
  const std::string& why() const override { return why_; }
  Frames& frames() override { std::abort(); }  // why() says not to ask
  bool draw(std::uint32_t, Counted&) override { return false; }
  void drain() override {}
  std::vector<std::uint8_t> picture() override { return {}; }
  int errors() override { return 0; }

 private:
  std::string why_ = "WebGPU: this build is without it";
};

}  // namespace

std::unique_ptr<Side> make_webgpu_side(const SideOptions&) { return std::make_unique<NoSide>(); }

}  // namespace particles
