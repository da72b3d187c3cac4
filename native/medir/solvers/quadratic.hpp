// The maximum of a quadratic function of unknowns that are 0 or 1, exact: persistency, then a search by counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/count_search.hpp"
#include "solvers/persistency.hpp"

namespace medir {

class QuadraticProblem {
public:
    QuadraticFunction function;

    // Returns the gap: by how much the maximum may yet be more than the best value found.
    double maximise(Budget& budget);
    // Which unknowns are 1 at the best value found.
    const std::vector<char>& assignment() const { return partial_.state; }

private:
    void describe(const std::vector<std::uint32_t>& ranks, CountedList& list) const;
    double search(Budget& budget);

    Persistency partial_;
    CountedDifference counted_;
    CountSearch search_;
    std::vector<double> level_;  // by count: itself
};

}  // namespace medir
