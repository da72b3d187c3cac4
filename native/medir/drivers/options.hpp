// How the queries of a pairing are compared, judged or scored.
#pragma once

#include <cstddef>
#include <memory>

#include "lists/lengths.hpp"
#include "pairs/difference.hpp"
#include "pairs/matching.hpp"

namespace medir {

struct Options {
    std::size_t depth;  // ranks below are not looked at
    std::size_t reach;  // ranks whose relevance counts
    Unseen unseen;
    Repeats repeats;
    Intents intents;
    Ties ties;
    int threads;
    std::shared_ptr<const Lengths> lengths;  // of documents, where a measure needs them
};

}  // namespace medir
