#include "pairs/difference.hpp"

#include <algorithm>

namespace medir {

Difference difference_of(const Bounds& gain, const Bounds& loss, Unseen unseen) {
    const double med = std::max(gain.most, loss.most);
    const double lower = unseen == Unseen::nothing ? med : std::clamp(std::max(gain.least, loss.least), 0.0, med);
    // The larger gap, so that 0 proves both directions.
    return {med, gain.most, loss.most, lower, std::max(gain.gap, loss.gap)};
}

}  // namespace medir
