// Heap sort: O(n log n) as std::sort, up to twice as slow, and a tenth of its code. Nothing here sorts much
// or in the middle of a frame, and a web page downloads every byte.
#pragma once

#include <algorithm>
#include <functional>

namespace passmeter {

/// Not stable.
template <class Iterator, class Less = std::less<>>
void small_sort(Iterator first, Iterator last, Less less = {}) {
  std::make_heap(first, last, less);
  std::sort_heap(first, last, less);
}

}  // namespace passmeter
