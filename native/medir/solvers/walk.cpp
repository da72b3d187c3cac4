#include "solvers/walk.hpp"

#include <algorithm>
#include <bit>

#include "solvers/sweep.hpp"

namespace medir {

namespace {

constexpr int most_bits = 20;
constexpr std::size_t most_entries = std::size_t{1} << 22;  // of a table
constexpr std::size_t most_room = std::size_t{1} << 16;     // for labels at a cut
constexpr std::size_t work_of_entry = 4;
constexpr std::size_t cuts_of_work = 8;  // that an unknown straddles

}  // namespace

// Past the unknowns on a path that few of them straddle.
void Walk::lay_out_steps() {
    const CountedList &favoured = problem_->favoured, &other = problem_->other;
    alignment_.align(favoured.unknowns, other.unknowns, favoured.unknowns.size());
    steps_.clear();
    std::size_t i = 0, j = 0;
    for (const auto& [unknown, in_favoured, in_other, kind] : alignment_.steps()) {
        Step& step = steps_.emplace_back(Step{unknown, in_favoured, in_other, kind == Alignment::Kind::closes, {}, {}});
        if (in_favoured) {
            step.favoured = {favoured.slope[i], favoured.known[i]};
            ++i;
        }
        if (in_other) {
            step.other = {other.slope[j], other.known[j]};
            ++j;
        }
    }
}

// Which unknowns straddle each cut. None is remembered yet.
void Walk::lay_out_cuts() {
    const std::size_t size = problem_->size();
    cuts_.assign(steps_.size() + 1, {});
    bit_.assign(size, -1);
    opened_.assign(size, 0);
    closed_.assign(size, 0);
    straddlers_.clear();
    widest_ = 0;
    int lowest = 0, highest = 0;
    for (std::size_t t = 1; t <= steps_.size(); ++t) {
        const Step& step = steps_[t - 1];
        if (step.in_favoured != step.in_other) {
            (step.closes ? closed_ : opened_)[step.unknown] = static_cast<std::uint32_t>(t);
            if (step.closes) straddlers_.push_back(step.unknown);
            const int change = step.closes ? -1 : 1;
            met_in_favoured(step.unknown) ? highest += change : lowest -= change;
        }
        cuts_[t].lowest = lowest;
        cuts_[t].highest = highest;
        cuts_[t].limit = most_counted_;
        widest_ = std::max(widest_, cuts_[t].straddlers());
    }
}

// Gives a straddler a bit at all its cuts, unless a cut would then have more than `entries`.
bool Walk::remember_one(std::uint32_t unknown, std::size_t entries) {
    std::uint32_t taken = 0;
    for (std::size_t t = opened_[unknown]; t < closed_[unknown]; ++t) taken |= cuts_[t].remembered;
    const int bit = std::countr_one(taken);
    if (bit >= most_bits) return false;
    for (std::size_t t = opened_[unknown]; t < closed_[unknown]; ++t)
        if ((cuts_[t].rows() - 1) << std::max(cuts_[t].bits, bit + 1) > entries) return false;
    bit_[unknown] = bit;
    for (std::size_t t = opened_[unknown]; t < closed_[unknown]; ++t) {
        Cut& cut = cuts_[t];
        cut.remembered |= std::uint32_t{1} << bit;
        cut.bits = std::max(cut.bits, bit + 1);
        if (met_in_favoured(unknown)) {
            cut.remembered_favoured |= std::uint32_t{1} << bit;
            --cut.highest;
        } else {
            ++cut.lowest;
        }
    }
    return true;
}

// Chooses the straddlers that the table remembers: those that straddle the fewest cuts first. Returns false where there
// is no room or effort for that.
bool Walk::remember(std::size_t entries, Budget& budget) {
    lay_out_cuts();
    const auto span = [&](std::uint32_t unknown) { return closed_[unknown] - opened_[unknown]; };
    std::sort(straddlers_.begin(), straddlers_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return span(a) != span(b) ? span(a) < span(b) : opened_[a] < opened_[b];
    });
    forgotten_ = 0;
    for (const std::uint32_t unknown : straddlers_) {
        if (!budget.spend(1 + span(unknown) / cuts_of_work)) return false;
        forgotten_ += !remember_one(unknown, entries);
    }
    std::size_t total = 0;
    for (Cut& cut : cuts_) {
        cut.offset = total;
        total += cut.entries();
    }
    if (total > most_entries || !budget.spend(work_of_entry * total)) return false;
    table_.resize(std::max(table_.size(), total));
    return true;
}

// Bounds for all cuts, from the last up. An entry stands for none that is relevant above in both; for others it is
// scaled.
void Walk::tabulate() {
    table_[cuts_.back().row(0)] = problem_->favoured.known.back() - problem_->other.known.back();
    for (std::size_t t = steps_.size(); t-- > 0;) {
        const Cut& cut = cuts_[t];
        excess_.assign(std::size_t{1} << cut.bits, 0);
        for (int bit = 0; bit < cut.bits; ++bit) {
            const std::uint32_t one = std::uint32_t{1} << bit;
            const int change = !(cut.remembered & one) ? 0 : cut.remembered_favoured & one ? 1 : -1;
            for (std::uint32_t s = 0; s < one; ++s) excess_[s | one] = excess_[s] + change;
        }
        for (int excess = cut.least(); excess <= cut.most(); ++excess) tabulate_row(t, excess);
    }
}

void Walk::tabulate_row(std::size_t t, int excess) {
    const Cut &cut = cuts_[t], &next = cuts_[t + 1];
    const Step& step = steps_[t];
    const bool single = step.in_favoured != step.in_other;
    const int bit = single ? bit_[step.unknown] : -1;
    const std::uint32_t one = bit >= 0 ? std::uint32_t{1} << bit : 0;
    const int after_one = excess + (single && bit < 0 ? (step.in_favoured ? 1 : -1) : 0);
    const auto row = [&](int e) -> const double* { return next.has(e) ? &table_[next.row(e)] : nullptr; };
    const double *zero = row(excess), *relevant = row(after_one);
    double* entry = &table_[cut.row(excess)];
    for (std::uint32_t s = cut.remembered;; s = (s - 1) & cut.remembered) {
        const int ahead = excess + excess_[s];
        const double a = level(static_cast<std::size_t>(std::max(ahead, 0)));
        const double b = level(static_cast<std::size_t>(std::max(-ahead, 0)));
        const bool one_more_in_both = !single || (step.in_favoured ? ahead < 0 : ahead > 0);
        const double factor = one_more_in_both ? keep_ : 1.0;
        const double gain = step.favoured.slope * a - step.other.slope * b;
        double value = never;
        if (one != 0 && step.closes) {
            if (!(s & one))
                value = zero ? zero[s] : never;
            else if (relevant)
                value = gain + factor * relevant[s & ~one];
        } else {
            if (zero) value = zero[s];
            if (relevant) value = std::max(value, gain + factor * relevant[s | one]);
        }
        entry[s] = step.favoured.known * a - step.other.known * b + value;
        if (s == 0) break;
    }
}

// For the second bound, in which no unknown that was not met yet is relevant in the other list.
void Walk::describe_rests() {
    const CountedList& list = problem_->other;
    other_turns_.resize(list.unknowns.size());
    other_known_.resize(list.known.size());
    double below = list.known.back();
    for (std::size_t i = list.unknowns.size(); i-- > 0;) {
        other_known_[i + 1] = below;
        other_turns_[list.unknowns[i]] = {static_cast<std::uint32_t>(i), list.slope[i] - (1 - keep_) * below};
        below += list.known[i];
    }
    other_known_[0] = below;
    const CountedList& favoured = problem_->favoured;
    favoured_most_.resize(favoured.known.size());
    favoured_most_.back() = favoured.known.back();
    for (std::size_t i = favoured.unknowns.size(); i-- > 0;)
        favoured_most_[i] = favoured.known[i] + favoured.slope[i] + keep_ * favoured_most_[i + 1];
    turns_.resize(favoured.unknowns.size());
}

// And in which all of them are relevant in the favoured list: returns what it adds below its first `met` unknowns when
// no straddler is relevant. Where next to nothing is reached any more, what is below is taken to be as much as it can.
double Walk::describe_favoured(std::size_t met, std::size_t met_other) {
    constexpr double next_to_nothing = 1e-20;
    const CountedList& list = problem_->favoured;
    const auto straddles = [&](std::uint32_t unknown) { return alignment_.places_in_other()[unknown] < met_other; };
    double reach = 1;
    for (reached_ = met; reached_ < list.unknowns.size() && reach > next_to_nothing; ++reached_) {
        const std::uint32_t unknown = list.unknowns[reached_];
        if (straddles(unknown))
            turns_[unknown] = {static_cast<std::uint32_t>(reached_), reach};
        else
            reach *= keep_;
    }
    double below = favoured_most_[reached_];
    for (std::size_t i = reached_; i-- > met;) {
        const std::uint32_t unknown = list.unknowns[i];
        if (straddles(unknown))
            turns_[unknown].change *= list.slope[i] - (1 - keep_) * below;
        else
            below = list.slope[i] + keep_ * below;
        below += list.known[i];
    }
    return below;
}

// What relevant straddlers change in what a list adds.
double Walk::change_by(std::vector<Turn>& turns) const {
    std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.place < b.place; });
    double sum = 0;
    for (std::size_t i = 0; i < turns.size(); ++i) sum += level(i) * turns[i].change;
    return sum;
}

void Walk::keep_best(std::size_t position) {
    for (std::size_t t = steps_.size(); t-- > 0;) {
        const std::uint32_t from = trail_[t][position];
        best_[steps_[t].unknown] = from & 1;
        position = from >> 1;
    }
}

bool Walk::sweep(std::size_t room, Budget& budget) {
    if (widest_ <= 64) return Sweep<1>(*this, labels_, room, budget).run();
    if (widest_ <= 64 * some_words) return Sweep<some_words>(*this, wider_labels_, room, budget).run();
    return Sweep<most_words>(*this, widest_labels_, room, budget).run();
}

// From the best to a local optimum.
void Walk::improve(Budget& budget) {
    std::vector<char> relevance = best_;
    const double value = local_.improve(*problem_, relevance, tolerance_, budget);
    if (value <= best_value_) return;
    best_value_ = value;
    best_ = std::move(relevance);
}

Optimum Walk::maximise(const CountedDifference& problem, double keep, int most_counted, double tolerance,
                       Budget& budget) {
    constexpr std::size_t first_entries = 2, growth = 16, first_room = 32, more_room = 4;
    problem_ = &problem;
    keep_ = keep;
    most_counted_ = most_counted;
    tolerance_ = tolerance;
    best_.assign(problem.size(), 0);
    best_value_ = problem.value(best_);
    const std::vector<char> all(problem.size(), 1);
    double bound = problem.favoured.value(all, *problem.level) - problem.other.value(best_, *problem.level);
    improve(budget);
    if (!budget.spend(Alignment::work(problem.size(), problem.size())))
        return {best_value_, std::max(bound - best_value_, 0.0)};
    lay_out_steps();
    lay_out_cuts();
    if (widest_ > 64 * most_words) return {best_value_, std::max(bound - best_value_, 0.0)};
    describe_rests();
    // The same steps whatever the effort, so that more of them are never worse.
    bool proven = bound <= best_value_ + tolerance_;
    for (std::size_t entries = first_entries; !proven && remember(entries, budget); entries *= growth) {
        tabulate();
        bound = std::min(bound, table_[cuts_[0].offset]);
        std::size_t room = forgotten_ == 0 ? 1 : first_room;
        for (; !proven && !budget.exhausted() && room <= std::min(growth * growth * entries, most_room);
             room *= more_room) {
            proven = sweep(room, budget);
            if (!proven) improve(budget);
            bound = std::min(bound, std::max(put_aside_, best_value_));
        }
    }
    return {best_value_, proven ? 0.0 : std::max(0.0, bound - best_value_)};
}

}  // namespace medir
