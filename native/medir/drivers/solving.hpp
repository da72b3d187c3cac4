// One query of a pairing, with the relevance of its documents that makes the difference.
#pragma once

#include <cstddef>
#include <vector>

#include "drivers/options.hpp"
#include "measures/effectiveness.hpp"
#include "pairs/pairing.hpp"

namespace medir {

// The relevance of the documents of a query that maximises each direction.
struct Witness {
    std::vector<double> gain_relevance, loss_relevance;
};
Witness solve(const Pairing& pairing, std::size_t query, const Lists* qrels, const Effectiveness& measure,
              const Options& options, Matching& matching);

}  // namespace medir
