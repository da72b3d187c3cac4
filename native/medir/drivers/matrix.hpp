// MED of many pairs of runs. The documents of a query are numbered once, for all runs.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "drivers/options.hpp"
#include "pairs/measure.hpp"
#include "pairs/pool.hpp"

namespace medir {

// Writes the med of every measure, pair and query, in this order: values[(measure * pairs + pair) * queries + query];
// NaN where neither run has the query; and the largest gap of each measure and query. Queries that are marked as
// finished are left alone, the others marked when all their values are there.
void compare_pairs(const Pool& pool, const std::vector<std::pair<std::size_t, std::size_t>>& pairs, const Lists* qrels,
                   const std::vector<std::shared_ptr<const Measure>>& measures, const Options& options, double* values,
                   double* gaps, std::uint8_t* finished, Progress& progress);

}  // namespace medir
