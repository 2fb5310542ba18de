#pragma once

#include "passmeter/choose.h"
#include "passmeter/gl/gl_timer.h"

namespace passmeter::gl {

/// What the current context offers, for choose(). All empty without a context. In browsers it enables the
/// timer extension if there is one. The context's thread; makes no query, leaves no GL error behind. Does not
/// block. Rests on ARB_timer_query and EXT_disjoint_timer_query (QUERY_COUNTER_BITS).
Available::Gl available(GetProcAddress get_proc_address);
Available::Gl available(GetProcAddressVoid get_proc_address);

}  // namespace passmeter::gl
