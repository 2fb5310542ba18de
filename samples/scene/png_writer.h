#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scene {

// Writes 8-bit RGBA, top row first. The alpha channel is written too. False, and why, when it cannot be done.
bool write_png(const std::string& path, int width, int height, const std::vector<std::uint8_t>& rgba,
               std::string& why);

}  // namespace scene
