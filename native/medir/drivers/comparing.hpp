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
#include "shards/shards.hpp"

namespace medir {

// Where the values of a comparison go: columns of one value per query. All of them are 0 before. Without columns,
// values go nowhere.
struct Columns {
    double* values;          // measure by measure: difference_columns
    std::uint32_t* changes;  // measure by measure: change_columns
    std::size_t queries;

    void write(std::size_t query, std::size_t measure, const Difference& difference) const;
    void write(std::size_t query, std::size_t measure, const Changes& row) const;
};

// A null pointer is a measure that is computed elsewhere: only its changes are counted. The lists of all queries go to
// `shards`, unless that is null.
Counts compare(const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
               const Options& options, Columns columns, Shards* shards, Progress& progress);

// The difference of both lists under a measure, with what unseen ranks within its reach add to it.
Difference difference(const Measure& measure, Matching& matching, std::size_t reach, Workspace& workspace);

// The same, where the difference without that is known.
Difference with_unseen(Difference difference, const Measure& measure, Matching& matching, std::size_t reach,
                       Workspace& workspace);

// Matches the documents of one query of a pairing.
void match_query(const Pairing& pairing, std::size_t query, const Lists* qrels, const Options& options,
                 Matching& matching);

}  // namespace medir
