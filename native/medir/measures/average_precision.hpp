// MED of average precision: S(C) = (1/N) sum_{i<=k} (c_i / i) sum_{j<=i} c_j, binary.
//
// With c^2 = c this is (1/N) times the sum of c_i c_j / max(i, j) over all pairs i <= j: a quadratic function of the
// documents that both lists hold; the others are decided at once. See docs/mathematics.md.
#pragma once

#include <memory>
#include "measures/multilinear.hpp"
#include "solvers/quadratic.hpp"

namespace medir {

class AveragePrecision : public Multilinear {
public:
    // `norm` is N, or 0 when it is the number of relevant judgments; `rel` the lowest relevant grade.
    AveragePrecision(std::size_t cutoff, int rel, double norm, Effort effort);

    std::unique_ptr<Workspace> workspace() const override;
    Bounds favour(const Matching& matching, const Side& favoured, const Side& other, std::vector<double>* relevance,
                  Workspace& workspace) const override;
    bool unseen_may_count(const Side& side) const override { return side.cut && side.size < cutoff_; }
    double score(const Matching& matching) const override;

    double value(std::int32_t grade) const override { return grade >= rel_ ? 1.0 : 0.0; }
    double top() const override { return 1.0; }
    double norm(const Matching& matching) const override { return query_norm(matching); }
    void sums(const RankColumns& ranks, std::size_t count, double* sums, std::vector<double>& scratch) const override;

private:
    struct Memory;
    double query_norm(const Matching& matching) const;
    bool relevant(const Document& document) const { return document.grade >= rel_; }
    bool within(std::uint32_t rank) const { return rank != 0 && rank <= cutoff_; }
    double least(const Matching& matching, const Side& favoured, const Side& other,
                 const std::vector<double>& relevance) const;
    // N times the score of a list, by the relevance at its ranks.
    double sum(const std::vector<double>& relevant) const;
    double score_difference(const std::vector<double>& mine, const std::vector<double>& theirs) const;
    void find_slopes(const std::vector<double>& relevant, std::vector<double>& slopes) const;

    std::size_t cutoff_;
    Effort effort_;
    std::int32_t rel_;
    double norm_;
    std::vector<double> reciprocal_;
};

}  // namespace medir
