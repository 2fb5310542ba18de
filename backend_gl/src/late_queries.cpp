#include "late_queries.h"

namespace passmeter::gl {
namespace {

// No driver gives this as an id: still there after the call, the call failed.
constexpr GLint active_untouched = -1;

}  // namespace

void LateQueries::start(const HelperContext& context, GLenum target, GLenum second_target,
                        std::span<const GLenum> excluding, std::uint32_t cap) {
  context_ = &context;
  target_ = target;
  second_target_ = second_target;
  excluding_count_ = 0;
  for (const GLenum other : excluding) {
    if (context.has_query_target(other) && excluding_count_ < excluding_.size())
      excluding_[excluding_count_++] = other;
  }
  is_told_ = second_is_told_ = false;
  cap_ = cap;
  pool_.start(context.gl, cap);
  second_pool_.start(context.gl, second_target != 0 ? cap : 0);
  line_.assign(cap == 0 ? 1 : cap, {});
  results_.reserve(cap);
  forget();
}

// --- Begin and end
// ------------------------------------------------------------------------------------------------

GLint LateQueries::active(GLenum target) const noexcept {
  GLint id = active_untouched;
  context_->gl.get_query_iv(target, value::current_query, &id);
  return id;
}

// Asked before each begin: the application may have begun its query since the last one, and then our
// glBeginQuery would fail and our glEndQuery would end the application's.
bool LateQueries::in_use_elsewhere() noexcept {
  for (std::uint32_t i = 0; i < excluding_count_; ++i) {
    const GLint id = active(excluding_[i]);
    if (id == 0 || id == active_untouched) continue;
    if (!end_left_open(excluding_[i], static_cast<GLuint>(id))) return true;
  }
  return false;
}

// Ours, if the call that was to end it had failed. It has counted draws that are none of its business.
bool LateQueries::end_left_open(GLenum target, GLuint id) noexcept {
  if (context_->info.web) return false;  // no id is told there, and no such call fails
  for (std::uint32_t place = used_; place-- > 0;) {
    Pending& query = at(place);
    if (query.id != id && query.second_id != id) continue;
    query.broken = true;
    context_->gl.end_query(target);
    return true;
  }
  return false;
}

LateQueries::Begun LateQueries::begin(std::uint32_t owner, std::uint64_t frame) noexcept {
  if (used_ == cap_) return Begun::no_query;
  if (in_use_elsewhere()) return Begun::in_use;
  Pending query;
  query.owner = owner;
  query.frame = frame;
  query.id = pool_.take();
  if (query.id == 0) return Begun::no_query;
  if (second_target_ != 0) {
    query.second_id = second_pool_.take();
    if (query.second_id == 0) {
      pool_.put(query.id);
      return Begun::no_query;
    }
  }
  context_->gl.begin_query(target_, query.id);
  if (query.second_id != 0) context_->gl.begin_query(second_target_, query.second_id);
  at(used_++) = query;
  open_ = true;
  return Begun::yes;
}

void LateQueries::end() noexcept {
  Pending& query = at(used_ - 1);
  const bool first = end_if_ours(target_, query.id, is_told_);
  const bool second = query.second_id == 0 || end_if_ours(second_target_, query.second_id, second_is_told_);
  if (!first || !second) query.broken = true;
  open_ = false;
}

// Asked at the end and not after the begin: this also finds that the application has ended ours in between.
// An id used before still has its old result, which a begin that failed would leave to be taken for the new
// one. WebGL tells only that a query is active, and through Emscripten's own table not even that: "none"
// means something where it has told of one before. An id used before was told of then.
bool LateQueries::end_if_ours(GLenum target, GLuint id, bool& is_told) noexcept {
  const GLint now = active(target);
  if (now == active_untouched) {
    context_->gl.end_query(target);  // nobody knows; left open it would be in the application's way
    return false;
  }
  const bool ours = context_->info.web ? now != 0 : static_cast<GLuint>(now) == id;
  if (!ours && (now != 0 || is_told)) return false;
  is_told = is_told || ours;
  context_->gl.end_query(target);
  return true;
}

// --- Line
// -----------------------------------------------------------------------------------------------------

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
    const Answer answer = result.query.broken ? Answer::failed : ask(result.query);
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
    if (!result.valid) {
      discard(result.query);
      continue;
    }
    pool_.put(result.query.id);
    if (result.query.second_id != 0) second_pool_.put(result.query.second_id);
  }
  results_.clear();
}

// A name that is deleted while active goes on excluding others, and could not be told from theirs any more.
void LateQueries::discard(const Pending& query) noexcept {
  if (!context_->info.web) {
    if (active(target_) == static_cast<GLint>(query.id)) context_->gl.end_query(target_);
    if (query.second_id != 0 && active(second_target_) == static_cast<GLint>(query.second_id))
      context_->gl.end_query(second_target_);
  }
  pool_.discard(query.id);
  if (query.second_id != 0) second_pool_.discard(query.second_id);
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
