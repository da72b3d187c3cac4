// The maximum of a quadratic function of unknowns that are 0 or 1, exact: persistency, then a search by counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/count_search.hpp"
#include "solvers/optimum.hpp"
#include "solvers/persistency.hpp"

namespace medir {

// Maximises sum_v linear_v x_v + sum_{v<u} w_vu x_v x_u, where the weights come from ranks:
// w_vu = 1 / max(first_v, first_u) - 1 / max(second_v, second_u).
class QuadraticProblem {
public:
    std::vector<double> linear;
    std::vector<std::uint32_t> first, second;         // the ranks of each unknown in the favoured and in the other list
    const std::vector<double>* reciprocal = nullptr;  // 1/i by rank

    // No unknowns.
    void clear();
    // `effort` is how much work may be done before the search is cut short.
    Optimum maximise(std::size_t effort);
    // Which unknowns are 1 at the best value found.
    const std::vector<char>& assignment() const { return partial_.state; }

private:
    double weight(std::size_t v, std::size_t u) const;
    double search(std::size_t effort);

    PartialAssignment partial_;
    CountSearch counts_;
};

}  // namespace medir
