// The few words of JSON that the page writes beside the library's reports.
#pragma once

#include <string>
#include <string_view>

namespace web {

inline std::string flag(bool on) { return on ? "true" : "false"; }

inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + '"';
}

}  // namespace web
