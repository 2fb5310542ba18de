// The tab "Particles": those of samples/particles on both canvases.
#pragma once

#include <memory>
#include <string>

#include "particle_side.h"
#include "tab.h"

namespace web {

class ParticlesTab final : public Tab {
 public:
  ParticlesTab();

  Side* side(std::size_t index) override { return sides_[index].get(); }
  /// Starts anew with room for so many particles.
  void set_room(std::uint32_t capacity);
  /// See passmeter_page_particles().
  std::string json();

 private:
  particles::Options rule_;
  std::unique_ptr<ParticleSide> sides_[sides];
};

}  // namespace web
