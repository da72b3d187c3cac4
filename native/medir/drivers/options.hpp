// How the queries of a pairing are compared, judged or scored.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "lists/lengths.hpp"
#include "pairs/matching.hpp"

namespace medir {

constexpr std::size_t no_limit = std::size_t{1} << 40;  // of ranks: deeper than any

struct Options {
    Reading reading;
    std::vector<std::size_t> reaches;  // by measure: the ranks that it looks at
    int threads;
    std::shared_ptr<const Lengths> lengths;  // of documents, where a measure needs them
};

// Throws an error where a file that runs, judgments, lengths or clusters are read from has changed: to be called before
// what was made of them is handed on. `runs` is a pairing or a pool.
template <class Runs>
void check_sources(const Runs& runs, const Lists* qrels, const Options& options) {
    runs.check_sources();
    if (qrels != nullptr) qrels->check_source();
    if (options.lengths != nullptr) options.lengths->check_source();
    if (options.reading.clusters != nullptr) options.reading.clusters->check_source();
}

}  // namespace medir
