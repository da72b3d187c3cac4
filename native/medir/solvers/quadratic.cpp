#include "solvers/quadratic.hpp"

#include <algorithm>

namespace medir {

double QuadraticProblem::weight(std::size_t v, std::size_t u) const {
    return (*reciprocal)[std::max(first[v], first[u])] - (*reciprocal)[std::max(second[v], second[u])];
}

void QuadraticProblem::clear() {
    linear.clear();
    first.clear();
    second.clear();
}

// Decides what persistency leaves open; returns the gap.
double QuadraticProblem::search(std::size_t effort) {
    counts_.clear();
    counts_.reciprocal = reciprocal;
    double bound = 0;
    for (const std::uint32_t v : partial_.open) {
        counts_.add(partial_.slope[v], first[v], second[v], partial_.tendency(v) > 0);
        bound += std::max(0.0, partial_.slope[v] + 0.5 * partial_.rise[v]);
    }
    const Optimum found = counts_.maximise(bound, effort);
    partial_.value += found.value;
    for (std::size_t i = 0; i < partial_.open.size(); ++i) partial_.state[partial_.open[i]] = counts_.assignment()[i];
    return found.gap;
}

Optimum QuadraticProblem::maximise(std::size_t effort) {
    const auto weight_of = [this](std::size_t v, std::size_t u) { return weight(v, u); };
    partial_.reset(linear, weight_of);
    partial_.persist(weight_of);
    const double gap = partial_.open.empty() ? 0.0 : search(effort);
    return {partial_.value, gap};
}

}  // namespace medir
