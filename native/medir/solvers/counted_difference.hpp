// A difference of two lists' scores that depends on its unknowns through counts: what stands at a place of a list adds
// something times level[c], where c unknowns above it are relevant. So are average precision, with level[c] = c, and
// cascades, with powers of what a relevant document leaves.
#pragma once

#include <cstdint>
#include <vector>

namespace medir {

// When c unknowns above are relevant, the next unknown adds slope * level[c] if it is relevant too, and what is known
// between it and the unknown before it adds known * level[c]. The last of `known` stands below the last unknown.
struct CountedList {
    std::vector<std::uint32_t> unknowns;  // in rank order
    std::vector<double> slope, known;

    void clear();
    // What the list adds.
    double value(const std::vector<char>& relevance, const std::vector<double>& level) const;
    // By unknown: what it and all below it add when it is relevant, less what they add when it is not.
    void find_derivatives(const std::vector<char>& relevance, const std::vector<double>& level,
                          std::vector<double>& derivatives) const;
};

struct CountedDifference {
    CountedList favoured, other;                 // both hold all unknowns
    std::vector<double> linear;                  // by unknown: what it adds besides
    const std::vector<double>* level = nullptr;  // by count

    std::size_t size() const { return linear.size(); }
    double value(const std::vector<char>& relevance) const;
};

}  // namespace medir
