#include "solvers/alignment.hpp"

#include <algorithm>

namespace medir {

namespace {

// More than a walk can remember: wider cuts cost the same. The costs of a path add up to less than 2^64.
constexpr std::uint32_t most_straddlers = 25;

std::uint64_t cost_of(std::uint32_t straddlers) { return std::uint64_t{1} << std::min(straddlers, most_straddlers); }

}  // namespace

void Alignment::align(const std::vector<std::uint32_t>& favoured, const std::vector<std::uint32_t>& other,
                      std::size_t unknowns) {
    for (auto* places : {&favoured_, &other_}) places->assign(unknowns, nowhere);
    for (std::uint32_t i = 0; i < favoured.size(); ++i) favoured_[favoured[i]] = i;
    for (std::uint32_t j = 0; j < other.size(); ++j) other_[other[j]] = j;
    steps_.clear();
    if (std::max(favoured.size(), other.size()) > longest)
        follow_ranks(favoured, other);
    else
        follow_fewest_straddlers(favoured, other);
    classify_steps();
}

void Alignment::follow_ranks(const std::vector<std::uint32_t>& favoured, const std::vector<std::uint32_t>& other) {
    for (std::size_t i = 0, j = 0; i < favoured.size() || j < other.size();) {
        const bool both = i == j && i < favoured.size() && j < other.size() && favoured[i] == other[j];
        const bool in_favoured = both || (i < favoured.size() && (i < j || j == other.size()));
        steps_.push_back({in_favoured ? favoured[i] : other[j], in_favoured, both || !in_favoured, Kind::both});
        i += in_favoured;
        j += both || !in_favoured;
    }
}

// By dynamic programming, from the top of both lists down.
void Alignment::follow_fewest_straddlers(const std::vector<std::uint32_t>& favoured,
                                         const std::vector<std::uint32_t>& other) {
    const std::size_t side = other.size() + 1;
    costs_.resize(side);
    straddlers_.resize(side);
    directions_.resize((favoured.size() + 1) * side);
    std::uint64_t sum = 0;
    for (std::uint32_t j = 0; j < side; ++j) {
        straddlers_[j] = j;
        costs_[j] = sum += cost_of(j);
        directions_[j] = Direction::other;
    }
    for (std::size_t i = 0; i < favoured.size(); ++i) fill_row(&directions_[(i + 1) * side], other_[favoured[i]]);
    for (std::size_t i = favoured.size(), j = other.size(); i > 0 || j > 0;) {
        const Direction direction = directions_[i * side + j];
        const bool in_favoured = direction != Direction::other, in_other = direction != Direction::favoured;
        i -= in_favoured;
        j -= in_other;
        steps_.push_back({in_favoured ? favoured[i] : other[j], in_favoured, in_other, Kind::both});
    }
    std::reverse(steps_.begin(), steps_.end());
}

// From the cuts above an unknown of the favoured list to those below it; it stands at `place` in the other list.
void Alignment::fill_row(Direction* directions, std::uint32_t place) {
    const auto side = static_cast<std::uint32_t>(costs_.size());
    const std::uint32_t met = place == nowhere ? side : place + 1;
    std::uint64_t left = std::numeric_limits<std::uint64_t>::max();
    const auto fill = [&, costs = costs_.data(), straddlers = straddlers_.data()](
                          std::uint32_t first, std::uint32_t last, std::uint32_t change) {
        for (std::uint32_t j = first; j < last; ++j) {
            const std::uint64_t above = costs[j];
            straddlers[j] += change;
            directions[j] = above <= left ? Direction::favoured : Direction::other;
            left = std::min(above, left) + cost_of(straddlers[j]);
            costs[j] = left;
        }
    };
    if (met == side) return fill(0, side, 1);
    fill(0, met - 1, 1);
    const std::uint64_t diagonal = costs_[met - 1];
    fill(met - 1, met, 1);
    const std::uint64_t above = costs_[met];
    --straddlers_[met];
    directions[met] = diagonal <= std::min(above, left) ? Direction::both
                      : above <= left                   ? Direction::favoured
                                                        : Direction::other;
    left = std::min({diagonal, above, left}) + cost_of(straddlers_[met]);
    costs_[met] = left;
    fill(met + 1, side, -1u);
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
