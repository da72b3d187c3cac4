// Which queries are compared, and the comparison of all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lists.hpp"
#include "measure.hpp"
#include "parallel.hpp"

namespace medir {

// The queries of two runs: those of `before` in its order, then those of `after` alone in its order.
class Pairing {
public:
    Pairing(std::shared_ptr<const Lists> before, std::shared_ptr<const Lists> after, int threads);

    std::size_t size() const { return pairs_.size(); }
    std::string_view query(std::size_t i) const {
        const Pair& pair = pairs_[i];
        return pair.before != ByteIndex::none ? before_->query(pair.before) : after_->query(pair.after);
    }
    std::size_t only_before() const { return only_before_; }
    std::size_t only_after() const { return only_after_; }
    // Leaves out the queries of one run only.
    void keep_common();

    struct Pair {
        std::uint32_t before, after;  // ByteIndex::none where the run does not have the query
    };
    const Pair& operator[](std::size_t i) const { return pairs_[i]; }
    const Lists& before() const { return *before_; }
    const Lists& after() const { return *after_; }

private:
    std::shared_ptr<const Lists> before_, after_;
    std::vector<Pair> pairs_;
    std::size_t only_before_ = 0, only_after_ = 0;
};

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

// Where the values of a comparison go. Columns are contiguous, one value a query.
struct Columns {
    double* values;          // measure by measure: med, gain, loss, lower, gap
    std::uint32_t* changes;  // entered, left, moved
};

struct Counts {
    std::size_t repeats = 0;           // results dropped because their document stood higher already
    std::size_t without_relevant = 0;  // queries without a relevant judgment
    std::size_t short_lists = 0;       // queries with a list that ends above the depth looked at
    std::size_t without_length = 0;    // documents of queries that took the fallback
};

Counts compare(const Pairing& pairing, const Lists* qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
               const Options& options, Columns columns, Progress& progress);

// The relevance of the documents of the first query of a pairing that maximises each direction.
struct Witness {
    std::vector<double> gain_relevance, loss_relevance;
};
Witness solve(const Pairing& pairing, const Lists* qrels, const Measure& measure, const Options& options,
              Matching& matching);

// Effectiveness of every query of the judgments, measure by measure, in their order; a query that the run does not
// have scores as an empty list.
Counts score(const Lists& run, const Lists& qrels, const std::vector<std::shared_ptr<const Measure>>& measures,
             const Options& options, double* values);

}  // namespace medir
