// The expected difference of all queries of two runs under a prior of relevance, and how it is distributed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "drivers/chances.hpp"
#include "drivers/counts.hpp"
#include "drivers/options.hpp"
#include "measures/multilinear.hpp"
#include "pairs/pairing.hpp"

namespace medir {

// How likely a document is relevant that nobody has judged: by its better rank, or by query and document. A cluster
// goes by its first document.
struct Prior {
    std::vector<double> by_rank;               // from rank 1 on
    std::shared_ptr<const Lists> by_document;  // where there is one, it counts instead
    double fallback;                           // of documents that it does not name, and of deeper ranks
};

struct Expecting {
    Sampling sampling;
    std::uint64_t seed;
    std::vector<std::size_t> reaches;  // by measure: the deepest rank that it looks at
};

// Where estimates go. Columns are contiguous, one value per query.
struct Estimates {
    // Measure by measure: expected, variance, variance_error, rounding, helps, hurts, equal, unjudged, samples, and the
    // quantiles, each with the ends of its interval.
    static constexpr std::size_t before_quantiles = 9;

    double* values;
    double* sums;            // measure by measure: the sum over all queries of each sample
    std::uint32_t* changes;  // measure by measure: change_columns
};

class ExpectedCounts : public Counts {
public:
    using Counts::Counts;

    std::size_t unjudged = 0, without_prior = 0;  // results

    void add(const ExpectedCounts& counts);
};

// The same numbers for any number of threads.
ExpectedCounts expect(const Pairing& pairing, const Lists* qrels,
                      const std::vector<std::shared_ptr<const Multilinear>>& measures, const Options& options,
                      const Prior& prior, const Expecting& expecting, Estimates estimates, Progress& progress);

}  // namespace medir
