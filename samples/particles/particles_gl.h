// Particles by transform feedback, with OpenGL 3.3 core, OpenGL ES 3.0 and later, or WebGL2. Knows no
// queries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rule.h"

namespace particles {

// How the dead leave the buffer.
enum class Compaction {
  // A geometry shader does not emit them: OpenGL 3.3, ES 3.2. How many are left only the GPU knows.
  geometry_shader,
  // A vertex shader cannot drop a primitive, so elsewhere the dead stay, marked, until all that were born
  // with them
  // must be dead; the CPU knows how many there are. What is captured is what was drawn.
  by_age,
};

// The context must be current in every call including the destructor.
class ParticlesGl {
 public:
  using Proc = void (*)();
  using ProcLoader = Proc (*)(const char* name);

  // Where there is no geometry shader, by_age is used whatever was asked for.
  ParticlesGl(const Options& options, ProcLoader loader, bool is_gles, int size, Compaction wanted);
  ~ParticlesGl();
  ParticlesGl(const ParticlesGl&) = delete;
  ParticlesGl& operator=(const ParticlesGl&) = delete;

  const std::string& why() const;  // empty when it works
  Compaction compaction() const;

  // One frame of the rule. With geometry_shader `most` is how many the last frame may have left at most: so
  // many are looked at, and those that are not there are dead. With by_age it is ignored. Around the captured
  // draws `begin` and `end` are called, so that they can be counted.
  struct Hooks {
    void* user = nullptr;
    void (*begin)(void* user) = nullptr;
    void (*end)(void* user) = nullptr;
  };
  void step(std::uint32_t frame, std::uint32_t most, const Hooks& hooks);
  // With by_age: how many the last step has drawn, and how many new ones had no room.
  std::uint32_t kept() const;
  std::uint32_t dropped() const;

  // Draws what the last step wrote, of which there are at most `most`.
  void draw(std::uint32_t most);

  std::vector<std::uint8_t> read_picture();  // RGBA8, top row first; waits
  void present(unsigned framebuffer, int width, int height);
  int take_error_count();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace particles
