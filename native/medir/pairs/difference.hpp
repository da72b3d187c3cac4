// How far two lists, or two texts, can differ under a measure.
#pragma once

namespace medir {

enum class Unseen { anything, nothing };  // what the ranks below a list hold

// Of S(favoured) - S(other).
struct Bounds {
    double most;   // the maximum, or the most that was found
    double least;  // what the maximum cannot fall below once both lists are known to full depth
    double gap;    // the maximum is proven to lie in [most, most + gap]
};

struct Difference {
    double med, gain, loss, lower, gap;
};

Difference difference_of(const Bounds& gain, const Bounds& loss, Unseen unseen);

}  // namespace medir
