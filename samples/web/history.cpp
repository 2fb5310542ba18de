#include "history.h"

#include <cmath>
#include <cstdio>
#include <limits>

namespace web {

void History::add(void* self, const passmeter::FrameSample& sample) {
  auto& frames = static_cast<History*>(self)->frames_;
  if (frames.size() == most_frames) frames.erase(frames.begin());
  Frame& frame = frames.emplace_back();
  frame.fill(std::numeric_limits<double>::quiet_NaN());
  for (const passmeter::Interval& interval : sample.intervals) {
    if (interval.pass.index >= passes || interval.verdict != passmeter::Verdict::accepted) continue;
    frame[interval.pass.index] = interval.inclusive_ns * 1e-6;
  }
}

void History::take_json(std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    out += i == 0 ? "[" : ",[";
    std::size_t used = passes;
    while (used > 0 && std::isnan(frames_[i][used - 1])) --used;
    for (std::size_t pass = 0; pass < used; ++pass) {
      if (pass != 0) out += ',';
      if (std::isnan(frames_[i][pass])) {
        out += "null";
      } else {
        char text[32];
        std::snprintf(text, sizeof text, "%.4f", frames_[i][pass]);
        out += text;
      }
    }
    out += ']';
  }
  out += ']';
  frames_.clear();
}

}  // namespace web
