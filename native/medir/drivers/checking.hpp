// Judgments read in full before they are used.
#pragma once

#include <cstddef>
#include <memory>

#include "lists/clusters.hpp"
#include "lists/grading.hpp"
#include "lists/lists.hpp"

namespace medir {

struct Judgments {
    std::shared_ptr<const Lists> lists;  // whose values are grades
    int highest;
    bool shares;  // whether there were fractions, shares of the highest grade that is declared
};

// Reads all judgments, so that a fault in any is found now.
Judgments check_judgments(std::shared_ptr<const Lists> qrels, const Grading& grading, Intents intents, int threads);

// How many clusters of a query were judged differently: their documents have different grades.
std::size_t count_disagreements(const Lists& qrels, std::shared_ptr<const Clusters> clusters, Intents intents,
                                int threads);

// An error about the judgment that stands first among those whose grade is above `limit`.
InputError grade_error(const Lists& qrels, int limit);

}  // namespace medir
