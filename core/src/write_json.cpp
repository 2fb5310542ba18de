#include <span>
#include <string_view>

#include "format.h"
#include "passmeter/writers.h"

namespace passmeter {
namespace {

void append_string(std::string& out, std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const format::CodePoint c = format::front_code_point(text);
    if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += static_cast<char>(c.value);
    } else if (c.value < 0x20 || c.value == 0x7F) {
      out += "\\u00";
      out += hex[c.value >> 4];
      out += hex[c.value & 15];
    } else if (c.value == 0xFFFD) {
      out += "\xEF\xBF\xBD";
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  out += '"';
}

// Puts the commas. Objects and arrays are on one line, except where a caller asks for a new one.
class Json {
 public:
  void open(char bracket) {
    separate();
    text_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    text_ += bracket;
    first_ = false;
  }
  void key(std::string_view name) {
    separate();
    append_string(text_, name);
    text_ += ": ";
    first_ = true;  // its value is no further element
  }
  void next_line(std::string_view indent) {
    line_ = indent;
    on_new_line_ = true;
  }

  void value(std::string_view text) {
    separate();
    append_string(text_, text);
  }
  void value(double number) {
    separate();
    if (!format::append_short(text_, number, 6)) text_ += "null";
  }
  void integer(std::uint64_t number) {
    separate();
    format::append_integer(text_, number);
  }
  void boolean(bool yes) {
    separate();
    text_ += yes ? "true" : "false";
  }
  void null() {
    separate();
    text_ += "null";
  }

  template <class Value>
  void field(std::string_view name, const Value& v) {
    key(name);
    value(v);
  }
  void milliseconds(std::string_view name, double ns) { field(name, ns * 1e-6); }
  void count(std::string_view name, std::uint64_t number) {
    key(name);
    integer(number);
  }
  void flag(std::string_view name, bool yes) {
    key(name);
    boolean(yes);
  }

  std::string finish() {
    text_ += '\n';
    return std::move(text_);
  }

 private:
  void separate() {
    if (!first_) text_ += ',';
    if (on_new_line_) {
      text_ += '\n';
      text_ += line_;
    } else if (!first_) {
      text_ += ' ';
    }
    first_ = false;
    on_new_line_ = false;
  }

  std::string text_;
  std::string_view line_;
  bool first_ = true;
  bool on_new_line_ = false;
};

void write_rejected(Json& json, const VerdictCounts& verdicts) {
  json.key("rejected");
  json.open('{');
  for (std::size_t i = 1; i < verdict_count; ++i) {
    if (verdicts.count[i] != 0) json.count(to_string(static_cast<Verdict>(i)), verdicts.count[i]);
  }
  json.close('}');
}

double in_unit(double value, Unit unit) { return unit == Unit::nanoseconds ? value * 1e-6 : value; }

void write_spikes(Json& json, std::span<const Spike> spikes, Unit unit) {
  json.key("spikes");
  json.open('[');
  for (const Spike& spike : spikes) {
    json.open('{');
    json.count("frame", spike.frame);
    json.field(unit == Unit::nanoseconds ? "ms" : "value", in_unit(spike.value, unit));
    json.close('}');
  }
  json.close(']');
}

std::span<const Spike> used(const std::array<Spike, Series::spike_count>& spikes, std::uint32_t count) {
  return {spikes.data(), count < spikes.size() ? count : spikes.size()};
}

void write_frame(Json& json, const FrameReport& frame) {
  json.key("frame");
  json.open('{');
  json.milliseconds("busy_ms", frame.busy);
  json.milliseconds("span_ms", frame.span);
  json.milliseconds("sum_ms", frame.sum);
  json.milliseconds("cpu_interval_ms", frame.cpu_interval);
  json.milliseconds("unexplained_ms", frame.unexplained);
  json.flag("overlapping", frame.overlapping);
  json.count("overlapping_frames", frame.overlapping_frames);
  json.milliseconds("busy_p50_ms", frame.busy_p50);
  json.milliseconds("busy_p95_ms", frame.busy_p95);
  json.milliseconds("busy_p99_ms", frame.busy_p99);
  json.milliseconds("cpu_interval_p50_ms", frame.interval_p50);
  json.milliseconds("cpu_interval_p95_ms", frame.interval_p95);
  json.milliseconds("cpu_interval_p99_ms", frame.interval_p99);
  json.count("accepted", frame.verdicts.accepted());
  write_rejected(json, frame.verdicts);
  write_spikes(json, used(frame.slowest, frame.slowest_used), Unit::nanoseconds);
  json.close('}');
}

void write_series(Json& json, const SeriesReport& row) {
  json.open('{');
  json.field("name", row.name);
  json.key("parent");
  row.parent.empty() ? json.null() : json.value(row.parent);
  json.count("depth", row.depth);
  json.field("unit", std::string_view(to_string(row.unit)));
  json.field("ema", in_unit(row.ema, row.unit));
  json.field("exclusive_ema", in_unit(row.exclusive_ema, row.unit));
  json.field("mean", in_unit(row.mean, row.unit));
  json.field("share", row.share);
  json.field("last", in_unit(row.last, row.unit));
  json.field("min", in_unit(row.min, row.unit));
  json.field("max", in_unit(row.max, row.unit));
  json.field("p50", in_unit(row.p50, row.unit));
  json.field("p50_low", in_unit(row.p50_low, row.unit));
  json.field("p50_high", in_unit(row.p50_high, row.unit));
  json.field("p95", in_unit(row.p95, row.unit));
  json.field("p99", in_unit(row.p99, row.unit));
  json.count("window", row.window);
  json.flag("below_resolution", row.below_resolution);
  json.count("accepted", row.verdicts.accepted());
  json.count("in_flight", row.in_flight);
  write_rejected(json, row.verdicts);
  write_spikes(json, used(row.spikes, row.spikes_used), row.unit);
  json.close('}');
}

void write_diagnostics(Json& json, const Report& report) {
  json.key("diagnostics");
  json.open('{');
  for (std::size_t i = 0; i < diagnostic_count; ++i) {
    if (report.diagnostics[i] != 0) json.count(to_string(static_cast<Diagnostic>(i)), report.diagnostics[i]);
  }
  json.close('}');
}

void write_report(Json& json, const Report& report) {
  json.open('{');
  json.field("schema", std::string_view("passmeter.report/1"));
  json.field("backend", report.backend);
  json.field("adapter", report.adapter);
  json.field("driver", report.driver);
  json.next_line("  ");
  json.field("source", std::string_view(to_string(report.source)));
  json.field("state", std::string_view(to_string(report.state)));
  json.field("reason", report.reason);
  json.field("hint", report.hint);
  json.next_line("  ");
  json.field("resolution_ns", report.resolution_ns);
  json.key("counter_bits");
  report.counter_bits == 0 ? json.null() : json.integer(report.counter_bits);
  json.field("latency_frames", report.latency_frames);
  json.count("frames", report.frames);
  json.count("frames_in_flight", report.frames_in_flight);
  json.field("alpha", report.alpha);
  json.next_line("  ");
  write_frame(json, report.frame);
  json.next_line("  ");
  json.key("series");
  json.open('[');
  for (const SeriesReport& row : report.series) {
    json.next_line("    ");
    write_series(json, row);
  }
  json.close(']');
  json.next_line("  ");
  write_diagnostics(json, report);
  json.close('}');
}

void write_row(Json& json, const ComparisonRow& row) {
  json.open('{');
  json.field("name", row.name);
  json.milliseconds("left_ms", row.left_ns);
  json.milliseconds("right_ms", row.right_ns);
  json.field("ratio", row.ratio);
  json.field("low", row.low);
  json.field("high", row.high);
  json.field("verdict", std::string_view(to_string(row.verdict)));
  json.close('}');
}

}  // namespace

std::string to_json(const Report& report) {
  Json json;
  write_report(json, report);
  return json.finish();
}

std::string to_json(const Comparison& comparison) {
  Json json;
  json.open('{');
  json.field("schema", std::string_view("passmeter.comparison/1"));
  json.next_line("  ");
  json.key("left");
  write_report(json, comparison.left);
  json.next_line("  ");
  json.key("right");
  write_report(json, comparison.right);
  json.next_line("  ");
  json.key("rows");
  json.open('[');
  for (const ComparisonRow& row : comparison.rows) {
    json.next_line("    ");
    write_row(json, row);
  }
  json.close(']');
  json.close('}');
  return json.finish();
}

}  // namespace passmeter
