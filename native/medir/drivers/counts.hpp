// What was met in the queries of a comparison besides their values.
#pragma once

#include <cstddef>
#include <vector>

#include "base/parallel.hpp"
#include "pairs/matching.hpp"

namespace medir {

class Counts {
public:
    explicit Counts(std::size_t measures) : by_measure_(measures) {}

    std::size_t repeats = 0;           // results dropped as duplicates of a higher-ranked document
    std::size_t without_relevant = 0;  // queries without a relevant judgment
    std::size_t without_length = 0;    // documents of queries that took the fallback

    // By measure: queries with unseen ranks that it looks at, and those with a list that ended above such ranks.
    std::vector<std::size_t> unseen() const;
    std::vector<std::size_t> ended() const;

    // Counts a query under measures that look at so many ranks.
    void add(const Matching& matching, const std::vector<std::size_t>& reaches);
    void add(const Counts& counts);

private:
    struct alignas(cache_line) OfMeasure {
        std::size_t unseen = 0, ended = 0;
    };
    std::vector<OfMeasure> by_measure_;
};

}  // namespace medir
