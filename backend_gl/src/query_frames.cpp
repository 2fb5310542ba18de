#include "query_frames.h"

namespace passmeter::gl {

void QueryFrames::start(const GlFunctions& functions, std::uint32_t slots, std::uint32_t stride) {
  functions_ = &functions;
  stride_ = stride;
  pool_.start(functions, slots * stride);
  slots_.assign(slots, {});
  ids_.assign(std::size_t{slots} * stride, 0);
  results_.assign(stride, 0);
}

void QueryFrames::forget() noexcept {
  for (SlotState& state : slots_) state = {};
  pool_.forget();
}

void QueryFrames::delete_all() noexcept {
  if (functions_ == nullptr) return;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) abandon(slot);
  pool_.delete_all();
}

bool QueryFrames::begin(std::uint32_t slot) noexcept {
  slots_[slot] = {};
  // Two, because a pass needs two. Frames given up may have come after all.
  if (!pool_.has(2)) pool_.sweep();
  return pool_.has(2);
}

Answer QueryFrames::poll(std::uint32_t slot, bool& news) noexcept {
  SlotState& state = slots_[slot];
  const GLuint* const id = ids(slot);
  if (state.count == 0) return Answer::yes;
  if (!state.last_available) {
    const Answer answer = ask_available(*functions_, id[state.count - 1]);
    if (answer != Answer::yes) return answer;
    state.last_available = true;
    news = true;
  }
  while (state.available < state.count - 1) {
    const Answer answer = ask_available(*functions_, id[state.available]);
    if (answer != Answer::yes) return answer;
    ++state.available;
    news = true;
  }
  return Answer::yes;
}

std::span<std::uint64_t> QueryFrames::read(std::uint32_t slot) noexcept {
  SlotState& state = slots_[slot];
  const GLuint* const id = ids(slot);
  for (std::uint32_t i = 0; i < state.count; ++i) {
    if (!read_result(*functions_, id[i], results_[i])) {
      discard(slot);
      return {};
    }
  }
  for (std::uint32_t i = state.count; i-- > 0;) pool_.put(id[i]);
  const std::uint32_t count = state.count;
  state = {};
  return {results_.data(), count};
}

void QueryFrames::abandon(std::uint32_t slot) noexcept {
  SlotState& state = slots_[slot];
  const GLuint* const id = ids(slot);
  for (std::uint32_t i = state.count; i-- > 0;) {
    const bool available = i < state.available || (i == state.count - 1 && state.last_available);
    if (available) {
      pool_.put(id[i]);
    } else {
      pool_.set_aside(id[i]);
    }
  }
  state = {};
}

void QueryFrames::discard(std::uint32_t slot) noexcept {
  SlotState& state = slots_[slot];
  for (std::uint32_t i = 0; i < state.count; ++i) pool_.discard(ids(slot)[i]);
  state = {};
}

}  // namespace passmeter::gl
