#include "solvers/count_search.hpp"

#include <algorithm>
#include <cmath>

namespace medir {

namespace {

constexpr std::size_t most_entries = std::size_t{1} << 24;  // of a table
constexpr std::size_t work_of_entry = 2;                    // up and down
constexpr std::size_t most_cuts = std::size_t{1} << 22;     // of all regions that wait
constexpr std::size_t remembered = 4;                       // trails
constexpr int most_rounds = 200;                            // of new prices in a region
constexpr double first_pace = 0.5, slower = 0.6;
// Prices that leave more than this of what was left have not helped; where a round takes little work, it may gain
// little.
constexpr double much_left = 0.8, nearly_all_left = 0.985;
constexpr std::size_t little_work = 100000;

bool lower_bound(const CountTable::Region& a, const CountTable::Region& b) { return a.bound < b.bound; }

}  // namespace

// A local optimum from an assignment, if it is better than the best.
void CountSearch::improve(std::vector<char> relevance, Budget& budget) {
    const double value = local_.improve(*problem_, relevance, tolerance_, budget);
    if (value > value_) {
        value_ = value;
        best_ = std::move(relevance);
    }
}

// Prices with which both decisions for an unknown are worth the same when the others are as in the best assignment.
void CountSearch::set_prices(Region& region) {
    local_.find_slopes(*problem_, best_);
    for (std::size_t v = 0; v < region.prices.size(); ++v) {
        const double apart = 0.5 * (problem_->linear[v] + local_.favoured[v] + local_.other[v]);
        region.prices[v] = table_.opens_in_favoured(v) ? -apart : apart;
    }
}

// Of the prices: towards those with which both decisions for an unknown are worth the same.
void CountSearch::find_direction() {
    const double most = 1e3 + std::abs(value_);
    const auto preference = [&](const CountTable::Worth& worth) {
        return std::clamp(worth.with - worth.without, -most, most);
    };
    direction_.assign(problem_->size(), 0.0);
    for (std::size_t v = 0; v < direction_.size(); ++v)
        if (!table_.met_once(v))
            direction_[v] = 0.5 * (preference(table_.opening_worth(v)) - preference(table_.closing_worth(v)));
}

// New prices for as long as they help. Returns whether something may still be better than the best.
bool CountSearch::tighten(Region& region, Budget& budget) {
    for (Trail& trail : trails_) trail.counts.clear();
    double pace = first_pace, before = region.bound;
    int failed = 0;
    for (int round = 0; round < most_rounds; ++round) {
        if (!table_.narrow(region.windows)) return false;
        const std::size_t entries = table_.lay_out(region.windows, most_entries);
        const bool fits = entries <= most_entries;
        if (!budget.spend(work_of_entry * (fits ? entries : table_.cuts())) || !fits) return true;
        const double bound = table_.walk_up(region);
        const bool better = bound < region.bound || round == 0;
        region.bound = std::min(region.bound, bound);
        if (bound <= value_ + tolerance_) return false;
        latest_ = (latest_ + 1) % remembered;
        table_.trace(region, trails_[latest_]);
        if (round < 2) {
            improve(trails_[latest_].opening, budget);
            improve(trails_[latest_].closing, budget);
        }
        if (!table_.walk_down(region, value_ + tolerance_)) return false;
        const double left = region.bound - value_;
        const double most_left = entries > little_work ? much_left : nearly_all_left;
        failed = left > most_left * (before - value_) ? failed + 1 : 0;
        before = region.bound;
        if (failed >= 3) break;
        if (better) {
            kept_ = region.prices;
            find_direction();
        } else {
            pace *= slower;
        }
        for (std::size_t v = 0; v < direction_.size(); ++v) region.prices[v] = kept_[v] - pace * direction_[v];
    }
    region.prices = kept_;
    return true;
}

void CountSearch::put_back(Region region) {
    open_.push_back(std::move(region));
    std::push_heap(open_.begin(), open_.end(), lower_bound);
}

void CountSearch::part_counts(Region region, std::size_t cut, int middle) {
    Region rest = region;
    region.windows[cut].most_count = middle;
    rest.windows[cut].least_count = middle + 1;
    put_back(std::move(region));
    put_back(std::move(rest));
}

// Where counts are known: an unknown on which the two decisions differ, or any.
void CountSearch::part_unknown(Region region, Budget& budget) {
    const Trail& trail = trails_[latest_];
    const std::size_t none = region.decided.size();
    std::size_t chosen = none;
    for (std::size_t v = 0; v < none; ++v)
        if (region.decided[v] == CountTable::undecided && (chosen == none || trail.opening[v] != trail.closing[v]))
            chosen = v;
    if (chosen == none) return improve(region.decided, budget);  // the only assignment that is left
    Region rest = region;
    region.decided[chosen] = 0;
    rest.decided[chosen] = 1;
    put_back(std::move(region));
    put_back(std::move(rest));
}

// Two parts, at the cut where the latest walks differ most.
void CountSearch::part(Region region, Budget& budget) {
    std::size_t cut = 0;
    int most = 0, middle = 0;
    const auto consider = [&](std::size_t t, int low, int high) {
        if (high - low <= most) return;
        most = high - low;
        cut = t;
        middle = low + most / 2;
    };
    for (std::size_t t = 1; t < region.windows.size(); ++t) {
        int low = region.windows[t].most_count, high = region.windows[t].least_count;
        for (const Trail& trail : trails_) {
            if (trail.counts.size() <= t) continue;
            low = std::min(low, trail.counts[t]);
            high = std::max(high, trail.counts[t]);
        }
        consider(t, std::max(low, region.windows[t].least_count), std::min(high, region.windows[t].most_count));
    }
    for (std::size_t t = 1; most < 1 && t < region.windows.size(); ++t)
        consider(t, region.windows[t].least_count, region.windows[t].most_count);
    if (most < 1)
        part_unknown(std::move(region), budget);
    else
        part_counts(std::move(region), cut, middle);
}

Optimum CountSearch::maximise(const CountedDifference& problem, const std::vector<char>& first, double bound,
                              int most_counted, double tolerance, Budget& budget) {
    problem_ = &problem;
    value_ = never;
    tolerance_ = tolerance;
    improve(first, budget);
    if (!budget.spend(Alignment::work(problem.size(), problem.size()))) return {value_, std::max(bound - value_, 0.0)};
    table_.align(problem, most_counted);
    trails_.assign(remembered, {});
    open_.assign(1, table_.whole());
    open_[0].bound = bound;
    set_prices(open_[0]);
    double left = never;
    while (!open_.empty()) {
        std::pop_heap(open_.begin(), open_.end(), lower_bound);
        Region region = std::move(open_.back());
        open_.pop_back();
        if (region.bound <= value_ + tolerance_) break;
        if (!budget.exhausted() && !tighten(region, budget)) continue;
        if ((open_.size() + 2) * table_.cuts() > most_cuts) budget.exhaust();
        if (budget.exhausted()) {
            left = region.bound;
            if (!open_.empty()) left = std::max(left, open_.front().bound);
            break;
        }
        part(std::move(region), budget);
    }
    open_.clear();
    return {value_, left > value_ + tolerance_ ? left - value_ : 0.0};
}

}  // namespace medir
