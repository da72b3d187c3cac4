// The lists of all queries as text that a page loads piece by piece: a shard is the JSON of consecutive queries. They
// are written while queries are compared, when their documents are matched anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "measures/multilinear.hpp"
#include "shards/checksums.hpp"

namespace medir {

// A measure whose terms follow from ranks and relevance. Relevance is written as a position in `values`.
struct ShardMeasure {
    std::shared_ptr<const Multilinear> kernel;  // null for a measure that is not written
    std::vector<double> values;
    std::size_t reach;   // the ranks that it looks at
    bool norm_by_query;  // whether N is another one for each query, and is written
};

// The ids of the queries as an array of JSON, and of each query
//
//   [cut, before, after, places, grades, [gain, loss, gain, loss, ...], [ids], [norms], [others], [repeats]]
//
// cut: 1 where unseen ranks that a measure looks at follow the list before, plus 2 where they follow the list after.
// before, after: how many ranks are here, no more than a measure looks at. ids: the documents of `before` by rank, then
// the others of `after` by rank. places: the rank of each in `after`, 0 for none. grades: one more than the grade of
// each document, 0 for none; empty where nothing is judged. gain, loss: one character per document, for each measure,
// the relevance that makes the most gain and the most loss; intent by intent for a measure of intents. norms: those of
// the measures whose norm is by query. others: where another document of a cluster stands in `after`, the place of the
// document among the ids, and the id. repeats: for those that repeat one above, both places. What comes last and holds
// nothing is left out.
//
// Numbers are written in the digits of base64 for names of files, five bits at a time, lowest first; all but the last
// digit of a number have 32 added.
struct Shard {
    std::size_t number;
    std::string_view queries, lists;
};

using ShardSink = std::function<void(const Shard&)>;

inline constexpr std::size_t most_shard_values = 64;

// Writes the lists of one query after the other. A thread has its own.
class ShardWriter {
public:
    // `occurring` takes the documents that occur, unless it is empty.
    ShardWriter(const std::vector<ShardMeasure>& measures, SharedBits& occurring);

    void begin();
    // The relevance of the next query under a measure.
    void take(std::size_t measure, Solution&& solution) { solutions_[measure] = std::move(solution); }
    // Returns the CRC-32 of the query's id as it is shown.
    std::uint32_t append(std::string_view query, const Matching& matching);
    Shard end(std::size_t number);

private:
    std::uint32_t within(std::uint32_t rank) const { return rank <= reach_ ? rank : 0; }
    void order(const Matching& matching);
    void append_grades(const Matching& matching);
    void append_solutions(const Matching& matching);
    void append_relevance(const std::vector<double>& values, const std::vector<double>& relevance, std::size_t all);
    void append_ids(const Matching& matching);
    void append_same(const Matching& matching);

    const std::vector<ShardMeasure>& measures_;
    SharedBits& occurring_;
    std::size_t reach_ = 0;
    std::vector<Solution> solutions_;
    std::vector<std::uint32_t> documents_, others_;
    std::vector<std::size_t> places_;  // of the documents of a matching among these
    std::size_t before_ = 0;
    std::string ids_, lists_, norms_, room_;
};

// What a comparison is asked to write.
struct Shards {
    std::vector<ShardMeasure> measures;  // one for each that is compared
    std::size_t queries;                 // in a shard
    std::uint32_t* checksums;            // takes the CRC-32 of each query's id
    SharedBits occurring;
    ShardSink sink;  // is given every shard, in any order and by any thread
};

}  // namespace medir
