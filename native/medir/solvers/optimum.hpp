// What a search for a maximum found, and what it proved.
#pragma once

namespace medir {

inline constexpr double never = -1e300;  // the value of what cannot be; finite, because it may be multiplied by 0

struct Optimum {
    double value;
    double gap;  // the maximum is proven to lie in [value, value + gap]
};

}  // namespace medir
