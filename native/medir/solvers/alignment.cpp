#include "solvers/alignment.hpp"

#include <algorithm>

namespace medir {

namespace {

// More than a walk can remember: wider cuts cost the same. The costs of a path add up to less than 2^64.
constexpr std::uint32_t most_straddlers = 25;

constexpr std::uint64_t beyond = std::numeric_limits<std::uint64_t>::max();  // the band: no path comes from there

std::uint64_t cost_of(std::uint32_t straddlers) { return std::uint64_t{1} << std::min(straddlers, most_straddlers); }

}  // namespace

void Alignment::align(const std::vector<std::uint32_t>& favoured, const std::vector<std::uint32_t>& other,
                      std::size_t unknowns) {
    for (auto* places : {&favoured_, &other_}) places->assign(unknowns, nowhere);
    for (std::uint32_t i = 0; i < favoured.size(); ++i) favoured_[favoured[i]] = i;
    for (std::uint32_t j = 0; j < other.size(); ++j) other_[other[j]] = j;
    steps_.clear();
    follow_fewest_straddlers(favoured, other);
    classify_steps();
}

// By dynamic programming, from the top of both lists down.
void Alignment::follow_fewest_straddlers(const std::vector<std::uint32_t>& favoured,
                                         const std::vector<std::uint32_t>& other) {
    places_.clear();
    for (const std::uint32_t unknown : other) places_.push_back(favoured_[unknown]);
    // Where the places of a cut differ by more than any document moves, each place further adds a straddler.
    const Band band{favoured.size(), other.size(), std::min(Band::most_reach, furthest_move() + 1)};
    costs_.assign(other.size() + 1, beyond);
    directions_.resize((favoured.size() + 1) * band.width());
    std::uint32_t straddlers = 0;  // the first cut of a row
    fill_row(band, 0, straddlers, nowhere);
    for (std::size_t i = 1; i <= favoured.size(); ++i) {
        const std::uint32_t place = other_[favoured[i - 1]];
        const std::size_t before = band.first(i - 1), first = band.first(i);
        straddlers += place < before ? -1u : 1;
        if (first > before) straddlers += places_[before] < i ? -1u : 1;
        fill_row(band, i, straddlers, place == nowhere ? nowhere : place + 1);
    }
    for (std::size_t i = favoured.size(), j = other.size(); i > 0 || j > 0;) {
        const Direction direction = directions_[i * band.width() + j - band.first(i)];
        const bool in_favoured = direction != Direction::other, in_other = direction != Direction::favoured;
        i -= in_favoured;
        j -= in_other;
        steps_.push_back({in_favoured ? favoured[i] : other[j], in_favoured, in_other, Kind::both});
    }
    std::reverse(steps_.begin(), steps_.end());
}

std::size_t Alignment::furthest_move() const {
    std::size_t furthest = 0;
    for (std::size_t unknown = 0; unknown < favoured_.size(); ++unknown) {
        const std::uint32_t n = favoured_[unknown], m = other_[unknown];
        if ((n == nowhere) != (m == nowhere)) return Band::most_reach;
        furthest = std::max<std::size_t>(furthest, n > m ? n - m : m - n);
    }
    return furthest;
}

// The cuts at a place of the favoured list, from those one place above. So many straddle the first of them; the unknown
// in between is met just above place `met` of the other list.
void Alignment::fill_row(const Band& band, std::size_t place, std::uint32_t straddlers, std::uint32_t met) {
    const std::size_t first = band.first(place), last = band.last(place);
    Direction* directions = &directions_[place * band.width()];
    std::uint64_t left = place == 0 ? 0 : beyond;
    std::uint64_t diagonal = first > 0 ? costs_[first - 1] : beyond;
    for (std::size_t j = first; j <= last; ++j) {
        if (j > first) straddlers += places_[j - 1] < place ? -1u : 1;
        const std::uint64_t above = costs_[j];
        std::uint64_t least = std::min(above, left);
        Direction direction = above <= left ? Direction::favoured : Direction::other;
        if (j == met && diagonal <= least) {
            least = diagonal;
            direction = Direction::both;
        }
        *directions++ = direction;
        diagonal = above;
        costs_[j] = left = least + cost_of(straddlers);
    }
}

void Alignment::classify_steps() {
    met_.assign(favoured_.size(), 0);
    for (Step& step : steps_) {
        if (step.in_favoured && step.in_other) continue;
        step.kind = met_[step.unknown] ? Kind::closes : Kind::opens;
        met_[step.unknown] = 1;
    }
}

}  // namespace medir
