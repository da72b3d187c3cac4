// The comparison of all queries of two runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "drivers/counts.hpp"
#include "drivers/options.hpp"
#include "pairs/measure.hpp"
#include "pairs/pairing.hpp"

namespace medir {

// Where the values of a comparison go. Columns are contiguous, one value per query.
struct Columns {
    double* values;          // measure by measure: med, gain, loss, lower, gap
    std::uint32_t* changes;  // entered, left, moved
};

Counts compare(const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
               const Options& options, Columns columns, Progress& progress);

// Matches the documents of one query of a pairing.
void match_query(const Pairing& pairing, std::size_t query, const Lists* qrels, const Options& options,
                 Matching& matching);

}  // namespace medir
