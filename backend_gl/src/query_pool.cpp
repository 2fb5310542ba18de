#include "query_pool.h"

#include <algorithm>
#include <array>

namespace passmeter::gl {
namespace {

constexpr std::uint32_t batch = 64;

}  // namespace

void QueryPool::start(const GlFunctions& functions, std::uint32_t cap) {
  functions_ = &functions;
  forget();
  cap_ = cap;
  free_.reserve(cap);
  aside_.reserve(cap);
}

bool QueryPool::grow() noexcept {
  const std::uint32_t count = std::min(batch, cap_ - made_);
  if (count == 0) return false;
  std::array<GLuint, batch> ids{};
  functions_->gen_queries(static_cast<GLsizei>(count), ids.data());
  // Last to first, so that they are handed out in the driver's order.
  for (std::uint32_t i = count; i-- > 0;) {
    if (ids[i] == 0) {
      refused_ = true;
      continue;
    }
    free_.push_back(ids[i]);
    ++made_;
  }
  return !free_.empty();
}

void QueryPool::discard(GLuint id) noexcept {
  functions_->delete_queries(1, &id);
  --made_;
}

void QueryPool::sweep() noexcept {
  while (!aside_.empty()) {
    // A different one each time, so that one that never comes does not hide the others.
    if (next_aside_ >= aside_.size()) next_aside_ = 0;
    const GLuint id = aside_[next_aside_];
    const Answer answer = ask_available(*functions_, id);
    if (answer == Answer::not_yet) {
      ++next_aside_;
      return;
    }
    aside_[next_aside_] = aside_.back();
    aside_.pop_back();
    if (answer == Answer::yes) {
      put(id);
    } else {
      discard(id);
    }
  }
}

bool QueryPool::take_refusal() noexcept {
  const bool refused = refused_;
  refused_ = false;
  return refused;
}

void QueryPool::delete_all() noexcept {
  if (!free_.empty()) functions_->delete_queries(static_cast<GLsizei>(free_.size()), free_.data());
  if (!aside_.empty()) functions_->delete_queries(static_cast<GLsizei>(aside_.size()), aside_.data());
  forget();
}

void QueryPool::forget() noexcept {
  free_.clear();
  aside_.clear();
  made_ = 0;
  next_aside_ = 0;
}

}  // namespace passmeter::gl
