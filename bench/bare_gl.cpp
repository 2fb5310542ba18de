#include "bare_gl.h"

namespace passmeter::bench {

BareGl::BareGl(const GladGLContext& gl, Marks marks)
    : gl_(gl),
      marks_(marks),
      queries_per_frame_(marks == Marks::timestamp_pairs ? 2 * passes_per_frame : passes_per_frame),
      queries_(depth * queries_per_frame_) {
  gl_.GenQueries(static_cast<GLsizei>(queries_.size()), queries_.data());
}

BareGl::~BareGl() { gl_.DeleteQueries(static_cast<GLsizei>(queries_.size()), queries_.data()); }

void BareGl::frame() {
  while (frames_read_ + depth <= frames_) {  // ring full: give the oldest one's result a chance
    if (!read(queries_of(frames_read_))) return;
    ++frames_read_;
  }
  mark_all(queries_of(frames_));
  ++frames_;
  gl_.Flush();
  while (frames_read_ < frames_ && read(queries_of(frames_read_))) ++frames_read_;
}

void BareGl::mark_all(GLuint* queries) {
  for (std::uint32_t pass = 0; pass < passes_per_frame; ++pass) {
    if (marks_ == Marks::timestamp_pairs) {
      gl_.QueryCounter(queries[2 * pass], GL_TIMESTAMP);
      gl_.QueryCounter(queries[2 * pass + 1], GL_TIMESTAMP);
    } else {
      gl_.BeginQuery(GL_TIME_ELAPSED, queries[pass]);
      gl_.EndQuery(GL_TIME_ELAPSED);
    }
  }
}

// Availability of every query is asked for, as the specification wants it, then its result.
bool BareGl::read(GLuint* queries) {
  for (std::uint32_t i = 0; i < queries_per_frame_; ++i) {
    GLint available = 0;
    gl_.GetQueryObjectiv(queries[i], GL_QUERY_RESULT_AVAILABLE, &available);
    if (!available) return false;
  }
  for (std::uint32_t pass = 0; pass < passes_per_frame; ++pass) {
    GLuint64 first = 0, second = 0;
    if (marks_ == Marks::timestamp_pairs) {
      gl_.GetQueryObjectui64v(queries[2 * pass], GL_QUERY_RESULT, &first);
      gl_.GetQueryObjectui64v(queries[2 * pass + 1], GL_QUERY_RESULT, &second);
    } else {
      gl_.GetQueryObjectui64v(queries[pass], GL_QUERY_RESULT, &second);
    }
    last_ns_[pass] = static_cast<double>(second - first);
  }
  benchmark::DoNotOptimize(last_ns_);
  return true;
}

}  // namespace passmeter::bench
