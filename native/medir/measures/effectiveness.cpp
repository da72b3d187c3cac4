#include "measures/effectiveness.hpp"

namespace medir {

Difference Effectiveness::difference(const Matching& matching, Unseen unseen) const {
    return both(matching, unseen, nullptr, nullptr);
}

Solution Effectiveness::solve(const Matching& matching, Unseen unseen) const {
    Solution solution;
    solution.difference = both(matching, unseen, &solution.gain_relevance, &solution.loss_relevance);
    return solution;
}

Difference Effectiveness::both(const Matching& matching, Unseen unseen, std::vector<double>* gain_relevance,
                               std::vector<double>* loss_relevance) const {
    const Side before = before_side(matching), after = after_side(matching);
    const Bounds gain = favour(matching, after, before, unseen, gain_relevance);
    Bounds loss = favour(matching, before, after, unseen, loss_relevance);
    if (symmetric(matching, unseen)) loss.most = gain.most;
    return difference_of(gain, loss, unseen);
}

}  // namespace medir
