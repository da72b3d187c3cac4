#include "measures/effectiveness.hpp"

#include <algorithm>
#include <cmath>

namespace medir {

namespace {

bool lists_are_alike(const Matching& matching) {
    const std::vector<Document>& documents = matching.documents();
    return matching.before_size() == matching.after_size() && matching.before_cut() == matching.after_cut() &&
           std::all_of(documents.begin(), documents.end(),
                       [](const Document& document) { return document.before == document.after; });
}

}  // namespace

Difference Effectiveness::favour_both(const Matching& matching, std::vector<double>* gain_relevance,
                                      std::vector<double>* loss_relevance, Workspace& workspace) const {
    const Side before = before_side(matching), after = after_side(matching);
    const bool are_alike = lists_are_alike(matching),
               for_values = gain_relevance == nullptr && loss_relevance == nullptr;
    if (are_alike && for_values && !unseen_may_count(before) && has_value(matching)) return {0, 0, 0, 0};
    const Bounds gain = favour(matching, after, before, gain_relevance, workspace);
    const bool is_symmetric = symmetric(matching);
    if (loss_relevance == nullptr && gain.least == gain.most && (is_symmetric || are_alike))
        return difference_of(gain, gain);
    Bounds loss = favour(matching, before, after, loss_relevance, workspace);
    if (std::isnan(gain.most)) return {no_value, no_value, no_value, no_value};
    if (is_symmetric) loss.most = gain.most;
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
