// The one-off that waits: what the timer's own figures can be compared with.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "gl_timer_impl.h"
#include "passmeter/stamps.h"

namespace passmeter::gl {
namespace {

/// Queries that live for one run: of ones used before, a call that fails would leave the last run's result.
class Queries {
 public:
  Queries(const GlFunctions& gl, const bool& has_context, bool needed)
      : gl_(gl), has_context_(has_context), needed_(needed) {
    if (needed_) gl_.gen_queries(2, ids_);
  }
  ~Queries() {
    if (needed_ && has_context_) gl_.delete_queries(2, ids_);
  }
  Queries(const Queries&) = delete;
  Queries& operator=(const Queries&) = delete;

  bool valid() const { return ids_[0] != 0 && ids_[1] != 0; }
  GLuint operator[](std::size_t i) const { return ids_[i]; }

 private:
  const GlFunctions& gl_;
  const bool& has_context_;
  bool needed_;
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

/// What one run gave, to be judged when the clock's quantum is known from all of them.
struct Raw {
  std::uint64_t begin = 0, end = 0;  ///< A duration is from 0.
  std::int64_t cpu_ns = 0;
  bool usable = false;
};

struct Run {
  const GlFunctions& gl;
  const CpuClock& cpu_clock;
  FunctionRef work;
  const bool& has_context;  ///< The work may say that it is lost.
};

Raw run_stamped(const Run& run, const Queries& queries) {
  Raw raw;
  const std::int64_t start = run.cpu_clock.now();
  run.gl.query_counter(queries[0], value::timestamp);
  run.work();
  if (!run.has_context) return raw;
  run.gl.query_counter(queries[1], value::timestamp);
  run.gl.finish();
  raw.usable = wait_for(run.gl, queries[0], raw.begin) && wait_for(run.gl, queries[1], raw.end);
  raw.cpu_ns = run.cpu_clock.now() - start;
  return raw;
}

Raw run_elapsed(const Run& run, const Queries& queries) {
  Raw raw;
  const std::int64_t start = run.cpu_clock.now();
  run.gl.begin_query(value::time_elapsed, queries[0]);
  run.work();
  if (!run.has_context) return raw;
  run.gl.end_query(value::time_elapsed);
  run.gl.finish();
  raw.usable = wait_for(run.gl, queries[0], raw.end);
  raw.cpu_ns = run.cpu_clock.now() - start;
  return raw;
}

Raw run_finished(const Run& run) {
  Raw raw;
  const std::int64_t start = run.cpu_clock.now();
  run.work();
  if (!run.has_context) return raw;
  run.gl.finish();
  raw.cpu_ns = run.cpu_clock.now() - start;
  raw.usable = raw.cpu_ns >= 0;
  raw.end = static_cast<std::uint64_t>(raw.cpu_ns);
  return raw;
}

/// A coarse clock may read a quantum more than the CPU saw pass. Absolute stamps show what the quantum is;
/// durations of the same work do where some of them are 0 and others are not.
std::int64_t quantum_of(const std::vector<Raw>& runs, bool stamped) {
  QuantumMeter stamps;
  std::uint64_t durations = 0;
  bool any_zero = false;
  for (const Raw& raw : runs) {
    if (!raw.usable) continue;
    stamps.add(raw.begin);
    stamps.add(raw.end);
    any_zero |= raw.end == 0;
    if (raw.end <= static_cast<std::uint64_t>(most_quantum_ns)) durations = std::gcd(durations, raw.end);
  }
  const std::uint64_t quantum = stamped ? stamps.ticks() : any_zero ? durations : 0;
  return static_cast<std::int64_t>(std::min(quantum, static_cast<std::uint64_t>(most_quantum_ns)));
}

MedianResult judge_all(const std::vector<Raw>& runs, Source source, unsigned counter_bits) {
  const bool stamped = source == Source::timestamp;
  const std::int64_t slack = source == Source::fence ? 0 : quantum_of(runs, stamped);
  std::vector<double> times;
  times.reserve(runs.size());
  for (const Raw& raw : runs) {
    if (!raw.usable) continue;
    if (stamped) {
      StampRule rule;
      rule.counter_bits = counter_bits;
      const StampResult result = judge_stamps(raw.begin, raw.end, rule, raw.cpu_ns + slack);
      if (result.verdict == Verdict::accepted) times.push_back(result.ns);
    } else if (judge_duration(raw.end, raw.cpu_ns + slack) == Verdict::accepted) {
      times.push_back(static_cast<double>(raw.end));
    }
  }
  const auto rejected = static_cast<std::uint32_t>(runs.size() - times.size());
  MedianResult result = median_of(times, source);
  result.rejected = rejected;
  return result;
}

}  // namespace

MedianResult GlTimer::measure_median(unsigned n, FunctionRef work) {
  Impl& impl = *impl_;
  if (n == 0 || !impl.has_context || impl.clock == Clock::none || impl.gl.finish == nullptr) return {};
  if (in_frame()) {
    diagnostics().raise(
        Diagnostic::driver_error,
        "measure_median() inside a frame would wait for it and mix with its queries: not done.");
    return {};
  }
  if (impl.clock == Clock::time_elapsed && impl.elapsed.in_use_elsewhere()) {
    diagnostics().raise(
        Diagnostic::driver_error,
        "measure_median() while a TIME_ELAPSED query of the application's is active: not done.");
    return {};
  }
  const bool queried = uses_queries(impl.clock);
  const Run run{impl.gl, cpu_clock(), work, impl.has_context};
  std::vector<Raw> runs;
  runs.reserve(n);
  for (unsigned i = 0; i < n; ++i) {
    const Queries queries(impl.gl, impl.has_context, queried);
    impl.gl.finish();
    Raw raw;
    if (!queried) {
      raw = run_finished(run);
    } else if (queries.valid()) {
      raw = impl.clock == Clock::timestamp ? run_stamped(run, queries) : run_elapsed(run, queries);
    }
    // Whatever a lost context is asked for, it says 0.
    if (impl.has_context && impl.context_lost()) notify_lost();
    if (!impl.has_context) return {};
    // The flag is cleared by reading it, so it is passed on to the frames in flight.
    if (queried && impl.info.disjoint && impl.read_disjoint()) {
      raw.usable = false;
      impl.void_all(*this);
    }
    runs.push_back(raw);
  }
  const auto bits = static_cast<unsigned>(impl.info.timestamp_bits);
  return judge_all(runs, source_of(impl.clock), bits);
}

}  // namespace passmeter::gl
