// Distances between the ranks that two lists give to documents.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "similarity/similarity.hpp"

namespace medir {

// sum |r - s|, absent documents one rank below the cutoff, or below the longer list where there is none.
class Footrule : public Similarity {
public:
    Footrule(bool normalized, std::size_t cutoff, bool cut) : Similarity(cutoff), normalized_(normalized), cut_(cut) {}
    double value(const Matching& matching, Workspace&) const override;

private:
    bool normalized_, cut_;
};

// sum |1/r - 1/s|.
class ReciprocalRankDistance : public Similarity {
public:
    using Similarity::Similarity;
    double value(const Matching& matching, Workspace&) const override;
};

// 2 sum_{t<n} w_t (t - X_t), X_t the expected overlap of the first t of n ranks.
class WeightedHoeffding : public Similarity {
public:
    // w_t at t - 1. `documents`: n, or 0 for those of the two lists.
    WeightedHoeffding(std::vector<double> weights, std::size_t documents, std::size_t cutoff)
        : Similarity(cutoff), weights_(std::move(weights)), documents_(documents) {}
    double value(const Matching& matching, Workspace&) const override;

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
    double value(const Matching& matching, Workspace&) const override;

private:
    double weight(std::size_t before, std::size_t after) const;

    Kind kind_;
    std::vector<double> positions_;
};

}  // namespace medir
