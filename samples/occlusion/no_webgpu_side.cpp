// Built in place of webgpu_side.cpp where there is no WebGPU.
#include "side.h"

namespace city {
namespace {

class NoSide final : public Side {
 public:
  explicit NoSide() : visibility_({}) {}
  const std::string& why() const override { return why_; }
  void draw(int, bool, int, Drawn&) override {}
  void drain() override {}
  void reset_statistics() override {}
  passmeter::Report report(bool) override { return {}; }
  const passmeter::Visibility& visibility() const override { return visibility_; }
  std::vector<std::uint8_t> picture(int) override { return {}; }
  std::vector<std::uint8_t> numbers() override { return {}; }
  int errors() override { return 0; }

 private:
  std::string why_ = "WebGPU: this build is without it";
  passmeter::Visibility visibility_;
};

}  // namespace

std::unique_ptr<Side> make_webgpu_side(const City&, const SideOptions&) { return std::make_unique<NoSide>(); }

}  // namespace city
