#pragma once

namespace passmeter::bench {

// GlTimer against the bare query calls, on the fake driver and on whatever EGL gives (Mesa or a real GPU),
// with both kinds of GL marks.
void register_gl();

}  // namespace passmeter::bench
