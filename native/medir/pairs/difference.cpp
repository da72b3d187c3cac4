#include "pairs/difference.hpp"

#include <algorithm>

namespace medir {

Difference difference_of(const Bounds& gain, const Bounds& loss) {
    const double med = std::max(gain.most, loss.most);
    const bool all_seen = gain.least == gain.most && loss.least == loss.most;
    const double lower = all_seen ? med : std::clamp(std::max(gain.least, loss.least), 0.0, std::max(med, 0.0));
    const double gap = std::max(gain.most + gain.gap, loss.most + loss.gap) - med;
    return {med, gain.most, loss.most, lower, gap, gain.gap, loss.gap};
}

double added_by_unseen(double med, double if_ended) {
    const double added = med - if_ended;
    return added > 1e-12 * med ? added : 0;
}

}  // namespace medir
