// One backend that draws the city and reads back in one of three ways. For read_bench.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "city.h"

namespace passmeter::bench {

enum class ReadKind : std::uint8_t { none, late, blocking };

inline constexpr std::uint32_t tests_per_frame = 256;
inline constexpr int picture_size = 768;

class ReadRig {
 public:
  virtual ~ReadRig() = default;
  virtual std::string why() const = 0;  // "" when it works
  virtual std::string driver() const = 0;
  virtual void frame(ReadKind kind) = 0;
  virtual void drain() = 0;
  virtual double answers_per_late_frame() const = 0;
};

// Null where the build is without the backend.
std::unique_ptr<ReadRig> make_gl_rig(const city::City& city);
std::unique_ptr<ReadRig> make_webgpu_rig(const city::City& city);

// What an application does beside drawing: about 6 ms on a desktop CPU, the same in every frame.
inline void work_on_the_cpu() {
  volatile float value = 1.0F;
  for (int i = 0; i < 3'000'000; ++i) value = value * 0.999F + 0.001F;
}

}  // namespace passmeter::bench
