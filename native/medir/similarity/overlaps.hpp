// How much the first ranks of two lists have in common.
#pragma once

#include <cstddef>

#include "similarity/similarity.hpp"

namespace medir {

// The documents that the first ranks of both lists share, of those in either, or of the ranks.
class SetOverlap : public Similarity {
public:
    enum class Kind { jaccard, overlap };

    SetOverlap(Kind kind, std::size_t cutoff) : Similarity(cutoff), kind_(kind) {}
    double value(const Matching& matching, Workspace&) const override;

private:
    Kind kind_;
};

// Average precision of `after` if the first documents of `before` were relevant.
class AnchorMap : public Similarity {
public:
    using Similarity::Similarity;
    double value(const Matching& matching, Workspace&) const override;
};

}  // namespace medir
