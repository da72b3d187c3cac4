// How much two lists share at every depth, the first ranks counting most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "similarity/similarity.hpp"

namespace medir {

// First and last rank of the tie that a document is in.
struct Span {
    std::uint32_t first, last;
};

// The ties of a list by rank from 1, cut at `size`: a document alone is a tie of one. `firsts` is empty where there
// are no ties.
void spans_of(const std::vector<std::uint32_t>& firsts, std::size_t size, std::vector<Span>& spans);

// Rank-biased overlap: (1-p) sum_d p^(d-1) X_d / N_d.
class RankBiasedOverlap : public Similarity {
public:
    enum class Rest { ext, min, max, res };  // what is assumed of the ranks below
    enum class Ties { none, w, a, b };       // what equal scores mean

    // `ranks`: both lists together have no more.
    RankBiasedOverlap(double p, Rest rest, Ties ties, std::size_t cutoff, std::size_t ranks);
    std::unique_ptr<Workspace> workspace() const override;
    double value(const Matching& matching, Workspace& workspace) const override;

private:
    struct Seen;
    void agree(const Matching& matching, Seen& seen) const;
    void add_tied(Seen& seen, Span longer, Span shorter) const;
    void divide(Seen& seen) const;
    double extrapolated(const Matching& matching) const;
    double extrapolated(Seen& seen) const;
    double least(const Seen& seen) const;
    double most(Seen& seen) const;
    double weighted(const Seen& seen) const;
    double power(std::size_t d) const;

    double p_;
    Rest rest_;
    Ties ties_;
    std::vector<double> powers_;  // (1-p) p^(d-1) at d
    std::vector<double> sums_;    // of (1-p) p^(d-1) / d, up to d
};

}  // namespace medir
