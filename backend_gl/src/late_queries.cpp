#include "late_queries.h"

namespace passmeter::gl {

void LateQueries::start(const HelperContext& context, GLenum target, GLenum second_target,
                        std::uint32_t cap) {
  context_ = &context;
  target_ = target;
  second_target_ = second_target;
  cap_ = cap;
  pool_.start(context.gl, cap);
  second_pool_.start(context.gl, second_target != 0 ? cap : 0);
  line_.assign(cap == 0 ? 1 : cap, {});
  results_.reserve(cap);
  forget();
}

bool LateQueries::in_use_elsewhere(std::span<const GLenum> targets) noexcept {
  for (const GLenum target : targets) {
    if (!context_->has_query_target(target)) continue;
    GLint current = 0;
    context_->gl.get_query_iv(target, value::current_query, &current);
    if (current == 0) continue;
    bool ours = false;
    for (std::uint32_t place = used_; place-- > 0 && !ours;) {
      const GLuint id = static_cast<GLuint>(current);
      ours = at(place).id == id || at(place).second_id == id;
    }
    if (!ours) return true;
    context_->gl.end_query(target);  // the call that was to end it had failed
  }
  return false;
}

bool LateQueries::begin(std::uint32_t owner, std::uint64_t frame) noexcept {
  if (used_ == cap_) return false;
  Pending query{0, 0, owner, frame};
  query.id = pool_.take();
  if (query.id == 0) return false;
  if (second_target_ != 0) {
    query.second_id = second_pool_.take();
    if (query.second_id == 0) {
      pool_.put(query.id);
      return false;
    }
  }
  context_->gl.begin_query(target_, query.id);
  if (query.second_id != 0) context_->gl.begin_query(second_target_, query.second_id);
  at(used_++) = query;
  open_ = true;
  return true;
}

void LateQueries::end() noexcept {
  context_->gl.end_query(target_);
  if (second_target_ != 0) context_->gl.end_query(second_target_);
  open_ = false;
}

void LateQueries::rename_last_of(std::uint32_t owner, std::uint32_t new_owner) noexcept {
  for (std::uint32_t place = used_; place-- > 0;) {
    if (at(place).owner != owner) continue;
    at(place).owner = new_owner;
    return;
  }
}

Answer LateQueries::ask(const Pending& query) const noexcept {
  const Answer first = ask_available(context_->gl, query.id);
  if (first != Answer::yes || query.second_id == 0) return first;
  return ask_available(context_->gl, query.second_id);
}

bool LateQueries::read(Result& result) const noexcept {
  if (!read_count(context_->gl, result.query.id, result.count)) return false;
  return result.query.second_id == 0 || read_count(context_->gl, result.query.second_id, result.second_count);
}

void LateQueries::look() noexcept {
  results_.clear();
  const std::uint32_t ended = used_ - (open_ ? 1u : 0u);
  for (std::uint32_t place = 0; place < ended; ++place) {
    Result result;
    result.query = at(place);
    const Answer answer = ask(result.query);
    if (answer == Answer::not_yet) return;
    result.valid = answer == Answer::yes && read(result);
    results_.push_back(result);
  }
}

void LateQueries::drop_first() noexcept {
  if (++first_ == line_.size()) first_ = 0;
  --used_;
}

void LateQueries::take_results() noexcept {
  for (const Result& result : results_) {
    drop_first();
    const GLuint second = result.query.second_id;
    if (result.valid) {
      pool_.put(result.query.id);
      if (second != 0) second_pool_.put(second);
    } else {
      pool_.discard(result.query.id);
      if (second != 0) second_pool_.discard(second);
    }
  }
  results_.clear();
}

void LateQueries::sweep() noexcept {
  pool_.sweep();
  second_pool_.sweep();
}

bool LateQueries::give_up_before(std::uint64_t frame, Pending& given_up) noexcept {
  const std::uint32_t ended = used_ - (open_ ? 1u : 0u);
  if (ended == 0 || at(0).frame >= frame) return false;
  given_up = at(0);
  drop_first();
  pool_.set_aside(given_up.id);
  if (given_up.second_id != 0) second_pool_.set_aside(given_up.second_id);
  return true;
}

bool LateQueries::take_refusal() noexcept {
  const bool first = pool_.take_refusal();
  return second_pool_.take_refusal() || first;
}

void LateQueries::delete_all() noexcept {
  if (context_ == nullptr) return;
  if (open_) end();
  for (; used_ > 0; drop_first()) {
    pool_.put(at(0).id);
    if (at(0).second_id != 0) second_pool_.put(at(0).second_id);
  }
  pool_.delete_all();
  second_pool_.delete_all();
  forget();
}

void LateQueries::forget() noexcept {
  pool_.forget();
  second_pool_.forget();
  first_ = used_ = 0;
  results_.clear();
  open_ = false;
}

}  // namespace passmeter::gl
