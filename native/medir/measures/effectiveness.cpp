#include "measures/effectiveness.hpp"

namespace medir {

Difference Effectiveness::difference(const Matching& matching, Unseen unseen) const {
    const Side before = before_side(matching), after = after_side(matching);
    const Bounds gain = favour(matching, after, before, unseen, nullptr);
    Bounds loss = favour(matching, before, after, unseen, nullptr);
    if (symmetric(matching, unseen)) loss.most = gain.most;
    return difference_of(gain, loss, unseen);
}

}  // namespace medir
