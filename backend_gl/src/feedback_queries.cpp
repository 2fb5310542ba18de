#include "passmeter/gl/feedback_queries.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "late_queries.h"

namespace passmeter::gl {
namespace {

constexpr std::uint32_t most_scopes = 65536;
constexpr std::uint32_t most_window = 65536;
constexpr std::uint32_t no_counter = CounterId::none;

// Marks a query that ends its counter's part of a frame.
constexpr std::uint32_t last_of_frame = 0x80000000u;
// ... and that a scope of that frame was refused, so that the sum is not the whole.
constexpr std::uint32_t incomplete = 0x40000000u;
constexpr std::uint32_t flags = last_of_frame | incomplete;

constexpr GLenum all_targets[] = {value::primitives_written, value::primitives_generated};

FeedbackConfig checked(FeedbackConfig config, bool& changed) {
  const auto counters =
      static_cast<std::uint32_t>(std::min<std::size_t>(config.counters.size(), most_scopes));
  if (config.max_scopes == 0) config.max_scopes = std::min(std::max(16u, counters * 16), most_scopes);
  if (config.late_after_frames == 0) config.late_after_frames = 300;
  if (config.percentile_window == 0) config.percentile_window = 1024;
  if (config.ema_alpha == 0) config.ema_alpha = 0.1;
  if (config.max_scopes > most_scopes || config.percentile_window > most_window ||
      !(config.ema_alpha > 0 && config.ema_alpha <= 1)) {
    changed = true;
    config.max_scopes = std::min(config.max_scopes, most_scopes);
    config.percentile_window = std::min(config.percentile_window, most_window);
    config.ema_alpha = config.ema_alpha > 1 ? 1.0 : config.ema_alpha > 0 ? config.ema_alpha : 0.1;
  }
  return config;
}

// One counter's two counts, and the frame that is being added up.
struct Counter {
  Counter(const std::string& name, double alpha, std::uint32_t window)
      : written(name, alpha, window), generated(name + " generated", alpha, window) {}

  struct Sum {
    std::uint64_t written = 0;
    std::uint64_t generated = 0;
    Verdict verdict = Verdict::accepted;
  };

  LateCounter written;
  LateCounter generated;
  Sum sum;
  std::uint64_t overflowed_frames = 0;
  std::uint64_t scoped_in = ~std::uint64_t{0};   ///< Last frame in which it had a scope.
  std::uint64_t refused_in = ~std::uint64_t{0};  ///< Last frame in which a scope of it was refused.
};

}  // namespace

struct FeedbackQueries::Impl {
  Impl(FeedbackConfig given, Loader loader) : context(loader), diagnostics(given.log) {
    bool changed = false;
    config = checked(std::move(given), changed);
    if (changed) {
      diagnostics.raise(Diagnostic::bad_config,
                        "A FeedbackConfig value is out of range; the nearest valid one is used.");
    }
    for (const std::string& name : config.counters) add(name);
    start();
  }

  void add(const std::string& name);
  std::uint32_t find(std::string_view name) const noexcept;
  const Counter& at(CounterId id) const noexcept {
    return id.index < counters.size() ? counters[id.index] : no_such_counter;
  }

  bool start();
  void refuse(Counter& counter, LateQueries::Begun why) noexcept;
  void collect() noexcept;
  void add_result(const LateQueries::Pending& query, Verdict verdict, std::uint64_t written,
                  std::uint64_t generated) noexcept;
  void finish_frame(Counter& counter, std::uint64_t frame) noexcept;
  void give_up_late() noexcept;
  void lose() noexcept;

  HelperContext context;
  FeedbackConfig config;
  Diagnostics diagnostics;
  std::vector<Counter> counters;
  Counter no_such_counter{"", 0.1, 1};
  LateQueries queries;
  HelperFlush flush;
  bool has_generated = false;
  State state = State::unavailable;
  std::string reason;
  std::uint64_t begun = 0;
  bool frame_open = false;
  bool in_use_said = false;    ///< In this frame: that the application has a primitive query open.
  bool joined_inside = false;  ///< Restored inside this frame, of which scopes may be missing.
};

void FeedbackQueries::Impl::add(const std::string& name) {
  if (name.empty()) {
    diagnostics.raise(Diagnostic::empty_name, "A counter without a name is ignored.");
  } else if (find(name) != no_counter) {
    diagnostics.raise(Diagnostic::duplicate_name,
                      "A counter name is given twice; both mean the one counter.");
  } else {
    counters.emplace_back(name, config.ema_alpha, config.percentile_window);
  }
}

std::uint32_t FeedbackQueries::Impl::find(std::string_view name) const noexcept {
  for (std::uint32_t i = 0; i < counters.size(); ++i) {
    if (counters[i].written.name() == name) return i;
  }
  return no_counter;
}

// --- Scopes and life
// ------------------------------------------------------------------------------------------

FeedbackScope& FeedbackScope::operator=(FeedbackScope&& other) noexcept {
  if (this != &other) {
    close();
    queries_ = std::exchange(other.queries_, nullptr);
  }
  return *this;
}

void FeedbackScope::close() noexcept {
  if (queries_ != nullptr) std::exchange(queries_, nullptr)->end();
}

bool FeedbackQueries::Impl::start() {
  state = State::unavailable;
  has_generated = false;
  if (!context.load()) {
    reason = "No OpenGL context is current, or no function to look up its functions was given.";
    return false;
  }
  if (!context.has_query_target(value::primitives_written)) {
    reason = "The context has no TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN queries.";
    diagnostics.raise(Diagnostic::feature_missing, reason.c_str());
    return false;
  }
  has_generated = context.has_query_target(value::primitives_generated);
  queries.start(context, value::primitives_written, has_generated ? value::primitives_generated : 0,
                all_targets, config.max_scopes);
  flush.start();
  state = State::measuring;
  reason = has_generated ? "Primitives written and generated are counted."
                         : "Primitives written are counted; the context cannot count those generated.";
  return true;
}

FeedbackQueries::FeedbackQueries(FeedbackConfig config, GetProcAddress get_proc_address)
    : impl_(std::make_unique<Impl>(std::move(config), Loader{get_proc_address, nullptr})) {}

FeedbackQueries::FeedbackQueries(FeedbackConfig config, GetProcAddressVoid get_proc_address)
    : impl_(std::make_unique<Impl>(std::move(config), Loader{nullptr, get_proc_address})) {}

FeedbackQueries::~FeedbackQueries() {
  if (impl_->state == State::measuring) impl_->queries.delete_all();
}

void FeedbackQueries::Impl::lose() noexcept {
  if (state == State::lost) return;
  queries.forget();
  context.forget();
  for (Counter& counter : counters) {
    counter.written.lose();
    counter.generated.lose();
    counter.sum = {};
  }
  state = State::lost;
  reason = "The context was lost: nothing is counted until restore().";
  diagnostics.raise(Diagnostic::lost, "The context was lost; what was in flight is rejected.");
}

void FeedbackQueries::notify_lost() noexcept { impl_->lose(); }

bool FeedbackQueries::restore() noexcept {
  if (impl_->state != State::lost) return impl_->state == State::measuring;
  impl_->joined_inside = impl_->frame_open;
  return impl_->start();
}

CounterId FeedbackQueries::counter(std::string_view name) noexcept {
  const std::uint32_t found = impl_->find(name);
  if (found == no_counter) {
    impl_->diagnostics.raise(
        Diagnostic::unknown_object,
        "A counter was asked for by a name that was not declared; its scopes count nothing.");
  }
  return {found};
}

// --- Frames
// ---------------------------------------------------------------------------------------------------

void FeedbackQueries::begin_frame() noexcept {
  Impl& impl = *impl_;
  if (impl.frame_open) {
    impl.diagnostics.raise(Diagnostic::frame_begun_twice,
                           "begin_frame() inside a frame: the open frame is ended first.");
    end_frame();
  }
  ++impl.begun;
  impl.frame_open = true;
  impl.in_use_said = impl.joined_inside = false;
  if (impl.state == State::measuring) impl.collect();
}

void FeedbackQueries::end_frame() noexcept {
  Impl& impl = *impl_;
  if (!impl.frame_open) {
    impl.diagnostics.raise(Diagnostic::end_without_begin, "end_frame() without begin_frame() does nothing.");
    return;
  }
  if (impl.queries.open()) {
    impl.diagnostics.raise(Diagnostic::scope_left_open,
                           "A scope was still open at end_frame(); it is closed there.");
    end();
  }
  impl.frame_open = false;
  if (impl.state != State::measuring) return;
  const std::uint64_t now = frame();
  for (std::uint32_t i = 0; i < impl.counters.size(); ++i) {
    Counter& counter = impl.counters[i];
    if (counter.scoped_in == now) {
      impl.queries.rename_last_of(i, i | last_of_frame | (counter.refused_in == now ? incomplete : 0));
    } else if (counter.refused_in == now) {
      counter.written.reject(Verdict::no_free_slot);
    }
  }
  impl.flush.frame_ended(now);
  if (impl.queries.used() > 0) impl.flush.flush_if_needed(impl.context.gl, impl.queries.oldest_frame(), now);
}

void FeedbackQueries::Impl::collect() noexcept {
  flush.next_look();
  queries.look();
  if (!queries.results().empty()) {
    if (context.lost()) return lose();  // its results are all 0
    // Whoever is told of a result's trouble may answer with notify_lost(), and there are none any more.
    for (std::size_t i = 0; i < queries.results().size(); ++i) {
      const LateQueries::Result result = queries.results()[i];
      flush.frame_ready(result.query.frame);
      add_result(result.query, result.valid ? Verdict::accepted : Verdict::driver_error, result.count,
                 result.second_count);
      if (!result.valid)
        diagnostics.raise(Diagnostic::driver_error, "A call about a primitive query failed.");
    }
    queries.take_results();
  }
  give_up_late();
}

void FeedbackQueries::Impl::add_result(const LateQueries::Pending& query, Verdict verdict,
                                       std::uint64_t written, std::uint64_t generated) noexcept {
  Counter& counter = counters[query.owner & ~flags];
  counter.sum.written += written;
  counter.sum.generated += generated;
  if (verdict != Verdict::accepted) counter.sum.verdict = verdict;
  if ((query.owner & incomplete) != 0) counter.sum.verdict = Verdict::no_free_slot;
  if ((query.owner & last_of_frame) != 0) finish_frame(counter, query.frame);
}

void FeedbackQueries::Impl::finish_frame(Counter& counter, std::uint64_t frame) noexcept {
  const Counter::Sum sum = std::exchange(counter.sum, {});
  if (sum.verdict != Verdict::accepted) {
    counter.written.reject_asked(sum.verdict);
    if (has_generated) counter.generated.reject_asked(sum.verdict);
    return;
  }
  counter.written.deliver(sum.written, frame);
  if (!has_generated) return;
  counter.generated.deliver(sum.generated, frame);
  if (sum.generated <= sum.written) return;
  ++counter.overflowed_frames;
  char message[160];
  std::snprintf(message, sizeof message,
                "Transform feedback had no room for everything: %llu primitives generated, %llu written.",
                static_cast<unsigned long long>(sum.generated), static_cast<unsigned long long>(sum.written));
  diagnostics.raise(Diagnostic::overflow, message);
}

void FeedbackQueries::Impl::give_up_late() noexcept {
  queries.sweep();
  const std::uint64_t now = begun - 1;
  if (now < config.late_after_frames) return;
  LateQueries::Pending query;
  while (queries.give_up_before(now - config.late_after_frames, query))
    add_result(query, Verdict::late, 0, 0);
}

// --- Scopes
// ---------------------------------------------------------------------------------------------------

bool FeedbackQueries::begin(CounterId id) noexcept {
  Impl& impl = *impl_;
  if (impl.state != State::measuring) return false;
  if (!impl.frame_open) {
    impl.diagnostics.raise(Diagnostic::scope_outside_frame,
                           "A scope is begun outside begin_frame() and end_frame(): it counts nothing.");
    return false;
  }
  if (id.index >= impl.counters.size()) {
    impl.diagnostics.raise(Diagnostic::unknown_object, "A scope of an unknown counter counts nothing.");
    return false;
  }
  // The rest of a frame would pass for the whole of it.
  if (impl.joined_inside) return false;
  Counter& counter = impl.counters[id.index];
  if (impl.queries.open()) {
    counter.refused_in = frame();
    impl.diagnostics.raise(Diagnostic::query_begun_twice,
                           "A scope is begun inside another one; only one can be open: it is refused.");
    return false;
  }
  const LateQueries::Begun begun = impl.queries.begin(id.index, frame());
  if (begun != LateQueries::Begun::yes) {
    impl.refuse(counter, begun);
    return false;
  }
  if (std::exchange(counter.scoped_in, frame()) != frame()) {
    counter.written.ask();
    if (impl.has_generated) counter.generated.ask();
  }
  return true;
}

void FeedbackQueries::Impl::refuse(Counter& counter, LateQueries::Begun why) noexcept {
  counter.refused_in = begun - 1;
  if (why == LateQueries::Begun::in_use) {
    if (std::exchange(in_use_said, true)) return;
    diagnostics.raise(Diagnostic::driver_error,
                      "The application has a primitive query of its own open, and only one can be: nothing "
                      "is counted meanwhile.");
    return;
  }
  const bool refused = queries.take_refusal();
  diagnostics.raise(refused ? Diagnostic::feature_refused : Diagnostic::pool_full,
                    refused ? "The driver refused to make more primitive queries."
                            : "All primitive queries are in flight: this scope is not counted.");
}

void FeedbackQueries::end() noexcept {
  if (!impl_->queries.open()) {
    if (impl_->state == State::lost) return;  // a context lost inside a scope took it along
    impl_->diagnostics.raise(Diagnostic::end_without_begin, "end() without an open scope does nothing.");
    return;
  }
  impl_->queries.end();
}

FeedbackScope FeedbackQueries::scope(CounterId counter) noexcept {
  return begin(counter) ? FeedbackScope(this) : FeedbackScope();
}

// --- What is known
// --------------------------------------------------------------------------------------------

const LateCounter& FeedbackQueries::written(CounterId counter) const noexcept {
  return impl_->at(counter).written;
}
const LateCounter& FeedbackQueries::generated(CounterId counter) const noexcept {
  return impl_->at(counter).generated;
}
bool FeedbackQueries::counts_generated() const noexcept { return impl_->has_generated; }
std::uint64_t FeedbackQueries::overflowed_frames(CounterId counter) const noexcept {
  return impl_->at(counter).overflowed_frames;
}
std::uint64_t FeedbackQueries::frame() const noexcept { return impl_->begun == 0 ? 0 : impl_->begun - 1; }
State FeedbackQueries::state() const noexcept { return impl_->state; }
const char* FeedbackQueries::reason() const noexcept { return impl_->reason.c_str(); }
std::uint64_t FeedbackQueries::diagnostic_count(Diagnostic diagnostic) const noexcept {
  return impl_->diagnostics.count(diagnostic);
}

void FeedbackQueries::append_to(Report& report) const {
  for (const Counter& counter : impl_->counters) {
    counter.written.append_to(report);
    if (impl_->has_generated) counter.generated.append_to(report);
  }
}

}  // namespace passmeter::gl
