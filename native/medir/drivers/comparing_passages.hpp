// The comparison of all queries of two runs of passages, and of many pairs of runs.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "drivers/comparing.hpp"
#include "drivers/matrix.hpp"
#include "trails/trail_measure.hpp"
#include "trails/trailtext.hpp"

namespace medir {

struct TrailOptions {
    Scope scope;
    std::vector<double> reaches;  // by measure: the characters that it looks at
    int threads;
};

struct TrailCounts {
    // By measure: queries with unseen text that it looks at, and those with a text that ended above such text.
    std::vector<std::size_t> unseen, ended;
    std::size_t without_relevant = 0;  // queries without gold
    std::size_t empty = 0;             // passages of length 0
    std::size_t repeated = 0;          // characters that were shown already
    std::size_t gold_repeated = 0;     // characters of gold passages that others hold too
};

// The queries of a pairing of passages. `columns` as compare() has them; changes are counted in characters.
TrailCounts compare_passages(const Pairing& pairing, const Lists* gold,
                             const std::vector<std::shared_ptr<const TrailMeasure>>& measures,
                             const TrailOptions& options, Columns columns, Progress& progress);

// The same of many pairs of runs, as compare_pairs() has it for documents. The text of each run is read once.
void compare_passage_pairs(const Pool& pool, const std::vector<std::pair<std::size_t, std::size_t>>& pairs,
                           const Lists* gold, const std::vector<std::shared_ptr<const TrailMeasure>>& measures,
                           const TrailOptions& options, double* values, PairNotes notes, std::uint8_t* finished,
                           Progress& progress);

// Lays out one query of a pairing.
void lay_out(const Pairing& pairing, std::size_t query, const Lists* gold, const Scope& scope, Trailtexts& trails);

}  // namespace medir
