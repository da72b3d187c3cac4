#include "solvers/quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace medir {

namespace {

constexpr double rounding = 2.3e-16;  // of an addition

}  // namespace

// The undecided in the order of their ranks in a list, numbered as they stand in `open`.
void QuadraticProblem::describe(const std::vector<std::uint32_t>& ranks, CountedList& list) const {
    const std::vector<std::uint32_t>& open = partial_.open;
    list.unknowns.resize(open.size());
    std::iota(list.unknowns.begin(), list.unknowns.end(), 0);
    std::sort(list.unknowns.begin(), list.unknowns.end(),
              [&](std::uint32_t u, std::uint32_t v) { return ranks[open[u]] < ranks[open[v]]; });
    list.slope.clear();
    for (const std::uint32_t u : list.unknowns) list.slope.push_back((*function.reciprocal)[ranks[open[u]]]);
    list.known.assign(open.size() + 1, 0.0);
}

// Decides what persistency leaves open; returns the gap.
double QuadraticProblem::search(Budget& budget) {
    const std::vector<std::uint32_t>& open = partial_.open;
    counted_.linear.clear();
    std::vector<char> start;
    double bound = 0;
    for (const std::uint32_t v : open) {
        counted_.linear.push_back(partial_.slope[v]);
        start.push_back(partial_.guess[v]);
        bound += std::max(0.0, partial_.slope[v] + 0.5 * partial_.rise[v]);
    }
    describe(function.first, counted_.favoured);
    describe(function.second, counted_.other);
    while (level_.size() < open.size() + 2) level_.push_back(static_cast<double>(level_.size()));
    counted_.level = &level_;
    const double tolerance = 2 * rounding * static_cast<double>(open.size()) * (1 + std::abs(bound));
    const Optimum found = search_.maximise(counted_, start, bound, static_cast<int>(open.size()), tolerance, budget);
    for (std::size_t i = 0; i < open.size(); ++i) partial_.state[open[i]] = search_.assignment()[i];
    return found.gap;
}

double QuadraticProblem::maximise(Budget& budget) {
    partial_.settle(function, budget);
    return partial_.open.empty() ? 0.0 : search(budget);
}

}  // namespace medir
