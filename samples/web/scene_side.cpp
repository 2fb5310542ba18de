#include "scene_side.h"

namespace web {

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (int i = 0; i < most_passes; ++i) {
    std::string name = scene::pass_names[static_cast<std::size_t>(i % scene::pass_count)];
    if (i >= scene::pass_count) name += ' ' + std::to_string(1 + i / scene::pass_count);
    names.push_back(std::move(name));
  }
  return names;
}

passmeter::Wanted wanted_by(Force force, passmeter::Api api) {
  using passmeter::Source;
  switch (force) {
    case Force::automatic:
      break;
    case Force::timestamp:
      return {api, false, Source::timestamp};
    case Force::time_elapsed:
      return {api, false, Source::time_elapsed};
    case Force::fence:
      return {api, false, Source::fence};
    case Force::none:
      return {api, false, Source::none};
  }
  return {.api = api};
}

passmeter::TimerConfig SceneSide::timer_config() {
  return {.passes = pass_names(), .enabled = enabled_, .on_frame = history_.callback()};
}

}  // namespace web
