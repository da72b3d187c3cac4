// One query of a pairing, asked for by its position: its documents, and what each measure makes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "drivers/options.hpp"
#include "measures/effectiveness.hpp"
#include "pairs/pairing.hpp"

namespace medir {

struct Query {
    Matching matching;
    // The documents that are in a list or judged, by their numbers in the matching: those of `before` in rank order,
    // those of `after` alone in rank order, those that are only judged.
    std::vector<std::uint32_t> documents;
    std::vector<Solution> solutions;  // one per measure; the relevance that reaches it is that of the matching
};

// Each direction of each measure is maximised once.
Query query(const Pairing& pairing, std::size_t position, const Lists* qrels,
            const std::vector<std::shared_ptr<const Effectiveness>>& measures, const Options& options);

}  // namespace medir
