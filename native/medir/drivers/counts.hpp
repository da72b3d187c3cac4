// What was met in the queries of a comparison besides their values.
#pragma once

#include <cstddef>

#include "pairs/matching.hpp"

namespace medir {

struct Counts {
    std::size_t repeats = 0;           // results dropped because their document stood higher already
    std::size_t without_relevant = 0;  // queries without a relevant judgment
    std::size_t short_lists = 0;       // queries with a list that ends above the depth looked at
    std::size_t without_length = 0;    // documents of queries that took the fallback

    // Counts a query, except for its short lists.
    void add(const Matching& matching);
    void add(const Counts& counts);
};

}  // namespace medir
