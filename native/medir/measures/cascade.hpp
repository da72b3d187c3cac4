// MED of cascades: S(C) = (1/N) sum_i c_i d_i prod_{j<i} (1 - rho c_j).
//
// Where few unknowns straddle the cuts through both lists, one table gives the maximum. Elsewhere bounds for the
// derivative of each unknown settle most of them; a walk down both lists and a search by counts decide the others. See
// docs/mathematics.md.
#pragma once

#include <memory>
#include <utility>

#include "measures/multilinear.hpp"
#include "solvers/count_search.hpp"
#include "solvers/narrow_walk.hpp"
#include "solvers/walk.hpp"

namespace medir {

class Cascade : public Multilinear {
public:
    Cascade(std::vector<double> discount, std::vector<double> tail, std::vector<double> values, double decay,
            double norm, Effort effort);

    std::unique_ptr<Workspace> workspace() const override;
    Bounds favour(const Matching& matching, const Side& favoured, const Side& other, std::vector<double>* relevance,
                  Workspace& workspace) const override;
    bool unseen_may_count(const Side& side) const override { return side.cut && below(side.size) != 0; }
    double score(const Matching& matching) const override;

    double value(std::int32_t grade) const override { return values_[static_cast<std::size_t>(grade)]; }
    double top() const override { return values_.back(); }
    double norm(const Matching&) const override { return norm_; }
    void sums(const RankColumns& ranks, std::size_t count, double* sums, std::vector<double>& scratch) const override;

private:
    class Problem;

    bool within(std::uint32_t rank) const { return rank != 0 && rank < discount_.size(); }
    double below(std::size_t size) const { return size < tail_.size() ? tail_[size] : 0.0; }
    double value_of(const Document& document) const { return values_[static_cast<std::size_t>(document.grade)]; }
    double sum(const std::vector<double>& gains, double unseen) const;
    double least(const Matching& matching, const Side& favoured, const Side& other,
                 const std::vector<double>& relevance) const;

    std::vector<double> discount_;  // by rank: 0 for rank 0 (absent), d_1, d_2, ...; beyond the last: 0
    std::vector<double> tail_;      // tail[K]: what the ranks below K add, once reached, when all are relevant
    std::vector<double> values_;    // relevance value of each grade; the last is the highest
    std::vector<double> powers_;    // of 1 - rho r_G
    double decay_, norm_;
    Effort effort_;
};

}  // namespace medir
