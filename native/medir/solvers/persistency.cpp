#include "solvers/persistency.hpp"

#include <algorithm>
#include <numeric>

#include "solvers/optimum.hpp"

namespace medir {

namespace {

constexpr std::size_t few = 100;  // unknowns: to look at all pairs takes no longer than sums do
constexpr std::size_t work_of_unknown = 100;

// max(w, 0) without a branch.
double positive_part(double w) { return 0.5 * (w + std::abs(w)); }

}  // namespace

void Persistency::settle(const QuadraticFunction& function, Budget& budget) {
    function_ = &function;
    const std::size_t size = function.size();
    slope = function.linear;
    rise.assign(size, 0.0);
    fall.assign(size, 0.0);
    state.assign(size, undecided);
    open.resize(size);
    std::iota(open.begin(), open.end(), 0);
    value = 0;
    if (size <= few)
        settle_in_pairs();
    else
        settle_in_rounds(budget);
}

void Persistency::compare_pairs() {
    for (std::size_t v = 0; v < open.size(); ++v) {
        for (std::size_t u = v + 1; u < open.size(); ++u) {
            const double w = function_->weight(v, u), up = positive_part(w), down = w - up;
            rise[v] += up;
            fall[v] += down;
            rise[u] += up;
            fall[u] += down;
        }
    }
}

// Decides the unknown at a position of `open`, which narrows the derivatives of the others.
void Persistency::decide(std::size_t position, bool one) {
    const std::size_t v = open[position];
    open[position] = open.back();
    open.pop_back();
    state[v] = one;
    if (one) value += slope[v];
    for (const std::size_t u : open) {
        const double w = function_->weight(v, u), up = positive_part(w);
        rise[u] -= up;
        fall[u] -= w - up;
        if (one) slope[u] += w;
    }
}

void Persistency::settle_in_pairs() {
    compare_pairs();
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < open.size();) {
            const std::size_t v = open[i];
            const bool one = slope[v] + fall[v] >= 0, zero = slope[v] + rise[v] <= 0;
            if (one || zero) {
                decide(i, one);
                changed = true;
            } else {
                ++i;
            }
        }
    }
    guess = state;
    for (const std::uint32_t v : open) guess[v] = tendency(v) > 0;
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

// What chosen others add to each unknown of a list, and to each other.
template <class Chosen>
double Persistency::sum_over(const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& ranks,
                             const Chosen& chosen, std::vector<double>& sums) const {
    const std::vector<double>& reciprocal = *function_->reciprocal;
    sums.resize(state.size());
    double count = 0, below = 0, among = 0;
    for (const std::uint32_t v : order) {
        sums[v] = count * reciprocal[ranks[v]];
        if (!chosen(v)) continue;
        among += sums[v];
        ++count;
    }
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
        sums[*v] += below;
        if (chosen(*v)) below += reciprocal[ranks[*v]];
    }
    return among;
}

// The rise and fall of all open unknowns.
void Persistency::sum_up() {
    sum_up_rises();
    const auto all = [](std::uint32_t) { return true; };
    sum_over(by_first_, function_->first, all, in_first_);
    sum_over(by_second_, function_->second, all, in_second_);
    for (const std::uint32_t v : open) fall[v] = in_first_[v] - in_second_[v] - rise[v];
}

// Returns whether any was decided.
bool Persistency::decide_round() {
    const std::size_t before = open.size();
    for (const std::uint32_t v : open) {
        const bool one = slope[v] + fall[v] >= 0, zero = slope[v] + rise[v] <= 0;
        if (!one && !zero) continue;
        state[v] = one;
        decided_[v] = one;
        if (one) value += slope[v];
    }
    const auto settled = [&](std::uint32_t v) { return state[v] != undecided; };
    std::erase_if(open, settled);
    if (open.size() == before) return false;
    const auto relevant = [&](std::uint32_t v) { return decided_[v] != 0; };
    value += sum_over(by_first_, function_->first, relevant, in_first_) -
             sum_over(by_second_, function_->second, relevant, in_second_);
    for (const std::uint32_t v : open) slope[v] += in_first_[v] - in_second_[v];
    for (const std::uint32_t v : by_first_) decided_[v] = 0;
    std::erase_if(by_first_, settled);
    std::erase_if(by_second_, settled);
    return true;
}

void Persistency::settle_in_rounds(Budget& budget) {
    const auto sort_by = [&](std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& ranks) {
        order = open;
        std::sort(order.begin(), order.end(), [&](std::uint32_t u, std::uint32_t v) { return ranks[u] < ranks[v]; });
    };
    sort_by(by_first_, function_->first);
    sort_by(by_second_, function_->second);
    first_order_ = by_first_;
    second_order_ = by_second_;
    decided_.assign(function_->size(), 0);
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
