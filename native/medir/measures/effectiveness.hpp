// Measures of effectiveness: what a list is worth, given the relevance of its documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pairs/measure.hpp"

namespace medir {

// One of the two lists of a matching.
struct Side {
    std::uint32_t Document::* rank;
    std::size_t size;
    bool cut;  // unseen ranks follow
};

inline Side before_side(const Matching& matching) {
    return {&Document::before, matching.before_size(), matching.before_cut()};
}
inline Side after_side(const Matching& matching) {
    return {&Document::after, matching.after_size(), matching.after_cut()};
}

// Both directions of a difference, and the relevance that each document of the matching has at their maxima.
struct Solution {
    Difference difference;
    std::vector<double> gain_relevance, loss_relevance;
};

class Effectiveness : public Measure {
public:
    // The maximum of S(favoured) - S(other) over every assignment of relevance. `relevance` takes the value that each
    // document of the matching has there, unless it is null.
    virtual Bounds favour(const Matching& matching, const Side& favoured, const Side& other,
                          std::vector<double>* relevance, Workspace& workspace) const = 0;
    // Effectiveness of the list `before`: what is not judged is not relevant.
    virtual double score(const Matching& matching) const = 0;

    // Whether unseen ranks below a list may count.
    virtual bool unseen_may_count(const Side& side) const { return side.cut; }
    // Whether a query has a value at all.
    virtual bool has_value(const Matching&) const { return true; }
    // Whether relevance is by intent, then by document.
    virtual bool by_intent() const { return false; }

    // Both directions, each maximised once; with the relevance that makes them, or without.
    Solution solve(const Matching& matching, Workspace& workspace) const;
    Difference difference(const Matching& matching, Workspace& workspace) const final;

private:
    Difference favour_both(const Matching& matching, std::vector<double>* gain_relevance,
                           std::vector<double>* loss_relevance, Workspace& workspace) const;
    // Whether both directions have the same maximum. Then rounding must not make two of it.
    virtual bool symmetric(const Matching&) const { return false; }
};

}  // namespace medir
