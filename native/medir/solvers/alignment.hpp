// A path of cuts down two lists that few unknowns straddle.
//
// A cut parts each of the two lists at some place. An unknown straddles it when it stands above the cut in one list and
// not in the other. What a walk has to remember at a cut grows as 2^straddlers, so the path is chosen for which these
// add up to the least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace medir {

class Alignment {
public:
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t longest = 3000;  // of the lists for which the best path is looked for

    // An unknown is met in one list, then in the other; or in both at once.
    enum class Kind : std::uint8_t { opens, closes, both };
    // From one cut to the next, past an unknown.
    struct Step {
        std::uint32_t unknown;
        bool in_favoured, in_other;
        Kind kind;
    };

    // The lists hold numbers below `unknowns`, each at most once. Longer ones are cut at the same rank.
    void align(const std::vector<std::uint32_t>& favoured, const std::vector<std::uint32_t>& other,
               std::size_t unknowns);

    // How much work that is, in entries of a table.
    static std::size_t work(std::size_t unknowns) { return unknowns > longest ? unknowns : unknowns * unknowns / 2; }

    const std::vector<Step>& steps() const { return steps_; }
    // By unknown: its place in the list, from 0, or nowhere.
    const std::vector<std::uint32_t>& places_in_favoured() const { return favoured_; }
    const std::vector<std::uint32_t>& places_in_other() const { return other_; }

private:
    enum class Direction : std::uint8_t { favoured, other, both };  // of the last step to a cut

    void follow_ranks(const std::vector<std::uint32_t>& favoured, const std::vector<std::uint32_t>& other);
    void follow_fewest_straddlers(const std::vector<std::uint32_t>& favoured, const std::vector<std::uint32_t>& other);
    void fill_row(Direction* directions, std::uint32_t place);
    void classify_steps();

    std::vector<std::uint32_t> favoured_, other_;
    // By place in the other list, for the cuts at one place of the favoured list.
    std::vector<std::uint64_t> costs_;
    std::vector<std::uint32_t> straddlers_;
    std::vector<Direction> directions_;  // by cut
    std::vector<char> met_;
    std::vector<Step> steps_;
};

}  // namespace medir
