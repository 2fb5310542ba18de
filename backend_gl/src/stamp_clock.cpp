#include "stamp_clock.h"

namespace passmeter::gl {

void StampClock::start(const GlFunctions& functions, std::uint32_t slots, std::uint32_t max_scopes,
                       unsigned counter_bits, bool no_wait) {
  functions_ = &functions;
  max_scopes_ = max_scopes;
  rule_.counter_bits = counter_bits;
  frames_.start(functions, slots, 2 * max_scopes, no_wait);
  marks_.assign(std::size_t{slots} * max_scopes, {});
}

}  // namespace passmeter::gl
