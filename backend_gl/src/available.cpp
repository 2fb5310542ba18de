#include "passmeter/gl/available.h"

#include "gl_functions.h"

namespace passmeter::gl {
namespace {

Available::Gl available_by(const Loader& loader) {
  GlFunctions functions;
  ContextInfo info;
  if (!load(loader, functions, info)) return {};
  return {.context = true,
          .timer_queries = !info.timer_queries.empty(),
          .timestamp_bits = info.timestamp_bits,
          .elapsed_bits = info.elapsed_bits,
          .fences = info.fences};
}

}  // namespace

Available::Gl available(GetProcAddress get_proc_address) { return available_by({.proc = get_proc_address}); }
Available::Gl available(GetProcAddressVoid get_proc_address) {
  return available_by({.void_proc = get_proc_address});
}

}  // namespace passmeter::gl
