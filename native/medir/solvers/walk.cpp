#include "solvers/walk.hpp"

#include <algorithm>
#include <bit>

#include "solvers/sweep.hpp"

namespace medir {

namespace {

constexpr int most_bits = 20;

}  // namespace

void Walk::List::clear() {
    unknowns.clear();
    slope.clear();
    known.clear();
}

// Past the unknowns on a path that few of them straddle.
void Walk::lay_out_steps() {
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
    const std::size_t size = favoured.unknowns.size();
    cuts_.assign(steps_.size() + 1, {});
    bit_.assign(size, -1);
    opened_.assign(size, 0);
    closed_.assign(size, 0);
    straddlers_.clear();
    for (std::size_t t = 1; t <= steps_.size(); ++t) {
        const Step& step = steps_[t - 1];
        if (step.in_favoured && step.in_other) continue;
        (step.closes ? closed_ : opened_)[step.unknown] = static_cast<std::uint32_t>(t);
        if (step.closes) straddlers_.push_back(step.unknown);
    }
    for (const std::uint32_t unknown : straddlers_)
        for (std::size_t t = opened_[unknown]; t < closed_[unknown]; ++t)
            met_in_favoured(unknown) ? ++cuts_[t].highest : --cuts_[t].lowest;
    widest_ = 0;
    for (const Cut& cut : cuts_) widest_ = std::max(widest_, cut.rows() - 1);
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

// Chooses the straddlers that the table remembers: those that straddle the fewest cuts first.
void Walk::remember(std::size_t entries) {
    lay_out_cuts();
    const auto span = [&](std::uint32_t unknown) { return closed_[unknown] - opened_[unknown]; };
    std::sort(straddlers_.begin(), straddlers_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return span(a) != span(b) ? span(a) < span(b) : opened_[a] < opened_[b];
    });
    forgotten_ = 0;
    for (const std::uint32_t unknown : straddlers_) forgotten_ += !remember_one(unknown, entries);
    std::size_t total = 0;
    for (Cut& cut : cuts_) {
        cut.offset = total;
        total += cut.entries();
    }
    table_.resize(total);
}

// Bounds for all cuts, from the last up. An entry stands for none that is relevant above in both; for others it is
// scaled.
void Walk::tabulate() {
    table_[cuts_.back().row(0)] = favoured.known.back() - other.known.back();
    for (std::size_t t = steps_.size(); t-- > 0;) {
        const Cut& cut = cuts_[t];
        excess_.assign(std::size_t{1} << cut.bits, 0);
        for (int bit = 0; bit < cut.bits; ++bit) {
            const std::uint32_t one = std::uint32_t{1} << bit;
            const int change = !(cut.remembered & one) ? 0 : cut.remembered_favoured & one ? 1 : -1;
            for (std::uint32_t s = 0; s < one; ++s) excess_[s | one] = excess_[s] + change;
        }
        for (int excess = cut.lowest; excess <= cut.highest; ++excess) tabulate_row(t, excess);
    }
}

void Walk::tabulate_row(std::size_t t, int excess) {
    const Cut &cut = cuts_[t], &next = cuts_[t + 1];
    const Step& step = steps_[t];
    const bool single = step.in_favoured != step.in_other;
    const int bit = single ? bit_[step.unknown] : -1;
    const std::uint32_t one = bit >= 0 ? std::uint32_t{1} << bit : 0;
    const int after_one = excess + (single && bit < 0 ? (step.in_favoured ? 1 : -1) : 0);
    const auto row = [&](int e) -> const double* {
        return e >= next.lowest && e <= next.highest ? &table_[next.row(e)] : nullptr;
    };
    const double *zero = row(excess), *relevant = row(after_one);
    double* entry = &table_[cut.row(excess)];
    for (std::uint32_t s = cut.remembered;; s = (s - 1) & cut.remembered) {
        const int ahead = excess + excess_[s];
        const double a = level[static_cast<std::size_t>(std::max(ahead, 0))];
        const double b = level[static_cast<std::size_t>(std::max(-ahead, 0))];
        const bool one_more_in_both = !single || (step.in_favoured ? ahead < 0 : ahead > 0);
        const double factor = one_more_in_both ? keep : 1.0;
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

// What a list adds below its first `met` unknowns, but for the straddlers: unknowns that were not met in either list
// are all relevant or all not.
void Walk::describe_rest(const List& list, std::size_t met, const std::vector<std::uint32_t>& places,
                         std::size_t met_there, bool relevant, const std::vector<std::size_t>& slot,
                         std::vector<Segment>& rest) const {
    rest.clear();
    Segment segment;
    for (std::size_t i = met; i < list.unknowns.size(); ++i) {
        const std::uint32_t unknown = list.unknowns[i];
        segment.gain += segment.factor * list.known[i];
        if (places[unknown] < met_there) {
            segment.straddler = slot[unknown];
            segment.slope = list.slope[i];
            rest.push_back(segment);
            segment = {};
        } else if (relevant) {
            segment.gain += segment.factor * list.slope[i];
            segment.factor *= keep;
        }
    }
    segment.gain += segment.factor * list.known.back();
    rest.push_back(segment);
}

void Walk::keep_best(std::size_t position) {
    for (std::size_t t = steps_.size(); t-- > 0;) {
        const std::uint32_t from = trail_[t][position];
        best_[steps_[t].unknown] = from & 1;
        position = from >> 1;
    }
}

bool Walk::sweep(std::size_t room) {
    return widest_ <= 64 ? Sweep<1>(*this, labels_, room).run() : Sweep<most_words>(*this, wide_labels_, room).run();
}

// None relevant, and at most what is left when all are in the favoured list and none in the other.
Optimum Walk::with_none() {
    const std::vector<std::size_t> nothing;
    describe_rest(favoured, 0, alignment_.places_in_other(), 0, true, nothing, rest_);
    describe_rest(other, 0, alignment_.places_in_favoured(), 0, false, nothing, other_rest_);
    const double most = rest_.front().gain - other_rest_.front().gain;
    describe_rest(favoured, 0, alignment_.places_in_other(), 0, false, nothing, rest_);
    const double none = rest_.front().gain - other_rest_.front().gain;
    return {none, most - none};
}

Optimum Walk::maximise(std::size_t effort, double tolerance) {
    constexpr std::size_t first_entries = 2, growth = 16, first_room = 8;
    tolerance_ = tolerance;
    effort_ = effort;
    lay_out_steps();
    const Optimum none = with_none();
    best_.assign(favoured.unknowns.size(), 0);
    best_value_ = none.value;
    double bound = none.value + none.gap;
    std::size_t entries = first_entries;
    remember(entries);
    if (widest_ > 64 * most_words) return none;
    // The same steps whatever the effort, so that more of them are never worse.
    bool proven = bound <= best_value_ + tolerance_;
    while (!proven && table_.size() <= effort_) {
        effort_ -= table_.size();
        tabulate();
        bound = std::min(bound, table_[cuts_[0].offset]);
        std::size_t room = forgotten_ == 0 ? 1 : first_room;
        for (; !proven && effort_ > 0 && room <= growth * growth * entries; room *= growth) {
            proven = sweep(room);
            bound = std::min(bound, std::max(put_aside_, best_value_));
        }
        entries *= growth;
        if (!proven) remember(entries);
    }
    return {best_value_, proven ? 0.0 : std::max(0.0, bound - best_value_)};
}

}  // namespace medir
