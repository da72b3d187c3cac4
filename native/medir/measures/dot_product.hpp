// MED of measures without decay: S(C) = (1/N) sum_i c_i d_i.
//
// Each document is decided alone: it takes the highest relevance if its weight d_n - d_m in the favoured direction is
// positive, else none. See docs/mathematics.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "measures/multilinear.hpp"

namespace medir {

class DotProduct : public Multilinear {
public:
    DotProduct(std::vector<double> discount, std::vector<double> tail, std::vector<double> values,
               std::vector<std::int64_t> available, double norm)
        : discount_(std::move(discount)),
          tail_(std::move(tail)),
          values_(std::move(values)),
          available_(std::move(available)),
          norm_(norm) {}

    Bounds favour(const Matching& matching, const Side& favoured, const Side& other, std::vector<double>* relevance,
                  Workspace&) const override;
    bool unseen_may_count(const Side& side) const override { return side.cut && below(side.size) != 0; }
    double score(const Matching& matching) const override;

    double value(std::int32_t grade) const override { return values_[static_cast<std::size_t>(grade)]; }
    double top() const override { return values_.back(); }
    double norm(const Matching& matching) const override { return query_norm(matching); }
    void sums(const RankColumns& ranks, std::size_t count, double* sums, std::vector<double>&) const override;
    const std::vector<double>* weights() const override { return &discount_; }

private:
    bool symmetric(const Matching& matching) const override;
    bool at_once() const override { return true; }
    double weight(std::size_t rank) const { return rank < discount_.size() ? discount_[rank] : 0.0; }
    double below(std::size_t size) const { return size < tail_.size() ? tail_[size] : 0.0; }
    double query_norm(const Matching& matching) const;
    Bounds favour_unlimited(const Matching& matching, const Side& favoured, const Side& other,
                            std::vector<double>* relevance) const;
    Bounds favour_limited(const Matching& matching, const Side& favoured, const Side& other,
                          std::vector<double>* relevance) const;
    double with_unseen_ranks(const std::vector<double>& grades, std::vector<double>& judged,
                             const std::vector<double>& weights, std::size_t first,
                             std::vector<double>& to_weights) const;
    double taken_away(const Matching& matching, const Side& favoured, const Side& other) const;
    double in_unseen_ranks(std::vector<double>& relevance, std::size_t first) const;

    std::vector<double> discount_;         // by rank: 0 for rank 0 (absent), d_1, d_2, ...; beyond the last: 0
    std::vector<double> tail_;             // tail[K] = sum of d_i for i > K; beyond the last: 0
    std::vector<double> values_;           // relevance value of each grade; the last is the highest
    std::vector<std::int64_t> available_;  // with knowledge of the collection: how many documents have each grade
    double norm_;                          // N; 0 when it follows from the judgments of the query
};

}  // namespace medir
