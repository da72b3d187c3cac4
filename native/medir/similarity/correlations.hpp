// Correlations of the ranks that two lists give to the documents they share.
#pragma once

#include <cstddef>

#include "similarity/similarity.hpp"

namespace medir {

// Correlations of the ranks of shared documents.
class RankCorrelation : public Similarity {
public:
    enum class Kind { tau_b, rho, tau_ap, symmetric_tau_ap };

    RankCorrelation(Kind kind, bool ties, std::size_t cutoff) : Similarity(cutoff), kind_(kind), ties_(ties) {}
    double value(const Matching& matching, Workspace&) const override;

private:
    Kind kind_;
    bool ties_;
};

}  // namespace medir
