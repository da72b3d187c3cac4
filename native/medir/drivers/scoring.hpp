// The effectiveness of a run, query by query.
#pragma once

#include <memory>
#include <vector>

#include "drivers/counts.hpp"
#include "drivers/options.hpp"
#include "measures/effectiveness.hpp"

namespace medir {

// Effectiveness of every query of the judgments, measure by measure, in their order; a query that the run does not
// have scores as an empty list.
Counts score(const Lists& run, const Lists& qrels, const std::vector<std::shared_ptr<const Effectiveness>>& measures,
             const Options& options, double* values);

}  // namespace medir
