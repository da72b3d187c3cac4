#include "measures/effectiveness.hpp"

#include <cmath>

namespace medir {

Difference Effectiveness::favour_both(const Matching& matching, std::vector<double>* gain_relevance,
                                      std::vector<double>* loss_relevance, Workspace& workspace) const {
    const Side before = before_side(matching), after = after_side(matching);
    const Bounds gain = favour(matching, after, before, gain_relevance, workspace);
    const bool alike = symmetric(matching);
    if (alike && loss_relevance == nullptr && gain.least == gain.most) return difference_of(gain, gain);
    Bounds loss = favour(matching, before, after, loss_relevance, workspace);
    if (std::isnan(gain.most)) return {no_value, no_value, no_value, no_value};
    if (alike) loss.most = gain.most;
    return difference_of(gain, loss);
}

Solution Effectiveness::solve(const Matching& matching, Workspace& workspace) const {
    Solution solution;
    solution.difference = favour_both(matching, &solution.gain_relevance, &solution.loss_relevance, workspace);
    return solution;
}

Difference Effectiveness::difference(const Matching& matching, Workspace& workspace) const {
    return favour_both(matching, nullptr, nullptr, workspace);
}

}  // namespace medir
