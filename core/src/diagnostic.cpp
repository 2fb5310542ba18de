#include "passmeter/diagnostic.h"

namespace passmeter {

const char* to_string(Diagnostic diagnostic) noexcept {
  switch (diagnostic) {
    case Diagnostic::no_passes:
      return "no_passes";
    case Diagnostic::duplicate_name:
      return "duplicate_name";
    case Diagnostic::empty_name:
      return "empty_name";
    case Diagnostic::unknown_pass:
      return "unknown_pass";
    case Diagnostic::end_without_begin:
      return "end_without_begin";
    case Diagnostic::frame_begun_twice:
      return "frame_begun_twice";
    case Diagnostic::scope_outside_frame:
      return "scope_outside_frame";
    case Diagnostic::scope_left_open:
      return "scope_left_open";
    case Diagnostic::closed_out_of_order:
      return "closed_out_of_order";
    case Diagnostic::scope_without_pass:
      return "scope_without_pass";
    case Diagnostic::too_many_scopes:
      return "too_many_scopes";
    case Diagnostic::pool_full:
      return "pool_full";
    case Diagnostic::feature_missing:
      return "feature_missing";
    case Diagnostic::feature_refused:
      return "feature_refused";
    case Diagnostic::driver_error:
      return "driver_error";
    case Diagnostic::disjoint:
      return "disjoint";
    case Diagnostic::degraded:
      return "degraded";
    case Diagnostic::lost:
      return "lost";
    case Diagnostic::bad_config:
      return "bad_config";
    case Diagnostic::wrong_timer:
      return "wrong_timer";
    case Diagnostic::unknown_object:
      return "unknown_object";
    case Diagnostic::query_begun_twice:
      return "query_begun_twice";
    case Diagnostic::pass_without_set:
      return "pass_without_set";
    case Diagnostic::overflow:
      return "overflow";
    case Diagnostic::read_out_of_range:
      return "read_out_of_range";
  }
  return "driver_error";
}

void Diagnostics::raise(Diagnostic diagnostic, const char* message) noexcept {
  const std::uint64_t before = counts_[static_cast<std::size_t>(diagnostic)]++;
  if (before == 0 && log_.call != nullptr) log_.call(log_.user, diagnostic, message);
}

}  // namespace passmeter
