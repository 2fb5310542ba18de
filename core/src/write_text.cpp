#include <cmath>
#include <string_view>
#include <utility>

#include "format.h"
#include "passmeter/writers.h"
#include "text_table.h"

namespace passmeter {
namespace {

constexpr std::size_t columns = 100;
constexpr std::size_t spikes_shown = 3;

void append_header(std::string& out, const Report& report) {
  std::string machine = text::backend_name(report.backend);
  for (const std::string* part : {&report.adapter, &report.driver}) {
    if (!part->empty()) machine += " | " + *part;
  }
  text::append_note(out, "passmeter", machine, columns);

  std::string source = text::source_and_state(report);
  if (report.counter_bits != 0) source += ", " + format::integer(report.counter_bits) + "-bit counter";
  if (report.source != Source::none) {
    source += ", resolution " + text::duration(report.resolution_ns);
    source += ", results " + text::one_decimal(report.latency_frames) + " frames late";
  }
  text::append_note(out, "source", source, columns);
  text::append_note(out, "", report.reason, columns);

  std::string frames = format::integer(report.frames);
  frames += " frames";
  if (report.frames_in_flight != 0) frames += ", " + format::integer(report.frames_in_flight) + " in flight";
  text::append_note(out, "", frames, columns);
  out += '\n';
}

std::string indented_name(const SeriesReport& row) {
  std::string name(std::size_t{2} * (row.depth < 20 ? row.depth : 20), ' ');
  format::append_printable(name, row.name);
  return name;
}

std::string percent(double share) { return std::isfinite(share) ? format::fixed(share * 100, 1) : "?"; }

// The mean stays right below the resolution, except where it was only guessed from fences.
std::string mean_of(const SeriesReport& row, const Report& report) {
  return text::milliseconds(row.mean, report.source == Source::fence ? report.resolution_ns : 0);
}

void add_pass(text::Table& table, const SeriesReport& row, const Report& report) {
  const auto time = [&](double ns) { return text::milliseconds(ns, report.resolution_ns); };
  table.add({indented_name(row), time(row.ema), mean_of(row, report), time(row.min), time(row.p50),
             time(row.p95), time(row.p99), time(row.max), percent(row.share),
             format::integer(row.verdicts.accepted()), format::integer(row.verdicts.rejected())});
}

void add_frame(text::Table& table, const Report& report) {
  const FrameReport& frame = report.frame;
  const auto time = [&](double ns) { return text::milliseconds(ns, 0); };
  const std::string slowest = frame.slowest_used != 0 ? time(frame.slowest[0].value) : "?";
  table.add({"GPU busy", time(frame.busy), "", "", time(frame.busy_p50), time(frame.busy_p95),
             time(frame.busy_p99), slowest, "", format::integer(frame.verdicts.accepted()),
             format::integer(frame.verdicts.rejected())});
  table.add({"GPU span", time(frame.span)});
  table.add({"sum of passes", time(frame.sum)});
  table.add({"frame interval", time(frame.cpu_interval), "", "", time(frame.interval_p50),
             time(frame.interval_p95), time(frame.interval_p99)});
  table.add({"unexplained", time(frame.unexplained)});
}

void add_other(text::Table& table, const SeriesReport& row) {
  table.add({indented_name(row), to_string(row.unit), text::one_decimal(row.ema), text::one_decimal(row.mean),
             text::one_decimal(row.min), text::one_decimal(row.p50), text::one_decimal(row.p95),
             text::one_decimal(row.p99), text::one_decimal(row.max), format::integer(row.verdicts.accepted()),
             format::integer(row.verdicts.rejected())});
}

void append_times(std::string& out, const Report& report) {
  text::Table table;
  table.add({"pass", "ema ms", "mean", "min", "p50", "p95", "p99", "max", "share %", "n", "rejected"});
  table.add_rule();
  for (const SeriesReport& row : report.series) {
    if (row.unit == Unit::nanoseconds) add_pass(table, row, report);
  }
  if (!report.series.empty()) table.add_rule();
  add_frame(table, report);
  table.append_to(out, columns);
}

void append_others(std::string& out, const Report& report) {
  text::Table table;
  table.align_left(1);
  table.add({"series", "unit", "ema", "mean", "min", "p50", "p95", "p99", "max", "n", "rejected"});
  table.add_rule();
  bool any = false;
  for (const SeriesReport& row : report.series) {
    if (row.unit == Unit::nanoseconds) continue;
    add_other(table, row);
    any = true;
  }
  if (!any) return;
  out += '\n';
  table.append_to(out, columns);
}

void append_slowest(std::string& out, const FrameReport& frame) {
  std::string list;
  for (std::size_t i = 0; i < frame.slowest_used && i < spikes_shown; ++i) {
    if (i > 0) list += ", ";
    list += "frame " + format::integer(frame.slowest[i].frame);
    list += " (" + text::milliseconds(frame.slowest[i].value, 0) + " ms)";
  }
  if (!list.empty()) text::append_note(out, "slowest", list, columns);
}

void append_overlap(std::string& out, const FrameReport& frame) {
  if (frame.overlapping_frames == 0) return;
  std::string note = "passes overlap in " + format::integer(frame.overlapping_frames) + " of " +
                     format::integer(frame.verdicts.accepted()) + " measured frames";
  note += frame.overlapping ? ", also in the last" : ", not in the last";
  text::append_note(out, "overlap", note, columns);
}

}  // namespace

std::string to_text(const Report& report) {
  std::string out;
  append_header(out, report);
  append_times(out, report);
  append_others(out, report);
  out += '\n';
  append_slowest(out, report.frame);
  append_overlap(out, report.frame);
  text::append_notes(out, report, "", columns);
  if (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace passmeter
