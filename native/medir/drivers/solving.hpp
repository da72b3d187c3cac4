// One query of a pairing, with the relevance of its documents that makes the difference.
#pragma once

#include <cstddef>

#include "drivers/options.hpp"
#include "measures/effectiveness.hpp"
#include "pairs/pairing.hpp"

namespace medir {

// Solves the query at a position of the pairing. `matching` takes its documents, in the order of the relevance.
Solution solve(const Pairing& pairing, std::size_t query, const Lists* qrels, const Effectiveness& measure,
               const Options& options, Matching& matching);

}  // namespace medir
