// The lengths of all lists of a run, as far as they say whether it was cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace medir {

// Those of parts of a run can be added up. Lists without results say nothing.
struct ListLengths {
    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

    std::size_t longest = 0, at_longest = 0, with_results = 0;
    std::size_t shortest = never;  // of those with results
    std::size_t asked = 0;         // how many results were asked for, where the source says so

    void add(std::size_t length) {
        if (length > 0) add({length, 1, 1, length, 0});
    }
    void add(const ListLengths& part) {
        if (part.longest > longest) at_longest = 0;
        if (part.longest >= longest) at_longest += part.at_longest;
        longest = std::max(longest, part.longest);
        with_results += part.with_results;
        shortest = std::min(shortest, part.shortest);
        asked = std::max(asked, part.asked);
    }
    // The length at which lists were cut; never where nothing cut the run.
    std::size_t cut() const {
        if (asked > 0) return asked;
        return at_longest >= 2 || with_results == 1 ? longest : never;
    }
};

}  // namespace medir
