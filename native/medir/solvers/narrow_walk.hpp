// The exact maximum of a counted difference whose levels are powers (see walk.hpp), where few unknowns straddle any cut
// through both lists at about the same place.
//
// One table, from the end of the lists up, holds the maxima of what lies below each cut, by the relevance of all that
// straddle it. A cut is followed by the next unknown of either list, in turn; that which ends a straddler first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/counted_difference.hpp"

namespace medir {

class NarrowWalk {
public:
    // Lays out the path down two lists of the same unknowns, with numbers below how many they are. Returns whether the
    // table would have no more than `most_entries`.
    bool lay_out(const std::vector<std::uint32_t>& favoured, const std::vector<std::uint32_t>& other,
                 std::size_t most_entries);
    std::size_t entries() const { return entries_; }
    // Of the lists that were laid out: level[c] of the problem is keep^c, and its unknowns add nothing besides.
    void maximise(const CountedDifference& problem, double keep);
    // Which unknowns are 1 at the maximum.
    const std::vector<char>& assignment() const { return assignment_; }

private:
    enum class Kind : std::uint8_t { opens, closes, both };
    // From one cut to the next: past an unknown in one list, or past the same unknown in both.
    struct Step {
        Kind kind;
        bool in_favoured;
        std::uint32_t unknown, place;
        std::uint32_t straddlers, bit;  // of the cut above it: how many, and which of them it opens or closes
        std::size_t offset;             // of this cut in the table
    };
    // For one relevance of the straddlers of a cut, where none above it in both lists is relevant; for others it is
    // scaled.
    struct Entry {
        double most;                // of what lies below
        double level, other_level;  // that the straddlers make in each list
        bool relevant;              // whether the next unknown is, unless it was met before
    };

    void fill(const Step& step, const Entry* below);
    void fill_closing(const Step& step, const Entry* below);
    void trace();

    const CountedDifference* problem_ = nullptr;
    double keep_ = 0;
    std::vector<Step> steps_;
    std::size_t entries_ = 0;
    std::vector<std::uint32_t> straddlers_, bits_, met_;
    std::vector<Entry> table_;
    std::vector<char> assignment_;
};

}  // namespace medir
