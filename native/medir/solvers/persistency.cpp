#include "solvers/persistency.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/budget.hpp"

namespace medir {

namespace {

constexpr std::size_t few = 100;  // unknowns: to look at all pairs takes no longer than sums do
constexpr std::size_t work_of_unknown = 100;

constexpr std::uint32_t nobody = 0xffffffff;

// max(w, 0) without a branch.
double positive_part(double w) { return 0.5 * (w + std::abs(w)); }

}  // namespace

void Persistency::settle(const QuadraticFunction& function, Budget& budget) {
    function_ = &function;
    const std::size_t size = function.size();
    slope = function.linear;
    rise.resize(size);
    fall.resize(size);
    state.assign(size, undecided);
    open.resize(size);
    std::iota(open.begin(), open.end(), 0);
    sort_by(function.first, by_first_);
    sort_by(function.second, by_second_);
    if (size > few) {
        first_order_ = by_first_;
        second_order_ = by_second_;
    }
    // Cheap bounds, as long as they decide half of what is left; then exact ones.
    std::size_t before = 0;
    do {
        before = open.size();
        estimate();
    } while (decide_round() && !open.empty() && 2 * open.size() <= before);
    if (open.empty()) return;
    if (open.size() <= few)
        settle_in_pairs();
    else
        settle_in_rounds(budget);
}

// All unknowns in the order of a list.
void Persistency::sort_by(const std::vector<std::uint32_t>& ranks, std::vector<std::uint32_t>& order) {
    const std::size_t last = ranks.empty() ? 0 : *std::max_element(ranks.begin(), ranks.end());
    at_rank_.assign(last + 1, nobody);
    for (std::uint32_t v = 0; v < ranks.size(); ++v) at_rank_[ranks[v]] = v;
    order.resize(last + 1);
    std::size_t count = 0;
    for (const std::uint32_t v : at_rank_) {
        order[count] = v;
        count += v != nobody;
    }
    order.resize(count);
}

// Bounds for the rise and fall of all open unknowns. An unknown's own weight is the difference of its reciprocals.
// Where two stand in the same order in both lists, theirs is that of the lower one; else it lies between their own: it
// is no more than that of the lower one in the second list, and no less than that of the lower one in the first.
void Persistency::estimate() {
    const std::vector<double>& reciprocal = *function_->reciprocal;
    const auto own = [&](std::uint32_t v) {
        return reciprocal[function_->first[v]] - reciprocal[function_->second[v]];
    };
    double below = 0;
    for (std::size_t above = by_second_.size(); above-- > 0;) {
        const std::uint32_t v = by_second_[above];
        const double up = positive_part(own(v));
        rise[v] = static_cast<double>(above) * up + below;
        below += up;
    }
    below = 0;
    for (std::size_t above = by_first_.size(); above-- > 0;) {
        const std::uint32_t v = by_first_[above];
        const double down = -positive_part(-own(v));
        fall[v] = static_cast<double>(above) * down + below;
        below += down;
    }
}

void Persistency::compare_pairs() {
    places_.clear();
    for (const std::uint32_t v : open)
        places_.push_back({(*function_->reciprocal)[function_->first[v]],
                           (*function_->reciprocal)[function_->second[v]], slope[v], 0, 0});
    for (auto v = places_.begin(); v != places_.end(); ++v) {
        double up = v->rise, down = v->fall;
        for (auto u = v + 1; u != places_.end(); ++u) {
            const double w = v->weight(*u), rising = positive_part(w);
            up += rising;
            down += w - rising;
            u->rise += rising;
            u->fall += w - rising;
        }
        v->rise = up;
        v->fall = down;
    }
}

// Decides the unknown at a place of `open`, which narrows the derivatives of the others. The last one takes its place.
void Persistency::decide(std::size_t place, bool one) {
    const Place decided = places_[place];
    state[open[place]] = one;
    open[place] = open.back();
    places_[place] = places_.back();
    open.pop_back();
    places_.pop_back();
    for (Place& other : places_) {
        const double w = decided.weight(other), rising = positive_part(w);
        other.rise -= rising;
        other.fall -= w - rising;
        other.slope += one ? w : 0.0;
    }
}

void Persistency::settle_in_pairs() {
    compare_pairs();
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < open.size();) {
            const Place& place = places_[i];
            const bool one = place.slope + place.fall >= 0, zero = place.slope + place.rise <= 0;
            if (one || zero) {
                decide(i, one);
                changed = true;
            } else {
                ++i;
            }
        }
    }
    guess = state;
    for (std::size_t i = 0; i < open.size(); ++i) {
        const std::uint32_t v = open[i];
        slope[v] = places_[i].slope;
        rise[v] = places_[i].rise;
        fall[v] = places_[i].fall;
        guess[v] = tendency(v) > 0;
    }
}

// Another unknown u stands above an unknown v in both lists, below it in both, or above in one and below in the other;
// each of these makes a sum over a quarter of the plane of ranks.
void Persistency::sum_up_rises() {
    const auto& [linear, first, second, reciprocals] = *function_;
    const std::vector<double>& reciprocal = *reciprocals;
    const std::size_t ranks = reciprocal.size();
    // Above in the first list, by the rank in the second. In both: the weight is that of v with itself.
    Looks wanted;
    tallies_.clear(ranks);
    Tally all;
    for (const std::uint32_t v : by_first_) {
        wanted();
        const std::uint32_t n = first[v], m = second[v];
        const double own = reciprocal[n] - reciprocal[m];
        const Tally below = all - tallies_.sum(std::max(n, m));
        rise[v] = below.count * reciprocal[n] - below.sum;
        if (own > 0) rise[v] += own * tallies_.sum(m).count;
        const Tally tally{1, reciprocal[m]};
        tallies_.add(m, tally);
        all += tally;
    }
    // Above in the second list, below in the first.
    tallies_.clear(ranks);
    for (const std::uint32_t v : by_second_) {
        wanted();
        const std::uint32_t n = first[v], m = second[v];
        if (n < m) {
            const Tally between = tallies_.sum(m) - tallies_.sum(n);
            rise[v] += between.sum - between.count * reciprocal[m];
        }
        tallies_.add(n, {1, reciprocal[n]});
    }
    // Below in both.
    sums_.clear(ranks);
    double sum = 0;
    for (auto v = by_first_.rbegin(); v != by_first_.rend(); ++v) {
        wanted();
        const std::uint32_t m = second[*v];
        rise[*v] += sum - sums_.sum(m);
        const double own = positive_part(reciprocal[first[*v]] - reciprocal[m]);
        sums_.add(m, own);
        sum += own;
    }
}

// What chosen others add to each unknown of a list.
template <class Chosen>
void Persistency::sum_over(const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& ranks,
                           const Chosen& chosen, std::vector<double>& sums) const {
    const std::vector<double>& reciprocal = *function_->reciprocal;
    sums.resize(state.size());
    double count = 0, below = 0;
    for (const std::uint32_t v : order) {
        sums[v] = count * reciprocal[ranks[v]];
        count += chosen(v);
    }
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
        sums[*v] += below;
        below += chosen(*v) * reciprocal[ranks[*v]];
    }
}

// The rise and fall of all open unknowns.
void Persistency::sum_up() {
    sum_up_rises();
    const auto all = [](std::uint32_t) { return 1.0; };
    sum_over(by_first_, function_->first, all, in_first_);
    sum_over(by_second_, function_->second, all, in_second_);
    for (const std::uint32_t v : open) fall[v] = in_first_[v] - in_second_[v] - rise[v];
}

// Returns whether any was decided.
bool Persistency::decide_round() {
    const std::size_t before = open.size();
    const double *slopes = slope.data(), *rises = rise.data(), *falls = fall.data();
    char* states = state.data();
    for (const std::uint32_t v : open) {
        const bool one = slopes[v] + falls[v] >= 0, zero = slopes[v] + rises[v] <= 0;
        states[v] = static_cast<char>(one | (!one & !zero) * undecided);
    }
    leave_open(open);
    if (open.empty() || open.size() == before) return open.size() != before;
    const auto relevant = [states](std::uint32_t v) { return static_cast<double>(states[v] & 1); };
    sum_over(by_first_, function_->first, relevant, in_first_);
    sum_over(by_second_, function_->second, relevant, in_second_);
    for (const std::uint32_t v : open) slope[v] += in_first_[v] - in_second_[v];
    leave_open(by_first_);
    leave_open(by_second_);
    return true;
}

// Of some unknowns, in their order; without a branch, as none can tell which were decided.
void Persistency::leave_open(std::vector<std::uint32_t>& unknowns) const {
    std::size_t left = 0;
    for (const std::uint32_t v : unknowns) {
        unknowns[left] = v;
        left += state[v] == undecided;
    }
    unknowns.resize(left);
}

void Persistency::settle_in_rounds(Budget& budget) {
    guessed_ = never;
    sum_up();
    make_guess();
    while (budget.spend(work_of_unknown * open.size()) && decide_round()) {
        sum_up();
        make_guess();
    }
}

double Persistency::value_of(const std::vector<char>& relevance) const {
    const std::vector<double>& reciprocal = *function_->reciprocal;
    double sum = 0, count = 0, other_count = 0;
    for (const std::uint32_t v : first_order_)
        if (relevance[v]) sum += function_->linear[v] + (count++) * reciprocal[function_->first[v]];
    for (const std::uint32_t v : second_order_)
        if (relevance[v]) sum -= (other_count++) * reciprocal[function_->second[v]];
    return sum;
}

void Persistency::make_guess() {
    next_guess_ = state;
    for (const std::uint32_t v : open) next_guess_[v] = tendency(v) > 0;
    const double found = value_of(next_guess_);
    if (found <= guessed_) return;
    guessed_ = found;
    guess = next_guess_;
}

}  // namespace medir
