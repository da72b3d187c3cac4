// MED of many pairs of runs. The documents of a query are numbered once, for all runs.
#pragma once

#include <algorithm>
#include <atomic>
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

    // `unseen`: whether unseen ranks add to the value; `ended`: whether a list ended within reach.
    void add(std::size_t measure, std::size_t query, const Difference& found, bool unseen, bool ended) const {
        at(measure, 0, query) = std::max(at(measure, 0, query), found.gap);
        at(measure, 1, query) += unseen;
        at(measure, 2, query) += found.unseen;
        at(measure, 3, query) += ended;
    }
    void clear(std::size_t measure, std::size_t query) const {
        for (std::size_t column = 0; column < columns; ++column) at(measure, column, query) = 0;
    }

private:
    double& at(std::size_t measure, std::size_t column, std::size_t query) const {
        return values[(measure * columns + column) * queries + query];
    }
};

// Calls work(query, thread) for every query that is not marked as finished, and marks it then.
template <class Work>
void for_each_unfinished(std::size_t queries, int threads, std::uint8_t* finished, Progress& progress, Work work) {
    parallel_blocks(queries, 1, threads, &progress, [&](std::size_t query, std::size_t, int thread) {
        const std::atomic_ref<std::uint8_t> mark(finished[query]);
        if (mark.load(std::memory_order_relaxed) != 0) return;
        work(query, thread);
        mark.store(1, std::memory_order_release);
    });
}

// Writes the med of every measure, pair and query, in this order: values[(measure * pairs + pair) * queries + query];
// NaN where neither run has the query, 0 for the effectiveness of a run and itself; and what there is to say of all
// pairs of a measure and query. Queries that are marked as finished are left alone, the others marked when all their
// values are there.
void compare_pairs(const Pool& pool, const std::vector<std::pair<std::size_t, std::size_t>>& pairs, const Lists* qrels,
                   const std::vector<std::shared_ptr<const Measure>>& measures, const Options& options, double* values,
                   PairNotes notes, std::uint8_t* finished, Progress& progress);

}  // namespace medir
