// The least that timing passes with OpenGL queries costs: the calls themselves, written out by hand. Results
// are read as late as passmeter reads them, from a ring of as many frames, and no statistics are kept.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "glad/gl.h"
#include "interleaved.h"

namespace passmeter::bench {

class BareGl {
 public:
  enum class Marks : std::uint8_t { timestamp_pairs, time_elapsed };

  BareGl(const GladGLContext& gl, Marks marks);
  ~BareGl();
  BareGl(const BareGl&) = delete;
  BareGl& operator=(const BareGl&) = delete;

  // Marks every pass, flushes, reads what is ready of the oldest frames.
  void frame();

  std::uint64_t frames() const { return frames_; }
  std::uint64_t frames_read() const { return frames_read_; }

 private:
  static constexpr std::uint32_t depth = 8;  // as TimerConfig::frames_in_flight for GL

  GLuint* queries_of(std::uint64_t frame) { return &queries_[(frame % depth) * queries_per_frame_]; }
  void mark_all(GLuint* queries);
  bool read(GLuint* queries);

  const GladGLContext& gl_;
  Marks marks_;
  std::uint32_t queries_per_frame_;
  std::vector<GLuint> queries_;
  std::array<double, passes_per_frame> last_ns_{};
  std::uint64_t frames_ = 0;
  std::uint64_t frames_read_ = 0;
};

}  // namespace passmeter::bench
