#include "measures/intents.hpp"

namespace medir {

Bounds IntentAware::favour(const Matching& matching, const Side& favoured, const Side& other,
                           std::vector<double>* relevance, Workspace& workspace) const {
    const std::size_t judged = matching.intents().size(), all = count(matching);
    Bounds sum{0, 0, 0};
    if (relevance != nullptr) relevance->clear();
    std::vector<double> of_one;
    const auto add = [&](std::size_t intent, std::size_t times) {
        const Bounds bounds = one_->favour(matching.of_intent(intent), favoured, other,
                                           relevance == nullptr ? nullptr : &of_one, workspace);
        const auto weight = static_cast<double>(times);
        sum = {sum.most + weight * bounds.most, sum.least + weight * bounds.least, sum.gap + weight * bounds.gap};
        if (relevance != nullptr)
            for (std::size_t i = 0; i < times; ++i) relevance->insert(relevance->end(), of_one.begin(), of_one.end());
    };
    for (std::size_t intent = 0; intent < judged; ++intent) add(intent, 1);
    if (all > judged) add(judged, all - judged);
    const auto intents = static_cast<double>(all);
    return {sum.most / intents, sum.least / intents, sum.gap / intents};
}

double IntentAware::score(const Matching& matching) const {
    double sum = 0;
    for (std::size_t intent = 0; intent < matching.intents().size(); ++intent)
        sum += one_->score(matching.of_intent(intent));
    return sum / static_cast<double>(count(matching));
}

}  // namespace medir
