// The one-off that waits: what the timer's own figures can be compared with.
#include <cstddef>
#include <vector>

#include "gl_timer_impl.h"
#include "passmeter/stamps.h"

namespace passmeter::gl {
namespace {

/// Queries that live for one measurement.
class Queries {
 public:
  explicit Queries(const GlFunctions& gl) : gl_(gl) { gl_.gen_queries(2, ids_); }
  ~Queries() { gl_.delete_queries(2, ids_); }
  Queries(const Queries&) = delete;
  Queries& operator=(const Queries&) = delete;

  bool valid() const { return ids_[0] != 0 && ids_[1] != 0; }
  GLuint operator[](std::size_t i) const { return ids_[i]; }

 private:
  const GlFunctions& gl_;
  GLuint ids_[2] = {};
};

/// After glFinish every result is due at once; some drivers still take a few calls to notice.
bool wait_for(const GlFunctions& gl, GLuint id, std::uint64_t& result) {
  constexpr int most_calls = 1'000'000;
  for (int i = 0; i < most_calls; ++i) {
    const Answer answer = ask_available(gl, id);
    if (answer == Answer::failed) return false;
    if (answer == Answer::yes) return read_result(gl, id, result);
  }
  return false;
}

struct Run {
  const GlFunctions& gl;
  const CpuClock& cpu_clock;
  FunctionRef work;
  unsigned counter_bits;
};

bool run_stamped(const Run& run, const Queries& queries, double& ns) {
  const std::int64_t start = run.cpu_clock.now();
  run.gl.query_counter(queries[0], value::timestamp);
  run.work();
  run.gl.query_counter(queries[1], value::timestamp);
  run.gl.finish();
  std::uint64_t begin = 0, end = 0;
  if (!wait_for(run.gl, queries[0], begin) || !wait_for(run.gl, queries[1], end)) return false;
  StampRule rule;
  rule.counter_bits = run.counter_bits;
  const StampResult result = judge_stamps(begin, end, rule, run.cpu_clock.now() - start);
  ns = result.ns;
  return result.verdict == Verdict::accepted;
}

bool run_elapsed(const Run& run, const Queries& queries, double& ns) {
  const std::int64_t start = run.cpu_clock.now();
  run.gl.begin_query(value::time_elapsed, queries[0]);
  run.work();
  run.gl.end_query(value::time_elapsed);
  run.gl.finish();
  std::uint64_t time = 0;
  if (!wait_for(run.gl, queries[0], time)) return false;
  ns = static_cast<double>(time);
  return judge_duration(time, run.cpu_clock.now() - start) == Verdict::accepted;
}

bool run_finished(const Run& run, double& ns) {
  const std::int64_t start = run.cpu_clock.now();
  run.work();
  run.gl.finish();
  ns = static_cast<double>(run.cpu_clock.now() - start);
  return ns >= 0;
}

template <class Once>
MedianResult repeat(const Run& run, unsigned n, Source source, Once&& once) {
  std::vector<double> times;
  times.reserve(n);
  std::uint32_t rejected = 0;
  for (unsigned i = 0; i < n; ++i) {
    run.gl.finish();
    double ns = 0;
    if (once(ns)) {
      times.push_back(ns);
    } else {
      ++rejected;
    }
  }
  MedianResult result = median_of(times, source);
  result.rejected = rejected;
  return result;
}

}  // namespace

MedianResult GlTimer::measure_median(unsigned n, FunctionRef work) {
  const Impl& impl = *impl_;
  if (n == 0 || !impl.has_context || impl.clock == Clock::none || impl.gl.finish == nullptr) return {};
  if (open_frame() != nullptr) {
    diagnostics().raise(
        Diagnostic::driver_error,
        "measure_median() inside a frame would wait for it and mix with its queries: not done.");
    return {};
  }
  const bool stamped = impl.clock == Clock::timestamp;
  const unsigned bits = stamped ? static_cast<unsigned>(impl.info.timestamp_bits) : 0;
  const Run run{impl.gl, cpu_clock(), work, bits};
  if (impl.clock == Clock::fence) {
    return repeat(run, n, Source::fence, [&](double& ns) { return run_finished(run, ns); });
  }
  if (!stamped && impl.elapsed.in_use_elsewhere()) {
    diagnostics().raise(
        Diagnostic::driver_error,
        "measure_median() while a TIME_ELAPSED query of the application's is active: not done.");
    return {};
  }
  const Queries queries(impl.gl);
  if (!queries.valid()) return {};
  if (stamped) {
    return repeat(run, n, Source::timestamp, [&](double& ns) { return run_stamped(run, queries, ns); });
  }
  return repeat(run, n, Source::time_elapsed, [&](double& ns) { return run_elapsed(run, queries, ns); });
}

}  // namespace passmeter::gl
