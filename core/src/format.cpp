#include "format.h"

#include <cmath>

namespace passmeter::format {
namespace {

constexpr char32_t replacement = 0xFFFD;

constexpr std::uint64_t powers_of_ten[] = {1,      10,      100,      1000,      10000,
                                           100000, 1000000, 10000000, 100000000, 1000000000};

// The next decimal digit of a fraction in units of 2^-64, which keeps what is left. Long multiplication:
// there is no 128-bit type everywhere.
unsigned next_digit(std::uint64_t& fraction) noexcept {
  const std::uint64_t low = (fraction & 0xFFFFFFFFu) * 10;
  const std::uint64_t high = (fraction >> 32) * 10 + (low >> 32);
  fraction = (high << 32) | (low & 0xFFFFFFFFu);
  return static_cast<unsigned>(high >> 32);
}

// To nearest, ties to even, like printf.
bool rounds_up(std::uint64_t rest, bool odd) noexcept {
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  return rest > half || (rest == half && odd);
}

void append_digits(std::string& out, std::uint64_t value, unsigned at_least) {
  char digits[20];
  unsigned used = 0;
  for (; value != 0 || used < at_least; value /= 10) digits[used++] = static_cast<char>('0' + value % 10);
  while (used > 0) out += digits[--used];
}

// `value` under 1e15: the digits before the point are an integer, those after it exact in 64 bits (but for
// bits under 2^-64, which no rounding to 9 digits can see).
void append_plain(std::string& out, double value, unsigned decimals) {
  const double whole = std::floor(value);
  std::uint64_t integer_part = static_cast<std::uint64_t>(whole);
  std::uint64_t rest = static_cast<std::uint64_t>((value - whole) * 18446744073709551616.0);
  std::uint64_t decimal_part = 0;
  for (unsigned i = 0; i < decimals; ++i) decimal_part = decimal_part * 10 + next_digit(rest);

  const bool odd = ((decimals == 0 ? integer_part : decimal_part) & 1) != 0;
  if (rounds_up(rest, odd) && ++decimal_part == powers_of_ten[decimals]) {
    decimal_part = 0;
    ++integer_part;
  }
  append_digits(out, integer_part, 1);
  if (decimals == 0) return;
  out += '.';
  append_digits(out, decimal_part, decimals);
}

// Numbers no time can reach; they only have to be legible.
void append_huge(std::string& out, double value, unsigned decimals) {
  unsigned exponent = 0;
  for (; value >= 1e10; value /= 1e10) exponent += 10;
  for (; value >= 10; value /= 10) ++exponent;
  append_plain(out, value, decimals);
  out += "e+";
  append_digits(out, exponent, 2);
}

bool continuation(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

bool control(char32_t c) noexcept { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

struct Range {
  char32_t first, last;
};

template <std::size_t n>
bool in(const Range (&ranges)[n], char32_t c) noexcept {
  for (const Range& range : ranges) {
    if (c >= range.first && c <= range.last) return true;
  }
  return false;
}

// The blocks of Unicode's East Asian Width "W" and "F" that names are likely to be written in.
constexpr Range wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
                          {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
                          {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                          {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
// Combining marks, joiners and variation selectors.
constexpr Range zero_width[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},
                                {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},
                                {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

std::size_t width_of(char32_t c) noexcept {
  if (c < 0x300) return 1;
  if (in(zero_width, c)) return 0;
  return in(wide, c) ? 2 : 1;
}

}  // namespace

bool append_fixed(std::string& out, double value, unsigned decimals) {
  if (!std::isfinite(value)) return false;
  const std::size_t start = out.size();
  const double size = std::fabs(value);
  if (size < 1e15) {
    append_plain(out, size, decimals);
  } else {
    append_huge(out, size, decimals);
  }
  // A negative number that rounds to zero is written without its sign.
  if (value < 0 && out.find_first_of("123456789", start) != std::string::npos) out.insert(start, 1, '-');
  return true;
}

bool append_short(std::string& out, double value, unsigned decimals) {
  if (!append_fixed(out, value, decimals)) return false;
  if (decimals == 0 || std::fabs(value) >= 1e15) return true;
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return true;
}

void append_integer(std::string& out, std::uint64_t value) { append_digits(out, value, 1); }

std::string fixed(double value, unsigned decimals) {
  std::string out;
  append_fixed(out, value, decimals);
  return out;
}

std::string integer(std::uint64_t value) {
  std::string out;
  append_integer(out, value);
  return out;
}

CodePoint front_code_point(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {replacement, 1};
  char32_t value = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continuation(text[i])) return {replacement, 1};
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < least[bytes] || value > 0x10FFFF || surrogate) return {replacement, 1};
  return {value, bytes};
}

void append_printable(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const CodePoint c = front_code_point(text);
    const bool bad = control(c.value) || (c.value == replacement && c.bytes == 1);
    out += bad ? std::string_view("\xEF\xBF\xBD") : text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
}

std::size_t display_width(std::string_view text) noexcept {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = front_code_point(text);
    width += width_of(c.value);
    text.remove_prefix(c.bytes);
  }
  return width;
}

void pad_left(std::string& out, std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  if (used < width) out.append(width - used, ' ');
  out += text;
}

void pad_right(std::string& out, std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  out += text;
  if (used < width) out.append(width - used, ' ');
}

void trim_end(std::string& out) {
  while (!out.empty() && out.back() == ' ') out.pop_back();
}

void append_wrapped(std::string& out, std::string_view lead, std::string_view text, std::size_t columns) {
  const std::size_t indent = display_width(lead);
  out += lead;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (word.empty()) continue;
    const std::size_t width = display_width(word);
    if (column > indent && column + 1 + width > columns) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
  }
  trim_end(out);
  out += '\n';
}

}  // namespace passmeter::format
