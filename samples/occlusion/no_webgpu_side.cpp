// Built in place of webgpu_side.cpp where there is no WebGPU.
#include <cstdlib>

#include "side.h"

namespace city {
namespace {

class NoSide final : public Side {
 public:
  const std::string& why() const override { return why_; }
  Frames& frames() override { std::abort(); }  // why() says not to ask
  void draw(int, bool, int, Drawn&) override {}
  void wait_until_idle() override {}
  std::vector<std::uint8_t> picture(int) override { return {}; }
  std::vector<std::uint8_t> numbers() override { return {}; }
  int errors() override { return 0; }

 private:
  std::string why_ = "WebGPU: this build is without it";
};

}  // namespace

std::unique_ptr<Side> make_webgpu_side(const City&, const FrameOptions&) {
  return std::make_unique<NoSide>();
}

}  // namespace city
