#include "solvers/narrow_walk.hpp"

#include <algorithm>

namespace medir {

namespace {

// The straddlers' relevance below a step that closes the one with a bit: the last of them takes its place.
std::size_t below_closing(std::size_t s, std::uint32_t straddlers, std::uint32_t bit) {
    const std::uint32_t last = straddlers - 1;
    const std::size_t others = s & ~(std::size_t{1} << bit);
    return (others | (s >> last) << bit) & ((std::size_t{1} << last) - 1);
}

}  // namespace

bool NarrowWalk::lay_out(const std::vector<std::uint32_t>& favoured, const std::vector<std::uint32_t>& other,
                         std::size_t most_entries) {
    met_.assign(favoured.size(), 0);
    straddlers_.resize(favoured.size());
    bits_.resize(favoured.size());
    steps_.resize(2 * favoured.size());
    Step* step = steps_.data();
    std::uint32_t *met = met_.data(), *straddlers = straddlers_.data(), *bits = bits_.data(), wide = 0;
    std::size_t entries = 1;
    const auto open_or_close = [&](std::uint32_t unknown, std::uint32_t place, bool in_favoured) {
        const bool closes = met[unknown];
        *step = {closes ? Kind::closes : Kind::opens, in_favoured, unknown, place, wide, wide, entries};
        entries += std::size_t{1} << wide;
        met[unknown] = 1;
        if (closes) {
            step->bit = bits[unknown];
            straddlers[step->bit] = straddlers[--wide];
            bits[straddlers[wide]] = step->bit;
        } else {
            straddlers[wide] = unknown;
            bits[unknown] = wide++;
        }
        ++step;
    };
    for (std::uint32_t place = 0; place < favoured.size() && entries <= most_entries; ++place) {
        const std::uint32_t mine = favoured[place], theirs = other[place];
        if (mine == theirs) {
            *step++ = {Kind::both, true, mine, place, wide, wide, entries};
            entries += std::size_t{1} << wide;
        } else {
            const bool mine_first = met[mine];
            open_or_close(mine_first ? mine : theirs, place, mine_first);
            open_or_close(mine_first ? theirs : mine, place, !mine_first);
        }
    }
    steps_.resize(static_cast<std::size_t>(step - steps_.data()));
    entries_ = entries;
    return entries <= most_entries;
}

// The entries of the cut above a step.
void NarrowWalk::fill(const Step& step, const Entry* below) {
    const std::size_t entries = std::size_t{1} << step.straddlers;
    Entry* entry = &table_[step.offset];
    const double known = problem_->favoured.known[step.place], slope = problem_->favoured.slope[step.place];
    const double other_known = problem_->other.known[step.place], other_slope = problem_->other.slope[step.place];
    if (step.kind == Kind::both) {
        for (std::size_t s = 0; s < entries; ++s) {
            const double most = below[s].most, a = below[s].level, b = below[s].other_level;
            const double with = slope * a - other_slope * b + keep_ * most;
            entry[s] = {known * a - other_known * b + std::max(most, with), a, b, with >= most};
        }
    } else if (step.in_favoured) {
        for (std::size_t s = 0; s < entries; ++s) {
            const double most = below[s].most, a = below[s].level, b = below[s].other_level;
            const double with = slope * a + below[entries + s].most;
            entry[s] = {known * a + std::max(most, with), a, b, with >= most};
        }
    } else {
        for (std::size_t s = 0; s < entries; ++s) {
            const double most = below[s].most, a = below[s].level, b = below[s].other_level;
            const double with = below[entries + s].most - other_slope * b;
            entry[s] = {std::max(most, with) - other_known * b, a, b, with >= most};
        }
    }
}

// The same where the unknown of the step was met before. It makes a level in the other list than that of the step.
void NarrowWalk::fill_closing(const Step& step, const Entry* below) {
    const std::uint32_t last = step.straddlers - 1;
    const std::size_t entries = std::size_t{1} << last, one = std::size_t{1} << step.bit;
    const CountedList& list = step.in_favoured ? problem_->favoured : problem_->other;
    const double sign = step.in_favoured ? 1.0 : -1.0;
    const double known = sign * list.known[step.place], with = known + sign * list.slope[step.place];
    const double keep = step.in_favoured ? 1.0 : keep_, other_keep = step.in_favoured ? keep_ : 1.0;
    Entry* entry = &table_[step.offset];
    for (std::size_t s = 0; s < entries; ++s) {
        const double most = below[s].most, a = below[s].level, b = below[s].other_level;
        const double level = step.in_favoured ? a : b;
        const std::size_t moved = s & one, above = (s ^ moved) | moved << (last - step.bit);
        entry[above] = {known * level + most, a, b, false};
        entry[above | one] = {with * level + keep_ * most, keep * a, other_keep * b, false};
    }
}

void NarrowWalk::maximise(const CountedDifference& problem, double keep) {
    problem_ = &problem;
    keep_ = keep;
    if (table_.size() < entries_) table_.resize(entries_);
    table_[0] = {problem.favoured.known.back() - problem.other.known.back(), 1, 1, false};
    const Entry* below = table_.data();
    for (std::size_t t = steps_.size(); t-- > 0;) {
        const Step& step = steps_[t];
        if (step.kind == Kind::closes)
            fill_closing(step, below);
        else
            fill(step, below);
        below = &table_[step.offset];
    }
    trace();
}

// The decisions, from the first cut down.
void NarrowWalk::trace() {
    assignment_.resize(met_.size());
    std::size_t s = 0;
    for (const Step& step : steps_) {
        if (step.kind == Kind::closes) {
            s = below_closing(s, step.straddlers, step.bit);
            continue;
        }
        const bool relevant = table_[step.offset + s].relevant;
        assignment_[step.unknown] = relevant;
        s += static_cast<std::size_t>(relevant & (step.kind == Kind::opens)) << step.bit;
    }
}

}  // namespace medir
