// How much each document is shown in two runs: over all queries, by what its rank there is worth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/fields.hpp"
#include "base/parallel.hpp"
#include "drivers/options.hpp"
#include "lists/lists.hpp"
#include "pairs/pairing.hpp"

namespace medir {

// A document by its id, whose bytes live as long as the lists. The first ones are kept here: most ids are short, and
// comparing them need not go back to the text of a file. Of a number, all of it is kept.
struct DocumentId {
    std::uint64_t start[2];
    const char* data;
    std::uint32_t size, hash;

    // `numbers`: whether some ids are numbers, so that digits count as one.
    DocumentId(const Entry& entry, bool numbers);
    bool is_number() const { return size == Entry::numbers; }
    bool is_short() const { return size <= sizeof start || is_number(); }
    std::string text() const;
    std::uint32_t digest() const { return is_number() ? digest_word(start[0]) : digest_bytes({data, size}); }
    bool operator==(const DocumentId& other) const {
        return size == other.size && start[0] == other.start[0] && start[1] == other.start[1] &&
               (is_short() || same_bytes(data + sizeof start, other.data + sizeof start, size - sizeof start));
    }
};

// A document that some list shows, and how much: a cache line.
struct alignas(64) Exposure {
    DocumentId id;
    std::uint32_t query, place;  // where it was met first: the query, and its number among the documents there
    std::uint32_t queries_before = 0, queries_after = 0;
    double before = 0, after = 0;  // the sum over queries of the worth of its rank, times the weight of the query

    std::string document() const { return id.text(); }
};

struct Exposures {
    std::vector<std::vector<Exposure>> parts;  // every document once, in an order that depends on nothing but the runs
    double before = 0, after = 0;              // what the depths of the lists alone make of it, but for repeats
    std::size_t repeats = 0;                   // results dropped as duplicates of a higher-ranked document
    // Where the ids of the documents are.
    const Pairing* pairing = nullptr;
    std::shared_ptr<const Clusters> clusters;

    std::size_t size() const;
    void check_sources() const {
        if (pairing != nullptr) pairing->check_sources();
        if (clusters != nullptr) clusters->check_source();
    }
};

// `worth` is by rank, from 1 on; ranks below are worth nothing. `weights` has one weight per query, which is left out
// where that is 0; null where all weigh 1. The sums are the same bits for any number of threads.
Exposures expose(const Pairing& pairing, const std::vector<double>& worth, const double* weights,
                 const Options& options, Progress& progress);

// The id, exposure before and after, change, queries before and after, status, title.
inline constexpr std::size_t exposure_columns = 8;

// What is written of documents besides their exposures. Documents have numbers, which go through all parts.
struct ExposureRows {
    std::vector<std::string> columns;      // the names of all columns
    std::vector<std::string> statuses;     // their names
    const double* change;                  // by number
    const std::uint8_t* status;            // by number
    const std::int64_t* order;             // by row: the number of the document
    std::vector<std::string_view> titles;  // by row; null where there is none. Or none at all.
};

// One row per document, every number in full.
void write_exposures(const Exposures& exposures, const ExposureRows& rows, const RowLayout& layout, int threads,
                     const Sink& sink);

}  // namespace medir
