#include <string_view>

#include "format.h"
#include "passmeter/writers.h"

namespace passmeter {
namespace {

// RFC 4180: quoted where a comma, a quote or a line break would end the field.
void append_quoted(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_value(std::string& out, double value, Unit unit) {
  out += ',';
  format::append_short(out, unit == Unit::nanoseconds ? value * 1e-6 : value, 6);
}

void append_count(std::string& out, std::uint64_t value) {
  out += ',';
  format::append_integer(out, value);
}

void append_header(std::string& out) {
  out +=
      "name,parent,depth,unit,ema,exclusive_ema,mean,share,last,min,max,p50,p50_low,p50_high,p95,p99,window,"
      "below_resolution,accepted,in_flight,rejected";
  for (std::size_t i = 1; i < verdict_count; ++i) {
    out += ',';
    out += to_string(static_cast<Verdict>(i));
  }
  out += ",backend,source,resolution_ns\n";
}

void append_row(std::string& out, const Report& report, const SeriesReport& row) {
  append_quoted(out, row.name);
  out += ',';
  append_quoted(out, row.parent);
  append_count(out, row.depth);
  out += ',';
  out += to_string(row.unit);
  for (const double value : {row.ema, row.exclusive_ema, row.mean}) append_value(out, value, row.unit);
  append_value(out, row.share, Unit::count);
  for (const double value :
       {row.last, row.min, row.max, row.p50, row.p50_low, row.p50_high, row.p95, row.p99}) {
    append_value(out, value, row.unit);
  }
  append_count(out, row.window);
  out += row.below_resolution ? ",true" : ",false";
  append_count(out, row.verdicts.accepted());
  append_count(out, row.in_flight);
  append_count(out, row.verdicts.rejected());
  for (std::size_t i = 1; i < verdict_count; ++i) append_count(out, row.verdicts.count[i]);
  out += ',';
  append_quoted(out, report.backend);
  out += ',';
  out += to_string(report.source);
  append_value(out, report.resolution_ns, Unit::count);
  out += '\n';
}

}  // namespace

std::string to_csv(const Report& report) {
  std::string out;
  append_header(out);
  for (const SeriesReport& row : report.series) append_row(out, report, row);
  return out;
}

}  // namespace passmeter
