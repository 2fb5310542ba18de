// The single samples between two looks of the page, for its strip charts.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "passmeter/frame_sample.h"

namespace web {

class History {
 public:
  passmeter::FrameCallback callback() { return {&History::add, this}; }

  /// Appends them, oldest first, as a JSON array of arrays, one number or null a pass in the timer's order,
  /// in milliseconds, and forgets them.
  void take_json(std::string& out);
  void clear() { frames_.clear(); }

 private:
  static constexpr std::size_t most_frames = 256;  // of a page that is not looked at
  static constexpr std::size_t passes = 24;
  using Frame = std::array<double, passes>;  // NaN: no accepted sample

  static void add(void* self, const passmeter::FrameSample& sample);

  std::vector<Frame> frames_;
};

}  // namespace web
