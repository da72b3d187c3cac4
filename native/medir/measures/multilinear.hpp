// Measures that are linear in the relevance of each document. So the score at the expected relevance of independent
// documents is the expected score, and many assignments of relevance can be scored side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "measures/effectiveness.hpp"

namespace medir {

// By rank, from the first on: the relevance there under many assignments, side by side. A null pointer where the
// document is not relevant under any.
using RankColumns = std::vector<const double*>;

class Multilinear : public Effectiveness {
public:
    // The relevance of a grade.
    virtual double value(std::int32_t grade) const = 0;
    // The highest.
    virtual double top() const = 0;
    // N for a query; 0 where every list scores 0.
    virtual double norm(const Matching& matching) const = 0;
    bool has_value(const Matching& matching) const override { return norm(matching) != 0; }
    // N times the score of a list under each of `count` assignments. `scratch` is memory to work in.
    virtual void sums(const RankColumns& ranks, std::size_t count, double* sums,
                      std::vector<double>& scratch) const = 0;
    // What relevance at each rank adds, from rank 0 (absent) on, where it depends on no other rank; else null.
    virtual const std::vector<double>* weights() const { return nullptr; }
    // How many intents the score of a query is the mean of; 0 for a measure that knows of none.
    virtual std::size_t intents(const Matching&) const { return 0; }
};

}  // namespace medir
