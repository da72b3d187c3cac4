// MED of measures without decay: S(C) = (1/N) sum_i c_i d_i.
//
// Each document is decided alone: it takes the highest relevance if its weight d_n - d_m in the favoured direction is
// positive, else none. See docs/mathematics.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "matching.hpp"

namespace medir {

enum class Unseen { anything, nothing };  // what the ranks below a list hold

struct Difference {
    double med, gain, loss, lower, gap;
};

struct DotProduct {
    std::vector<double> discount;         // by rank: 0 for rank 0 (absent), d_1, d_2, ...; beyond the last: 0
    std::vector<double> tail;             // tail[K] = sum of d_i for i > K; beyond the last: 0
    std::vector<double> values;           // relevance value of each grade; the last is the highest
    std::vector<std::int64_t> available;  // with knowledge of the collection: how many documents have each grade
    double norm;                          // N; 0 when it follows from the judgments of the query

    Difference difference(const Matching& matching, Unseen unseen) const;
    // Effectiveness of the list `before`: what is not judged is not relevant.
    double score(const Matching& matching) const;

private:
    struct Bounds {
        double most, least;  // of S(favoured) - S(other): the maximum, and what it cannot fall below
    };
    struct Side {
        std::uint32_t Document::* rank;
        std::size_t size;  // of the list
    };

    double weight(std::size_t rank) const { return rank < discount.size() ? discount[rank] : 0.0; }
    double below(std::size_t size) const { return size < tail.size() ? tail[size] : 0.0; }
    double query_norm(const Matching& matching) const;
    Bounds favour(const Matching& matching, Side favoured, Side other, Unseen unseen) const;
    Bounds favour_limited(const Matching& matching, Side favoured, Side other, Unseen unseen) const;
    double taken_away(const Matching& matching, Side favoured, Side other) const;
    double in_unseen_ranks(std::vector<double>& relevance, std::size_t first) const;
};

}  // namespace medir
