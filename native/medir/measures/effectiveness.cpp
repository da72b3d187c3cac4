#include "measures/effectiveness.hpp"

namespace medir {

Difference Effectiveness::favour_both(const Matching& matching, Unseen unseen, std::vector<double>* gain_relevance,
                                      std::vector<double>* loss_relevance, Workspace& workspace) const {
    const Side before = before_side(matching), after = after_side(matching);
    const Bounds gain = favour(matching, after, before, unseen, gain_relevance, workspace);
    Bounds loss = favour(matching, before, after, unseen, loss_relevance, workspace);
    if (symmetric(matching, unseen)) loss.most = gain.most;
    return difference_of(gain, loss, unseen);
}

Solution Effectiveness::solve(const Matching& matching, Unseen unseen, Workspace& workspace) const {
    Solution solution;
    solution.difference = favour_both(matching, unseen, &solution.gain_relevance, &solution.loss_relevance, workspace);
    return solution;
}

Difference Effectiveness::difference(const Matching& matching, Unseen unseen, Workspace& workspace) const {
    return favour_both(matching, unseen, nullptr, nullptr, workspace);
}

}  // namespace medir
