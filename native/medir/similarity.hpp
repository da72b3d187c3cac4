// Rank similarities and distances: measures of two lists that need no relevance.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "measure.hpp"

namespace medir {

inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

class Similarity : public Measure {
public:
    // `cutoff`: lists are cut there.
    explicit Similarity(std::size_t cutoff) : cutoff_(cutoff) {}

    // no_value where it cannot be computed.
    virtual double value(const Matching& matching) const = 0;

    Difference difference(const Matching& matching, Unseen) const override {
        return {value(matching), no_value, no_value, no_value, 0.0};
    }
    Bounds favour(const Matching&, Side, Side, Unseen, std::vector<double>*) const override {
        throw std::logic_error("a rank similarity knows of no relevance");
    }
    double score(const Matching&) const override { throw std::logic_error("a rank similarity knows of no relevance"); }

protected:
    std::size_t before_size(const Matching& matching) const { return std::min(matching.before_size(), cutoff_); }
    std::size_t after_size(const Matching& matching) const { return std::min(matching.after_size(), cutoff_); }
    bool shared(const Document& document) const {
        return document.before != 0 && document.after != 0 && document.before <= cutoff_ && document.after <= cutoff_;
    }

    std::size_t cutoff_;
};

// First and last rank of the tie that a document is in.
struct Span {
    std::uint32_t first, last;
};

// The ties of a list by rank from 1, cut at `size`: a document alone is a tie of one. `firsts` is empty where there
// are no ties.
void spans_of(const std::vector<std::uint32_t>& firsts, std::size_t size, std::vector<Span>& spans);

// Adds up weights from the first place to any other; places from 1.
template <class Weight>
class Prefixes {
public:
    explicit Prefixes(std::size_t size) : sums_(size + 1) {}

    void add(std::size_t place, Weight weight) {
        for (; place < sums_.size(); place += place & -place) sums_[place] += weight;
    }
    Weight up_to(std::size_t place) const {
        Weight sum{};
        for (; place > 0; place -= place & -place) sum += sums_[place];
        return sum;
    }

private:
    std::vector<Weight> sums_;
};

// Rank-biased overlap: (1-p) sum_d p^(d-1) X_d / N_d.
class RankBiasedOverlap : public Similarity {
public:
    enum class Rest { ext, min, max, res };  // what is assumed of the ranks below
    enum class Ties { none, w, a, b };       // what equal scores mean

    // `ranks`: both lists together have no more.
    RankBiasedOverlap(double p, Rest rest, Ties ties, std::size_t cutoff, std::size_t ranks);
    double value(const Matching& matching) const override;

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

// Correlations of the ranks of shared documents.
class RankCorrelation : public Similarity {
public:
    enum class Kind { tau_b, rho, tau_ap, symmetric_tau_ap };

    RankCorrelation(Kind kind, bool ties, std::size_t cutoff) : Similarity(cutoff), kind_(kind), ties_(ties) {}
    double value(const Matching& matching) const override;

private:
    Kind kind_;
    bool ties_;
};

// The documents that the first ranks of both lists share, of those in either, or of the ranks.
class SetOverlap : public Similarity {
public:
    enum class Kind { jaccard, overlap };

    SetOverlap(Kind kind, std::size_t cutoff) : Similarity(cutoff), kind_(kind) {}
    double value(const Matching& matching) const override;

private:
    Kind kind_;
};

// Average precision of `after` if the first documents of `before` were relevant.
class AnchorMap : public Similarity {
public:
    using Similarity::Similarity;
    double value(const Matching& matching) const override;
};

// sum |r - s|, absent documents one rank below the cutoff, or below the longer list where there is none.
class Footrule : public Similarity {
public:
    Footrule(bool normalized, std::size_t cutoff, bool cut) : Similarity(cutoff), normalized_(normalized), cut_(cut) {}
    double value(const Matching& matching) const override;

private:
    bool normalized_, cut_;
};

// sum |1/r - 1/s|.
class ReciprocalRankDistance : public Similarity {
public:
    using Similarity::Similarity;
    double value(const Matching& matching) const override;
};

// 2 sum_{t<n} w_t (t - X_t), X_t the expected overlap of the first t of n ranks.
class WeightedHoeffding : public Similarity {
public:
    // w_t at t - 1. `documents`: n, or 0 for those of the two lists.
    WeightedHoeffding(std::vector<double> weights, std::size_t documents, std::size_t cutoff)
        : Similarity(cutoff), weights_(std::move(weights)), documents_(documents) {}
    double value(const Matching& matching) const override;

private:
    std::vector<double> weights_;
    std::size_t documents_;
};

// Kendall's distance or Spearman's footrule of shared documents, with weights of positions.
class PositionWeighted : public Similarity {
public:
    enum class Kind { kendall, footrule };

    // `positions`: what the swaps from rank 1 to each rank cost together; empty where all weigh the same.
    PositionWeighted(Kind kind, std::vector<double> positions, std::size_t cutoff)
        : Similarity(cutoff), kind_(kind), positions_(std::move(positions)) {}
    double value(const Matching& matching) const override;

private:
    double weight(std::size_t before, std::size_t after) const;

    Kind kind_;
    std::vector<double> positions_;
};

}  // namespace medir
