// Draws a city with OpenGL 3.3 core, OpenGL ES 3.0 or WebGL2. Knows no timer and no queries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "city.h"

namespace city {

// The context must be current in every call including the destructor.
class CityGl {
 public:
  using Proc = void (*)();
  using ProcLoader = Proc (*)(const char* name);

  // `pictures`: how many finished pictures are kept beside each other.
  CityGl(const City& city, ProcLoader loader, bool is_gles, int size, int pictures);
  ~CityGl();
  CityGl(const CityGl&) = delete;
  CityGl& operator=(const CityGl&) = delete;

  const std::string& why() const;  // empty when it can draw

  void begin_gbuffer(const Camera& camera);
  void draw(std::uint32_t id);
  // After the gbuffer, with its depth; the caller has switched off colour and depth writes.
  void begin_bounds();
  void draw_bounds(std::uint32_t id);
  // Lights what the gbuffer has into that picture.
  void light(int picture);

  // RGBA8, top row first. Waits. The second one reads which object is seen where, of the last gbuffer: its
  // number's low byte in red, its high byte in green, 0 and 0 with alpha 0 where there is none.
  std::vector<std::uint8_t> read_picture(int picture);
  std::vector<std::uint8_t> read_numbers();

  // Copies a picture to a framebuffer (0: the window or canvas), stretched.
  void present(int picture, unsigned framebuffer, int width, int height);
  int take_error_count();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace city
