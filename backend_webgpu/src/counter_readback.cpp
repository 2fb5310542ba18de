#include "passmeter/webgpu/counter_readback.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace passmeter::webgpu {
namespace {

ReadbackConfig readback_config(const CounterConfig& config) {
  ReadbackConfig out;
  out.batch_bytes = static_cast<std::uint32_t>(std::max<std::size_t>(config.counters.size(), 1) * 4);
  out.max_reads = 1;
  out.late_after_frames = config.late_after_frames;
  out.ema_alpha = config.ema_alpha;
  out.percentile_window = 1;  // the counters keep their own
  out.name = "counters";
  out.log = config.log;
  return out;
}

}  // namespace

struct CounterReadback::Impl {
  struct Counter {
    LateCounter value;
    std::uint32_t limit;
    std::uint64_t overflowed_frames = 0;
  };

  Impl(const CounterConfig& config, WGPUDevice device, const HelperOptions& options)
      : diagnostics(config.log), readback(readback_config(config), device, options) {
    const std::uint32_t window =
        config.percentile_window == 0 ? 1024 : std::min(config.percentile_window, 65536u);
    for (const CounterSlot& slot : config.counters) {
      // A name that is unusable keeps its place, since places are places in the buffer.
      if (slot.name.empty()) {
        diagnostics.raise(Diagnostic::empty_name, "A counter has no name.");
      } else if (find(slot.name) < counters.size()) {
        diagnostics.raise(Diagnostic::duplicate_name, "A counter name is given twice.");
      }
      counters.push_back({LateCounter(slot.name, config.ema_alpha, window), slot.limit});
    }
  }

  std::uint32_t find(std::string_view name) const noexcept {
    std::uint32_t place = 0;
    while (place < counters.size() && counters[place].value.name() != name) ++place;
    return place;
  }
  void receive(const ReadResult& result) noexcept;
  void check_limit(Counter& counter, std::uint32_t value) noexcept;

  mutable Diagnostics diagnostics;
  std::vector<Counter> counters;
  LateCounter no_such_counter{"", 0.1, 1};
  Readback readback;
  bool asked = false;
  bool answered = false;  // while it was being asked: the device was lost in the call
};

void CounterReadback::Impl::receive(const ReadResult& result) noexcept {
  answered = true;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    if (result.verdict != Verdict::accepted) {
      counters[i].value.reject_asked(result.verdict);
      continue;
    }
    std::uint32_t value = 0;
    std::memcpy(&value, result.bytes.data() + i * sizeof value, sizeof value);
    counters[i].value.deliver(value, result.frame);
    check_limit(counters[i], value);
  }
}

void CounterReadback::Impl::check_limit(Counter& counter, std::uint32_t value) noexcept {
  if (counter.limit == 0 || value <= counter.limit) return;
  ++counter.overflowed_frames;
  char message[128];
  std::snprintf(message, sizeof message, "A GPU counter is above its limit: %u, with room for %u.", value,
                counter.limit);
  diagnostics.raise(Diagnostic::overflow, message);
}

CounterReadback::CounterReadback(CounterConfig config, WGPUDevice device, const HelperOptions& options)
    : impl_(std::make_unique<Impl>(config, device, options)) {}

CounterReadback::~CounterReadback() = default;

void CounterReadback::begin_frame() noexcept {
  impl_->asked = false;
  impl_->readback.begin_frame();
}

void CounterReadback::end_frame() noexcept { impl_->readback.end_frame(); }

bool CounterReadback::read(WGPUBuffer buffer, std::uint64_t offset) noexcept {
  Impl& impl = *impl_;
  if (impl.asked) {
    impl.diagnostics.raise(Diagnostic::query_begun_twice,
                           "Counters are read twice in a frame; once is enough.");
    return false;
  }
  const ReadCallback receive{
      [](void* user, const ReadResult& result) { static_cast<Impl*>(user)->receive(result); }, &impl};
  const auto bytes = static_cast<std::uint32_t>(impl.counters.size() * 4);
  impl.answered = false;
  impl.asked = impl.readback.read_buffer(buffer, offset, bytes, receive);
  for (Impl::Counter& counter : impl.counters) {
    if (impl.asked && impl.answered) continue;
    if (impl.asked) {
      counter.value.ask();
    } else if (impl.readback.state() == State::measuring) {
      counter.value.reject(Verdict::no_free_slot);
    }
  }
  return impl.asked;
}

std::uint32_t CounterReadback::size() const noexcept {
  return static_cast<std::uint32_t>(impl_->counters.size());
}

const LateCounter& CounterReadback::counter(std::uint32_t place) const noexcept {
  if (place < size()) return impl_->counters[place].value;
  impl_->diagnostics.raise(Diagnostic::unknown_object, "There is no counter at that place.");
  return impl_->no_such_counter;
}

std::uint32_t CounterReadback::find(std::string_view name) const noexcept { return impl_->find(name); }

std::uint64_t CounterReadback::overflowed_frames(std::uint32_t place) const noexcept {
  return place < size() ? impl_->counters[place].overflowed_frames : 0;
}

std::uint64_t CounterReadback::frame() const noexcept { return impl_->readback.frame(); }
State CounterReadback::state() const noexcept { return impl_->readback.state(); }
const char* CounterReadback::reason() const noexcept { return impl_->readback.reason(); }
std::uint64_t CounterReadback::diagnostic_count(Diagnostic diagnostic) const noexcept {
  return impl_->diagnostics.count(diagnostic) + impl_->readback.diagnostic_count(diagnostic);
}
void CounterReadback::notify_lost() noexcept { impl_->readback.notify_lost(); }
bool CounterReadback::restore(WGPUDevice device) noexcept { return impl_->readback.restore(device); }

void CounterReadback::append_to(Report& report) const {
  for (const Impl::Counter& counter : impl_->counters) counter.value.append_to(report);
}

}  // namespace passmeter::webgpu
