// A path of cuts down two lists that few unknowns straddle.
//
// A cut parts each of the two lists at some place. An unknown straddles it when it stands above the cut in one list and
// not in the other. What a walk has to remember at a cut grows as 2^straddlers, so the path is chosen for which these
// add up to the least. Only cuts that part the lists at about the same place are looked at: at least as many unknowns
// straddle a cut as its places differ by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace medir {

class Alignment {
public:
    static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

    // An unknown is met in one list, then in the other; or in both at once.
    enum class Kind : std::uint8_t { opens, closes, both };
    // From one cut to the next, past an unknown.
    struct Step {
        std::uint32_t unknown;
        bool in_favoured, in_other;
        Kind kind;
    };

    // The lists hold numbers below `unknowns`, each at most once.
    void align(const std::vector<std::uint32_t>& favoured, const std::vector<std::uint32_t>& other,
               std::size_t unknowns);

    // How much work that is at the most, in entries of a table.
    static std::size_t work(std::size_t favoured, std::size_t other) {
        const Band band{favoured, other};
        return favoured * (band.width() - 1) / 2;
    }

    const std::vector<Step>& steps() const { return steps_; }
    // By unknown: its place in the list, from 0, or nowhere.
    const std::vector<std::uint32_t>& places_in_favoured() const { return favoured_; }
    const std::vector<std::uint32_t>& places_in_other() const { return other_; }

private:
    enum class Direction : std::uint8_t { favoured, other, both };  // of the last step to a cut

    // The cuts that are looked at: the places in the other list for each in the favoured one.
    struct Band {
        static constexpr std::size_t most_reach = 64;
        std::size_t favoured, other;  // how long the lists are
        std::size_t reach = most_reach;

        std::size_t first(std::size_t place) const {
            const std::size_t lag = reach + (favoured > other ? favoured - other : 0);
            return place > lag ? place - lag : 0;
        }
        std::size_t last(std::size_t place) const {
            return std::min(other, place + reach + (other > favoured ? other - favoured : 0));
        }
        std::size_t width() const {
            const std::size_t apart = favoured > other ? favoured - other : other - favoured;
            return std::min(other, 2 * reach + apart) + 1;
        }
    };

    void follow_fewest_straddlers(const std::vector<std::uint32_t>& favoured, const std::vector<std::uint32_t>& other);
    std::size_t furthest_move() const;
    void fill_row(const Band& band, std::size_t place, std::uint32_t straddlers, std::uint32_t met);
    void classify_steps();

    std::vector<std::uint32_t> favoured_, other_;
    // By place in the other list: the costs of the cuts at one place of the favoured list, and its unknowns' places
    // there.
    std::vector<std::uint64_t> costs_;
    std::vector<std::uint32_t> places_;
    std::vector<Direction> directions_;  // by cut of the band
    std::vector<char> met_;
    std::vector<Step> steps_;
};

}  // namespace medir
