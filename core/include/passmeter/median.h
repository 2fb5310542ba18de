#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "passmeter/source.h"

namespace passmeter {

/// A call that lives elsewhere: a non-owning reference to anything callable without arguments. Must not
/// outlive what it refers to; a temporary lambda as an argument is fine.
class FunctionRef {
 public:
  template <class Function, class = std::enable_if_t<!std::is_same_v<std::decay_t<Function>, FunctionRef> &&
                                                     !std::is_function_v<std::remove_reference_t<Function>>>>
  FunctionRef(Function&& function) noexcept  // NOLINT(google-explicit-constructor): meant to convert
      : object_(const_cast<void*>(static_cast<const volatile void*>(std::addressof(function)))),
        call_(
            [](void* object, void (*)()) { (*static_cast<std::remove_reference_t<Function>*>(object))(); }) {}
  /// Plain functions have no address that fits a void*, so they get their own.
  FunctionRef(void (*function)()) noexcept  // NOLINT(google-explicit-constructor): meant to convert
      : function_(function), call_([](void*, void (*plain)()) { plain(); }) {}

  void operator()() const { call_(object_, function_); }

 private:
  void* object_ = nullptr;
  void (*function_)() = nullptr;
  void (*call_)(void* object, void (*function)()) = nullptr;
};

/// What a backend's measure_median() found: the time of one piece of work, measured several times, each time
/// waited for. All times in nanoseconds; NaN when nothing could be measured.
struct MedianResult {
  double median_ns = std::numeric_limits<double>::quiet_NaN();
  double q1_ns = std::numeric_limits<double>::quiet_NaN();  ///< A quarter of the runs took at most this.
  double q3_ns = std::numeric_limits<double>::quiet_NaN();  ///< Three quarters took at most this.
  double min_ns = std::numeric_limits<double>::quiet_NaN();
  double max_ns = std::numeric_limits<double>::quiet_NaN();
  std::uint32_t runs = 0;      ///< Runs whose time was accepted; the values above are over these.
  std::uint32_t rejected = 0;  ///< Runs whose time was unusable (see Verdict).
  Source source = Source::none;
  bool valid = false;  ///< At least one run was accepted.

  /// Distance between the quartiles: how far runs of the same work lie apart. NaN when not valid.
  double spread_ns() const noexcept { return q3_ns - q1_ns; }
};

/// Median and quartiles of `times_ns`, which is sorted in place. The median of an even number of values is
/// the mean of the middle two; the quartiles interpolate between neighbours in the same way. Every value must
/// be finite. Does not allocate. `rejected` is left to the caller.
MedianResult median_of(std::vector<double>& times_ns, Source source) noexcept;

}  // namespace passmeter
