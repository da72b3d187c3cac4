#include "solvers/timed_walk.hpp"

#include <algorithm>
#include <limits>

namespace medir {

namespace {

constexpr std::size_t most_straddlers = 22;
constexpr std::size_t most_entries = std::size_t{1} << 23;  // of 9 bytes
constexpr std::size_t work_of_entry = 4;

}  // namespace

// Which unknowns straddle each cut. Returns how many entries all cuts have, or too many.
std::size_t TimedWalk::lay_out() {
    straddlers_.clear();
    offsets_.assign(1, 0);
    std::size_t entries = 1;
    bits_.clear();
    for (const Step& step : alignment_.steps()) {
        const auto found = std::find(straddlers_.begin(), straddlers_.end(), step.unknown);
        bits_.push_back(static_cast<std::uint32_t>(found - straddlers_.begin()));
        if (step.kind == Kind::opens) straddlers_.push_back(step.unknown);
        if (step.kind == Kind::closes) straddlers_.erase(found);
        if (straddlers_.size() > most_straddlers) return std::numeric_limits<std::size_t>::max();
        offsets_.push_back(entries);
        entries += std::size_t{1} << straddlers_.size();
    }
    return entries;
}

// What the relevance of the straddlers leaves of each list below the cut.
void TimedWalk::scale_by_straddlers() {
    scale_favoured_.assign(1, 1.0);
    scale_other_.assign(1, 1.0);
    for (const std::uint32_t straddler : straddlers_) {
        const bool above = alignment_.places_in_favoured()[straddler] < met_favoured_;
        const double in_favoured = above ? keep[straddler] : 1.0, in_other = above ? 1.0 : keep[straddler];
        for (std::size_t s = 0, size = scale_favoured_.size(); s < size; ++s) {
            scale_favoured_.push_back(in_favoured * scale_favoured_[s]);
            scale_other_.push_back(in_other * scale_other_[s]);
        }
    }
}

// Goes back to the cut above a step.
TimedWalk::Part TimedWalk::part_of(const Step& step, std::uint32_t bit) {
    Part part;
    if (step.in_favoured) {
        --met_favoured_;
        part.known_favoured = favoured.known[met_favoured_];
        part.gain_favoured = favoured.gain[met_favoured_];
    }
    if (step.in_other) {
        --met_other_;
        part.known_other = other.known[met_other_];
        part.gain_other = other.gain[met_other_];
    }
    if (step.kind == Kind::opens) straddlers_.pop_back();
    if (step.kind == Kind::closes) straddlers_.insert(straddlers_.begin() + bit, step.unknown);
    return part;
}

// The entries of the cut above a step from those of the cut below it.
void TimedWalk::tabulate(std::size_t t) {
    const Step& step = alignment_.steps()[t];
    const Part part = part_of(step, bits_[t]);
    scale_by_straddlers();
    const double kept = step.kind == Kind::opens ? 1.0 : keep[step.unknown];
    const std::size_t bit = std::size_t{1} << bits_[t], below = bit - 1;
    const double* next = &table_[offsets_[t + 1]];
    for (std::size_t s = 0; s < scale_favoured_.size(); ++s) {
        const double mine = scale_favoured_[s], theirs = scale_other_[s];
        const double known = part.known_favoured * mine - part.known_other * theirs;
        const double gain = part.gain_favoured * mine - part.gain_other * theirs;
        const bool closes = step.kind == Kind::closes, opens = step.kind == Kind::opens;
        const std::size_t without = closes ? (s & below) | ((s >> 1) & ~below) : s;
        const double zero = next[without], one = gain + kept * next[opens ? s | bit : without];
        const bool relevant = closes ? (s & bit) != 0 : one > zero;
        table_[offsets_[t] + s] = known + (relevant ? one : zero);
        choice_[offsets_[t] + s] = relevant;
    }
}

void TimedWalk::follow() {
    assignment_.assign(keep.size(), 0);
    std::size_t s = 0;
    for (std::size_t t = 0; t < bits_.size(); ++t) {
        const Step& step = alignment_.steps()[t];
        const bool relevant = choice_[offsets_[t] + s];
        const std::size_t bit = std::size_t{1} << bits_[t], below = bit - 1;
        assignment_[step.unknown] = relevant;
        if (step.kind == Kind::opens && relevant) s |= bit;
        if (step.kind == Kind::closes) s = (s & below) | ((s >> 1) & ~below);
    }
}

bool TimedWalk::maximise(Budget& budget) {
    const std::size_t path = Alignment::work(favoured.unknowns.size(), other.unknowns.size());
    if (!budget.affords(path)) return false;
    budget.spend(path);
    alignment_.align(favoured.unknowns, other.unknowns, keep.size());
    const std::size_t needed = lay_out();
    if (needed > most_entries || !budget.affords(work_of_entry * needed)) return false;
    budget.spend(work_of_entry * needed);
    table_.resize(std::max(table_.size(), needed));
    choice_.resize(table_.size());
    met_favoured_ = favoured.unknowns.size();
    met_other_ = other.unknowns.size();
    scale_by_straddlers();
    for (std::size_t s = 0; s < scale_favoured_.size(); ++s)
        table_[offsets_.back() + s] = favoured.known.back() * scale_favoured_[s] - other.known.back() * scale_other_[s];
    for (std::size_t t = bits_.size(); t-- > 0;) tabulate(t);
    follow();
    return true;
}

}  // namespace medir
