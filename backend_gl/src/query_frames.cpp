#include "query_frames.h"

namespace passmeter::gl {

void QueryFrames::start(const GlFunctions& functions, std::uint32_t slots, std::uint32_t stride,
                        bool no_wait) {
  functions_ = &functions;
  no_wait_ = !on_web && no_wait;
  no_wait_worked_ = false;
  stride_ = stride;
  pool_.start(functions, slots * stride);
  slots_.assign(slots, {});
  ids_.assign(std::size_t{slots} * stride, 0);
  results_.assign(stride, 0);
}

void QueryFrames::forget() noexcept {
  for (SlotState& state : slots_) state = {};
  have_ = count_ = open_ = 0;
  pool_.forget();
}

void QueryFrames::delete_all() noexcept {
  if (functions_ == nullptr) return;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    SlotState& state = slots_[slot];
    if (state.have > 0) functions_->delete_queries(static_cast<GLsizei>(state.have), ids(slot));
    state = {};
  }
  pool_.delete_all();
}

bool QueryFrames::begin(std::uint32_t slot) noexcept {
  clear(slots_[slot]);
  open_state_ = &slots_[slot];
  open_ids_ = ids(slot);
  have_ = slots_[slot].have;
  count_ = open_ = 0;
  if (have_ >= 2) return true;
  // Frames given up may have come after all.
  if (!pool_.has(2)) pool_.sweep();
  return pool_.has(2);
}

bool QueryFrames::grow() noexcept {
  while (have_ < count_ + open_ + 2) {
    const GLuint id = have_ < stride_ ? pool_.take() : 0;
    if (id == 0) return false;
    open_ids_[have_++] = id;
    open_state_->have = have_;
  }
  return true;
}

void QueryFrames::end(std::uint32_t slot) noexcept {
  slots_[slot].count = count_;
  have_ = 0;
}

Answer QueryFrames::poll(std::uint32_t slot, bool& news) noexcept {
  SlotState& state = slots_[slot];
  const GLuint* const id = ids(slot);
  if (state.count == 0) return Answer::yes;
  const std::uint32_t last = state.count - 1;
  if (!state.last_available) {
    const Answer answer = ask_available(*functions_, id[last]);
    if (answer != Answer::yes) return answer;
    state.last_available = true;
    news = true;
  }
  if (!on_web && no_wait_) return Answer::yes;
  std::uint32_t available = state.available;
  Answer answer = Answer::yes;
  for (; available < last; ++available) {
    answer = ask_available(*functions_, id[available]);
    if (answer != Answer::yes) break;
  }
  news |= available > state.available;
  state.available = available;
  return answer;
}

/// Reading without waiting has left the variable as it was: still pending, or not understood.
Answer QueryFrames::read_after_asking(GLuint id, std::uint64_t& result) noexcept {
  const Answer answer = ask_available(*functions_, id);
  if (answer != Answer::yes) return answer;
  if (!read_result(*functions_, id, result)) return Answer::failed;
  // Available, readable, and yet not given: a driver that claims the version without the way of reading.
  no_wait_ = no_wait_worked_;
  return Answer::yes;
}

Answer QueryFrames::read(std::uint32_t slot, std::span<std::uint64_t>& results) noexcept {
  SlotState& state = slots_[slot];
  const std::uint32_t count = state.count;
  const GLuint* const id = ids(slot);
  std::uint64_t* const result = results_.data();
  const auto get = functions_->get_query_object_ui64v;
  // With NO_WAIT one call does what else takes two, and it cannot wait.
  const bool no_wait = !on_web && no_wait_;
  const GLenum how = no_wait ? value::query_result_no_wait : value::query_result;
  for (std::uint32_t i = 0; i < count; ++i) {
    GLuint64 written = result_untouched;
    get(id[i], how, &written);
    result[i] = written;
    if (written != result_untouched) continue;
    const Answer answer = no_wait ? read_after_asking(id[i], result[i]) : Answer::failed;
    if (answer == Answer::yes) continue;
    if (answer == Answer::failed) discard(slot);
    state.last_available = false;  // to be asked again, so that its coming is news again
    return answer;
  }
  no_wait_worked_ = no_wait_;
  clear(state);
  results = {result, count};
  return Answer::yes;
}

void QueryFrames::abandon(std::uint32_t slot) noexcept {
  SlotState& state = slots_[slot];
  for (std::uint32_t i = state.have; i-- > 0;) {
    const bool used = i < state.count;
    const bool available = i < state.available || (i + 1 == state.count && state.last_available);
    if (used && !available) {
      pool_.set_aside(ids(slot)[i]);
    } else {
      pool_.put(ids(slot)[i]);
    }
  }
  state = {};
}

void QueryFrames::discard(std::uint32_t slot) noexcept {
  SlotState& state = slots_[slot];
  for (std::uint32_t i = 0; i < state.count; ++i) pool_.discard(ids(slot)[i]);
  for (std::uint32_t i = state.have; i-- > state.count;) pool_.put(ids(slot)[i]);
  state = {};
}

}  // namespace passmeter::gl
