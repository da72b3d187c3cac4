#include "solvers/local_search.hpp"

namespace medir {

void LocalSearch::find_slopes(const CountedDifference& problem, const std::vector<char>& relevance) {
    problem.favoured.find_derivatives(relevance, *problem.level, favoured);
    problem.other.find_derivatives(relevance, *problem.level, other);
    slope.resize(relevance.size());
    for (std::size_t v = 0; v < slope.size(); ++v) slope[v] = problem.linear[v] + favoured[v] - other[v];
}

double LocalSearch::improve(const CountedDifference& problem, std::vector<char>& relevance, double tolerance,
                            Budget& budget) {
    while (budget.spend(relevance.size())) {
        find_slopes(problem, relevance);
        std::size_t change = relevance.size();
        double most = 0.01 * tolerance;
        for (std::size_t v = 0; v < relevance.size(); ++v) {
            const double gain = relevance[v] ? -slope[v] : slope[v];
            if (gain > most) {
                most = gain;
                change = v;
            }
        }
        if (change == relevance.size()) break;
        relevance[change] = !relevance[change];
    }
    return problem.value(relevance);
}

}  // namespace medir
