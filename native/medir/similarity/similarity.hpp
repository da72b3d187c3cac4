// Rank similarities and distances: measures of two lists that need no relevance.
#pragma once

#include <algorithm>
#include <cstddef>

#include "pairs/measure.hpp"

namespace medir {

class Similarity : public Measure {
public:
    // `cutoff`: lists are cut there.
    explicit Similarity(std::size_t cutoff) : cutoff_(cutoff) {}

    // no_value where it cannot be computed.
    virtual double value(const Matching& matching, Workspace& workspace) const = 0;

    bool looks_below() const final { return false; }
    // What repeats a document above it is left out.
    Difference difference(const Matching& matching, Workspace& workspace) const final {
        const double found =
            matching.has_repeats() ? value(matching.without_repeats(), workspace) : value(matching, workspace);
        return {found, no_value, no_value, no_value, 0.0};
    }

protected:
    std::size_t before_size(const Matching& matching) const { return std::min(matching.before_size(), cutoff_); }
    std::size_t after_size(const Matching& matching) const { return std::min(matching.after_size(), cutoff_); }
    bool shared(const Document& document) const {
        return document.before != 0 && document.after != 0 && document.before <= cutoff_ && document.after <= cutoff_;
    }

    std::size_t cutoff_;
};

}  // namespace medir
