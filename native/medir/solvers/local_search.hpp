// From an assignment to a local optimum: one in which no unknown alone is better changed.
#pragma once

#include <vector>

#include "solvers/budget.hpp"
#include "solvers/counted_difference.hpp"

namespace medir {

class LocalSearch {
public:
    // By unknown: by how much the value changes when it becomes relevant, and what each list has of that.
    void find_slopes(const CountedDifference& problem, const std::vector<char>& relevance);
    // Changes the unknown that gains most, as long as one gains more than a hundredth of the tolerance of the search
    // that asks for it. Returns the value.
    double improve(const CountedDifference& problem, std::vector<char>& relevance, double tolerance, Budget& budget);

    std::vector<double> slope, favoured, other;
};

}  // namespace medir
