#include "solvers/narrow_walk.hpp"

#include <algorithm>

namespace medir {

namespace {

// The bits of a mask without the one at a place: those above it move down.
std::size_t without_bit(std::size_t mask, std::uint32_t bit) {
    const std::size_t below = (std::size_t{1} << bit) - 1;
    return (mask & below) | (mask >> 1 & ~below);
}

}  // namespace

bool NarrowWalk::lay_out(const std::vector<std::uint32_t>& favoured, const std::vector<std::uint32_t>& other,
                         std::size_t most_entries) {
    met_.assign(favoured.size(), 0);
    straddlers_.resize(favoured.size());
    steps_.resize(2 * favoured.size());
    Step* step = steps_.data();
    std::uint32_t *met = met_.data(), *straddlers = straddlers_.data(), wide = 0;
    std::size_t entries = 1;
    const auto open_or_close = [&](std::uint32_t unknown, std::uint32_t place, bool in_favoured) {
        const bool closes = met[unknown];
        *step = {closes ? Kind::closes : Kind::opens, in_favoured, unknown, place, wide, wide, entries};
        entries += std::size_t{1} << wide;
        met[unknown] = 1;
        if (closes) {
            std::uint32_t bit = 0;
            while (straddlers[bit] != unknown) ++bit;
            step->bit = bit;
            for (--wide; bit < wide; ++bit) straddlers[bit] = straddlers[bit + 1];
        } else {
            straddlers[wide++] = unknown;
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
    const std::size_t entries = std::size_t{1} << step.straddlers, one = std::size_t{1} << step.bit;
    const CountedList& list = step.in_favoured ? problem_->favoured : problem_->other;
    const double sign = step.in_favoured ? 1.0 : -1.0;
    const double known = sign * list.known[step.place], with = known + sign * list.slope[step.place];
    const double keep = step.in_favoured ? 1.0 : keep_, other_keep = step.in_favoured ? keep_ : 1.0;
    for (std::size_t high = 0; high < entries; high += 2 * one) {
        Entry* entry = &table_[step.offset + high];
        for (std::size_t s = 0; s < one; ++s, ++below) {
            const double most = below->most, a = below->level, b = below->other_level;
            const double level = step.in_favoured ? a : b;
            entry[s] = {known * level + most, a, b, false};
            entry[one + s] = {with * level + keep_ * most, keep * a, other_keep * b, false};
        }
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
            s = without_bit(s, step.bit);
            continue;
        }
        const bool relevant = table_[step.offset + s].relevant;
        assignment_[step.unknown] = relevant;
        s += static_cast<std::size_t>(relevant & (step.kind == Kind::opens)) << step.bit;
    }
}

}  // namespace medir
