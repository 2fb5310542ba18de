// Built in place of webgpu_side.cpp where there is no WebGPU.
#include "side.h"

namespace particles {
namespace {

class NoSide final : public Side {
 public:
  const std::string& why() const override { return why_; }
  std::string how() const override { return {}; }
  bool counts_alive() const override { return false; }
  bool draw(std::uint32_t, Counted&) override { return false; }
  std::uint32_t drawn() const override { return 0; }
  std::uint64_t overflowed_frames() const override { return 0; }
  void drain() override {}
  passmeter::Report report() override { return {}; }
  std::vector<std::uint8_t> picture() override { return {}; }
  int errors() override { return 0; }

 private:
  std::string why_ = "WebGPU: this build is without it";
};

}  // namespace

std::unique_ptr<Side> make_webgpu_side(const SideOptions&) { return std::make_unique<NoSide>(); }

}  // namespace particles
