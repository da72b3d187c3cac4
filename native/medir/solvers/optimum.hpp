// What a search for a maximum found, and what it proved.
#pragma once

namespace medir {

struct Optimum {
    double value;
    double gap;  // the maximum is proven to lie in [value, value + gap]
};

}  // namespace medir
