// Counts every operator new of the program. Linking passmeter_counting_new replaces the global operators.
#pragma once

#include <cstdint>

namespace passmeter::testing {

// Calls of any operator new so far, on all threads. Drivers that use C++ inside are counted too.
std::uint64_t allocation_count();

// The same for the calling thread alone: what the code under test did itself.
std::uint64_t thread_allocation_count();

}  // namespace passmeter::testing
