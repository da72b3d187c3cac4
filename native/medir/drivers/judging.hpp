// Which documents to judge next: those that leave least room for a difference, whatever their grade turns out to be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "drivers/options.hpp"
#include "lists/lists.hpp"
#include "measures/effectiveness.hpp"
#include "pairs/pool.hpp"

namespace medir {

// All values are means over the pairs of runs.
struct Suggestion {
    std::size_t query;
    std::string document;
    double reduction;         // of gain + loss, guaranteed
    double med, worst, best;  // before the judgment, and after it over the possible grades
    std::uint32_t rank;       // the best in any run
    std::uint32_t order;      // among the documents of the query
};

// The grades that a document can get.
struct Scale {
    std::vector<std::int32_t> grades;
    std::vector<std::int64_t> available;  // by grade: how many documents have it; empty where that is not known
};

// The `most` best documents to judge, best first. Documents whose judgment would change nothing are left out.
std::vector<Suggestion> judge(const Pool& pool, const Lists* qrels, const Effectiveness& measure, const Scale& scale,
                              const Options& options, std::size_t most, Progress& progress);

}  // namespace medir
