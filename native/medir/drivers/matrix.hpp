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

// Columns of one value per query, measure by measure, over all pairs of two runs: the largest gap, to how many values
// unseen ranks add, and how much. What they add is known for measures with a cutoff and for those that are found at
// once; solving the others again would take too long, so that all pairs with unseen ranks within reach are counted.
// Last, how many pairs have a list that ended within reach.
struct PairNotes {
    static constexpr std::size_t columns = 4;

    double* values;
    std::size_t queries;

    double& gap(std::size_t measure, std::size_t query) const { return at(measure, 0, query); }
    double& unseen_pairs(std::size_t measure, std::size_t query) const { return at(measure, 1, query); }
    double& unseen_added(std::size_t measure, std::size_t query) const { return at(measure, 2, query); }
    double& ended_pairs(std::size_t measure, std::size_t query) const { return at(measure, 3, query); }
    void clear(std::size_t measure, std::size_t query) const {
        for (std::size_t column = 0; column < columns; ++column) at(measure, column, query) = 0;
    }

private:
    double& at(std::size_t measure, std::size_t column, std::size_t query) const {
        return values[(measure * columns + column) * queries + query];
    }
};

// Writes the med of every measure, pair and query, in this order: values[(measure * pairs + pair) * queries + query];
// NaN where neither run has the query, 0 for the effectiveness of a run and itself; and what there is to say of all
// pairs of a measure and query. Queries that are marked as finished are left alone, the others marked when all their
// values are there.
void compare_pairs(const Pool& pool, const std::vector<std::pair<std::size_t, std::size_t>>& pairs, const Lists* qrels,
                   const std::vector<std::shared_ptr<const Measure>>& measures, const Options& options, double* values,
                   PairNotes notes, std::uint8_t* finished, Progress& progress);

}  // namespace medir
