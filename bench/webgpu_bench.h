#pragma once

namespace passmeter::bench {

// WebGpuTimer on Dawn, in a whole frame of 20 empty compute passes (recording and submit are in both sides'
// time): against the same frame without any timing, and against timestamps written and read back by hand.
void register_webgpu();

}  // namespace passmeter::bench
