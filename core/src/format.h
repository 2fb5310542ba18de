#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// What the writers need of number and text formatting. The standard library's own (printf, iostreams,
// to_chars for double) would be most of passmeter's size in a browser.
namespace passmeter::format {

/// Appends `value` with `decimals` (0 to 9) digits after the point, rounded to nearest. From 1e15 on in the
/// form d.ddde+nn. NaN and infinities are the caller's: nothing is appended and the answer is false.
bool append_fixed(std::string& out, double value, unsigned decimals);
/// As append_fixed, without trailing zeros after the point (and without the point).
bool append_short(std::string& out, double value, unsigned decimals);
void append_integer(std::string& out, std::uint64_t value);

std::string fixed(double value, unsigned decimals);
std::string integer(std::uint64_t value);

/// One code point at the front of `text`, and the bytes it takes. A byte that begins no valid UTF-8 sequence
/// is U+FFFD and takes 1.
struct CodePoint {
  char32_t value;
  std::size_t bytes;
};
CodePoint front_code_point(std::string_view text) noexcept;

/// Appends `text` with invalid UTF-8 and control characters as U+FFFD: safe to put into a line of a table.
void append_printable(std::string& out, std::string_view text);
/// Columns that `text` takes in a terminal: 0 for combining marks, 2 for East Asian wide characters and
/// emoji.
std::size_t display_width(std::string_view text) noexcept;

void pad_left(std::string& out, std::string_view text, std::size_t width);   ///< Right-aligned.
void pad_right(std::string& out, std::string_view text, std::size_t width);  ///< Left-aligned.
/// Removes blanks at the end of the last line.
void trim_end(std::string& out);
/// Appends `lead` and then the words of `text`, broken before column `columns`; further lines begin with as
/// many blanks as `lead` is wide. Ends with a newline.
void append_wrapped(std::string& out, std::string_view lead, std::string_view text, std::size_t columns);

}  // namespace passmeter::format
