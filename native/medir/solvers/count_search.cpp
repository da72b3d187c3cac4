#include "solvers/count_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace medir {

namespace {

constexpr double never = -1e300;
constexpr double rounding = 2.3e-16;           // of an addition
constexpr std::size_t entries_of_effort = 64;  // that take as long as a node or a label of other searches
constexpr std::size_t most_effort = std::size_t{1} << 60;
constexpr std::size_t most_entries = std::size_t{1} << 24;  // of a table
constexpr std::size_t most_cuts = std::size_t{1} << 22;     // of all parts that wait
constexpr std::size_t remembered = 4;                       // trails
constexpr int most_rounds = 200;                            // of new prices in a node
constexpr double first_pace = 0.5, slower = 0.6;
// Prices that leave more than this of what was left have not helped; where a round takes little work, it may gain
// little.
constexpr double much_left = 0.8, nearly_all_left = 0.985;
constexpr std::size_t little_work = 100000;

inline double larger(double a, double b) { return a < b ? b : a; }

double largest(const double* values, int count) {
    double most[4] = {never, never, never, never};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int j = 0; j < 4; ++j) most[j] = larger(most[j], values[i + j]);
    for (; i < count; ++i) most[0] = larger(most[0], values[i]);
    return larger(larger(most[0], most[1]), larger(most[2], most[3]));
}

std::vector<std::uint32_t> in_order(const std::vector<std::uint32_t>& ranks) {
    std::vector<std::uint32_t> unknowns(ranks.size());
    std::iota(unknowns.begin(), unknowns.end(), 0);
    std::sort(unknowns.begin(), unknowns.end(), [&](std::uint32_t u, std::uint32_t v) { return ranks[u] < ranks[v]; });
    return unknowns;
}

}  // namespace

void CountSearch::clear() {
    linear_.clear();
    first_.clear();
    second_.clear();
    best_.clear();
}

void CountSearch::add(double linear, std::uint32_t first, std::uint32_t second, bool relevant) {
    linear_.push_back(linear);
    first_.push_back(first);
    second_.push_back(second);
    best_.push_back(relevant);
}

double CountSearch::weight(std::size_t v, std::size_t u) const {
    return (*reciprocal)[std::max(first_[v], first_[u])] - (*reciprocal)[std::max(second_[v], second_[u])];
}

void CountSearch::lay_out_steps() {
    const std::size_t size = linear_.size();
    favoured_ = in_order(first_);
    other_ = in_order(second_);
    alignment_.align(favoured_, other_, size);
    steps_.clear();
    opening_.assign(size, 0);
    closing_.assign(size, 0);
    for (const auto& [unknown, in_favoured, in_other, kind] : alignment_.steps()) {
        const auto at = static_cast<std::uint32_t>(steps_.size());
        if (kind != Alignment::Kind::closes) opening_[unknown] = at;
        if (kind != Alignment::Kind::opens) closing_[unknown] = at;
        const double mine = in_favoured ? (*reciprocal)[first_[unknown]] : 0.0;
        const double theirs = in_other ? (*reciprocal)[second_[unknown]] : 0.0;
        steps_.push_back({unknown, kind, in_favoured, static_cast<int>(in_favoured) - static_cast<int>(in_other),
                          in_favoured ? linear_[unknown] : 0.0, mine - theirs, theirs});
    }
}

// All counts that there can be.
CountSearch::Node CountSearch::root() const {
    Node node{0, {}, std::vector<char>(linear_.size(), undecided), prices_of(best_)};
    Window window{0, 0, 0, 0};
    node.windows.push_back(window);
    for (const Step& step : steps_) {
        window.most_count += step.count;
        const int change = step.kind == Alignment::Kind::opens ? 1 : -1;
        if (step.lead == change)
            window.most_lead += change;
        else if (step.lead != 0)
            window.least_lead -= change;
        node.windows.push_back(window);
    }
    return node;
}

// What each unknown adds to a list together with the relevant others.
std::vector<double> CountSearch::shares(const std::vector<std::uint32_t>& order,
                                        const std::vector<std::uint32_t>& ranks,
                                        const std::vector<char>& relevance) const {
    std::vector<double> sums(order.size(), 0.0);
    double count = 0, below = 0;
    for (const std::uint32_t v : order) {
        sums[v] = count * (*reciprocal)[ranks[v]];
        count += relevance[v];
    }
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
        sums[*v] += below;
        if (relevance[*v]) below += (*reciprocal)[ranks[*v]];
    }
    return sums;
}

// Prices with which both decisions for an unknown are worth the same when the others are as they are.
std::vector<double> CountSearch::prices_of(const std::vector<char>& relevance) const {
    const std::vector<double> mine = shares(favoured_, first_, relevance), theirs = shares(other_, second_, relevance);
    std::vector<double> prices(linear_.size());
    for (std::size_t v = 0; v < prices.size(); ++v) {
        const double apart = 0.5 * (linear_[v] + mine[v] + theirs[v]);
        prices[v] = steps_[opening_[v]].count > 0 ? -apart : apart;
    }
    return prices;
}

// Leaves the counts that can be reached from those at the cuts before and after; false where there are none.
bool CountSearch::narrow(std::vector<Window>& windows) const {
    for (std::size_t t = 0; t < steps_.size(); ++t) {
        const Step& step = steps_[t];
        const Window& from = windows[t];
        Window& to = windows[t + 1];
        to.least_count = std::max(to.least_count, from.least_count);
        to.most_count = std::min(to.most_count, from.most_count + step.count);
        to.least_lead = std::max(to.least_lead, from.least_lead + std::min(step.lead, 0));
        to.most_lead = std::min(to.most_lead, from.most_lead + std::max(step.lead, 0));
    }
    for (std::size_t t = steps_.size(); t-- > 0;) {
        const Step& step = steps_[t];
        const Window& from = windows[t + 1];
        Window& to = windows[t];
        to.least_count = std::max(to.least_count, from.least_count - step.count);
        to.most_count = std::min(to.most_count, from.most_count);
        to.least_lead = std::max(to.least_lead, from.least_lead - std::max(step.lead, 0));
        to.most_lead = std::min(to.most_lead, from.most_lead - std::min(step.lead, 0));
        if (to.empty() || from.empty()) return false;
    }
    return true;
}

// Returns how many entries it has; with more than there may be, it has no room.
std::size_t CountSearch::lay_out_table(const std::vector<Window>& windows) {
    offsets_.resize(windows.size());
    std::size_t entries = 0;
    for (std::size_t t = 0; t < windows.size(); ++t) {
        offsets_[t] = entries;
        entries += windows[t].size();
    }
    if (entries <= most_entries && table_.size() < entries) table_.resize(entries);
    return entries;
}

// False where there is not so much effort left.
bool CountSearch::spend(std::size_t entries) {
    const bool enough = entries <= effort_;
    effort_ = enough ? effort_ - entries : 0;
    return enough;
}

double CountSearch::price(const Node& node, const Step& step) const {
    switch (step.kind) {
        case Alignment::Kind::opens:
            return node.prices[step.unknown];
        case Alignment::Kind::closes:
            return -node.prices[step.unknown];
        default:
            return 0;
    }
}

// Fills the table with what lies below each cut, at best; returns that of the first.
double CountSearch::walk_up(const Node& node) {
    const auto& windows = node.windows;
    std::fill_n(table_.begin() + static_cast<std::ptrdiff_t>(offsets_.back()), windows.back().size(), 0.0);
    for (std::size_t t = steps_.size(); t-- > 0;) {
        const Step& step = steps_[t];
        const Window &window = windows[t], &below = windows[t + 1];
        const double base = step.base + price(node, step);
        const char decided = node.decided[step.unknown];
        const int leads = window.leads(), leads_below = below.leads();
        double* row = &table_[offsets_[t]];
        for (int a = window.least_count; a <= window.most_count; ++a, row += leads) {
            std::fill_n(row, leads, never);
            const auto row_below = [&](int count) {
                return &table_[offsets_[t + 1]] + static_cast<std::ptrdiff_t>(count - below.least_count) * leads_below;
            };
            if (decided != 1 && a >= below.least_count && a <= below.most_count) {
                const double* from = row_below(a) + (window.least_lead - below.least_lead);
                const int begin = std::max(0, below.least_lead - window.least_lead);
                const int end = std::min(leads, below.most_lead - window.least_lead + 1);
                for (int j = begin; j < end; ++j) row[j] = from[j];
            }
            const int count = a + step.count;
            if (decided != 0 && count >= below.least_count && count <= below.most_count) {
                const int shift = window.least_lead + step.lead - below.least_lead;
                const double* from = row_below(count) + shift;
                const int begin = std::max(0, -shift), end = std::min(leads, leads_below - shift);
                const double constant = base + step.by_count * a + step.by_lead * window.least_lead;
                for (int j = begin; j < end; ++j) row[j] = larger(row[j], from[j] + (constant + step.by_lead * j));
            }
        }
    }
    return table_[offsets_[0]];
}

// What stands above each cut, at best, and with the table what walks through it are worth: leaves the counts of those
// that may be better than the best assignment. Returns whether there are any.
bool CountSearch::walk_down(Node& node) {
    worth_.assign(steps_.size(), {never, never});
    above_.assign(1, 0.0);
    const double hopeless = value_ + tolerance_;
    Window window = node.windows[0];  // before it is narrowed
    for (std::size_t t = 0; t < steps_.size(); ++t) {
        const Step& step = steps_[t];
        const Window below = node.windows[t + 1];
        const double base = step.base + price(node, step);
        const char decided = node.decided[step.unknown];
        const int leads = window.leads(), leads_below = below.leads();
        columns_without_.assign(leads, never);
        columns_with_.assign(leads, never);
        through_.resize(leads);
        next_above_.assign(below.size(), never);
        int least_count = window.most_count + 1, most_count = window.least_count - 1;
        const double* row = above_.data();
        for (int a = window.least_count; a <= window.most_count; ++a, row += leads) {
            std::fill(through_.begin(), through_.end(), never);
            const auto place = [&](int count) {
                return static_cast<std::ptrdiff_t>(count - below.least_count) * leads_below;
            };
            if (decided != 1 && a >= below.least_count && a <= below.most_count) {
                const std::ptrdiff_t shift = place(a) + (window.least_lead - below.least_lead);
                const double* from = &table_[offsets_[t + 1]] + shift;
                double* to = next_above_.data() + shift;
                const int begin = std::max(0, below.least_lead - window.least_lead);
                const int end = std::min(leads, below.most_lead - window.least_lead + 1);
                double *through = through_.data(), *columns = columns_without_.data();
                for (int j = begin; j < end; ++j) {
                    through[j] = row[j] + from[j];
                    columns[j] = larger(columns[j], through[j]);
                    to[j] = larger(to[j], row[j]);
                }
            }
            const int count = a + step.count;
            if (decided != 0 && count >= below.least_count && count <= below.most_count) {
                const int sideways = window.least_lead + step.lead - below.least_lead;
                const std::ptrdiff_t shift = place(count) + sideways;
                const double* from = &table_[offsets_[t + 1]] + shift;
                double* to = next_above_.data() + shift;
                const int begin = std::max(0, -sideways), end = std::min(leads, leads_below - sideways);
                const double constant = base + step.by_count * a + step.by_lead * window.least_lead;
                double *through = through_.data(), *columns = columns_with_.data();
                for (int j = begin; j < end; ++j) {
                    const double reached = row[j] + (constant + step.by_lead * j), whole = reached + from[j];
                    columns[j] = larger(columns[j], whole);
                    through[j] = larger(through[j], whole);
                    to[j] = larger(to[j], reached);
                }
            }
            if (largest(through_.data(), leads) > hopeless) {
                least_count = std::min(least_count, a);
                most_count = a;
            }
        }
        worth_[t] = {largest(columns_without_.data(), leads), largest(columns_with_.data(), leads)};
        if (least_count > most_count) return false;
        int least = 0, most = leads - 1;
        const auto alive = [&](int j) { return larger(columns_without_[j], columns_with_[j]) > hopeless; };
        while (!alive(least)) ++least;
        while (!alive(most)) --most;
        node.windows[t] = {least_count, most_count, window.least_lead + least, window.least_lead + most};
        std::swap(above_, next_above_);
        window = below;
    }
    return true;
}

// The best walk.
void CountSearch::trace(const Node& node) {
    latest_ = (latest_ + 1) % remembered;
    Trail& trail = trails_[latest_];
    trail.opening.assign(linear_.size(), 0);
    trail.closing.assign(linear_.size(), 0);
    trail.counts.assign(1, 0);
    int a = 0, d = 0;
    const auto at = [&](std::size_t t, int count, int lead) {
        const Window& window = node.windows[t];
        const bool inside = count >= window.least_count && count <= window.most_count && lead >= window.least_lead &&
                            lead <= window.most_lead;
        if (!inside) return never;
        const auto row =
            static_cast<std::size_t>(count - window.least_count) * static_cast<std::size_t>(window.leads());
        return table_[offsets_[t] + row + static_cast<std::size_t>(lead - window.least_lead)];
    };
    for (std::size_t t = 0; t < steps_.size(); ++t) {
        const Step& step = steps_[t];
        const char decided = node.decided[step.unknown];
        const double gain = step.base + price(node, step) + step.by_count * a + step.by_lead * d;
        const double without = decided == 1 ? never : at(t + 1, a, d);
        const double with = decided == 0 ? never : gain + at(t + 1, a + step.count, d + step.lead);
        const bool relevant = with > without;
        if (relevant) {
            a += step.count;
            d += step.lead;
        }
        if (step.kind != Alignment::Kind::closes) trail.opening[step.unknown] = relevant;
        if (step.kind != Alignment::Kind::opens) trail.closing[step.unknown] = relevant;
        trail.counts.push_back(a);
    }
}

// Decides the unknowns of which one decision cannot be better than the best assignment; false where neither can.
bool CountSearch::rule_out(Node& node) {
    const double hopeless = value_ + tolerance_;
    for (std::size_t t = 0; t < steps_.size(); ++t) {
        char& decided = node.decided[steps_[t].unknown];
        const bool without = worth_[t].without > hopeless, with = worth_[t].with > hopeless;
        if (!without && !with) return false;
        if (!without && decided == 0) return false;
        if (!with && decided == 1) return false;
        if (!without) decided = 1;
        if (!with) decided = 0;
    }
    return true;
}

// A local optimum from an assignment, if it is better than the best.
void CountSearch::improve(std::vector<char> relevance) {
    const std::size_t size = linear_.size();
    const std::vector<double> mine = shares(favoured_, first_, relevance), theirs = shares(other_, second_, relevance);
    std::vector<double> slope(size);
    double value = 0;
    for (std::size_t v = 0; v < size; ++v) {
        slope[v] = linear_[v] + mine[v] - theirs[v];
        if (relevance[v]) value += 0.5 * (linear_[v] + slope[v]);
    }
    for (;;) {
        std::size_t change = 0;
        double gain = never;
        for (std::size_t v = 0; v < size; ++v) {
            const double change_gain = relevance[v] ? -slope[v] : slope[v];
            if (change_gain > gain) {
                gain = change_gain;
                change = v;
            }
        }
        if (gain <= tolerance_) break;
        const double sign = relevance[change] ? -1.0 : 1.0;
        relevance[change] = !relevance[change];
        value += gain;
        for (std::size_t u = 0; u < size; ++u)
            if (u != change) slope[u] += sign * weight(change, u);
    }
    if (value > value_) {
        value_ = value;
        best_ = std::move(relevance);
    }
}

// Of the prices: towards those with which both decisions for an unknown are worth the same.
std::vector<double> CountSearch::direction() const {
    const double most = 1e3 + std::abs(value_);
    std::vector<double> change(linear_.size(), 0.0);
    for (std::size_t v = 0; v < change.size(); ++v) {
        if (opening_[v] == closing_[v]) continue;
        const auto preference = [&](const Worth& worth) { return std::clamp(worth.with - worth.without, -most, most); };
        change[v] = 0.5 * (preference(worth_[opening_[v]]) - preference(worth_[closing_[v]]));
    }
    return change;
}

// New prices for as long as they help. Returns whether something may still be better than the best.
bool CountSearch::tighten(Node& node) {
    std::vector<double> kept = node.prices, change;
    double pace = first_pace, before = node.bound;
    int failed = 0;
    for (int round = 0; round < most_rounds; ++round) {
        if (!narrow(node.windows)) return false;
        const std::size_t entries = lay_out_table(node.windows);
        const bool fits = entries <= most_entries;
        if (!spend(fits ? entries : steps_.size()) || !fits) return true;
        const double bound = walk_up(node);
        const bool better = bound < node.bound || round == 0;
        node.bound = std::min(node.bound, bound);
        if (bound <= value_ + tolerance_) return false;
        trace(node);
        if (round < 2) {
            improve(trails_[latest_].opening);
            improve(trails_[latest_].closing);
        }
        if (!walk_down(node) || !rule_out(node)) return false;
        const double left = node.bound - value_;
        const double most_left = entries > little_work ? much_left : nearly_all_left;
        failed = left > most_left * (before - value_) ? failed + 1 : 0;
        before = node.bound;
        if (failed >= 3) break;
        if (better) {
            kept = node.prices;
            change = direction();
        } else {
            pace *= slower;
        }
        for (std::size_t v = 0; v < change.size(); ++v) node.prices[v] = kept[v] - pace * change[v];
    }
    node.prices = kept;
    return true;
}

// Two parts, at the cut where the latest walks differ most.
void CountSearch::part(Node node) {
    std::size_t cut = 0;
    int most = 0, middle = 0;
    for (std::size_t t = 1; t < node.windows.size(); ++t) {
        int low = node.windows[t].most_count, high = node.windows[t].least_count;
        for (const Trail& trail : trails_) {
            if (trail.counts.size() <= t) continue;
            low = std::min(low, trail.counts[t]);
            high = std::max(high, trail.counts[t]);
        }
        low = std::max(low, node.windows[t].least_count);
        high = std::min(high, node.windows[t].most_count);
        if (high - low > most) {
            most = high - low;
            cut = t;
            middle = low + (high - low) / 2;
        }
    }
    if (most < 1) {
        for (std::size_t t = 1; t < node.windows.size(); ++t) {
            if (node.windows[t].counts() - 1 <= most) continue;
            most = node.windows[t].counts() - 1;
            cut = t;
            middle = node.windows[t].least_count + most / 2;
        }
    }
    if (most < 1) {  // counts are known: an unknown on which the two decisions differ, or any
        const Trail& trail = trails_[latest_];
        std::size_t chosen = linear_.size();
        for (std::size_t v = 0; v < linear_.size(); ++v)
            if (node.decided[v] == undecided && (chosen == linear_.size() || trail.opening[v] != trail.closing[v]))
                chosen = v;
        if (chosen == linear_.size()) {
            improve(node.decided);  // the only assignment that is left
            return;
        }
        Node rest = node;
        node.decided[chosen] = 0;
        rest.decided[chosen] = 1;
        open_.push_back(std::move(node));
        open_.push_back(std::move(rest));
        return;
    }
    Node rest = node;
    node.windows[cut].most_count = middle;
    rest.windows[cut].least_count = middle + 1;
    open_.push_back(std::move(node));
    open_.push_back(std::move(rest));
}

Optimum CountSearch::maximise(double bound, std::size_t effort) {
    value_ = never;
    effort_ = effort > most_effort / entries_of_effort ? most_effort : effort * entries_of_effort;
    lay_out_steps();
    tolerance_ = rounding * static_cast<double>(steps_.size()) * (1 + std::abs(bound));
    trails_.assign(remembered, {});
    improve(best_);
    open_.assign(1, root());
    open_[0].bound = bound;
    const auto worse = [](const Node& a, const Node& b) { return a.bound < b.bound; };
    double left = never;
    while (!open_.empty()) {
        std::pop_heap(open_.begin(), open_.end(), worse);
        Node node = std::move(open_.back());
        open_.pop_back();
        if (node.bound <= value_ + tolerance_) break;
        if (effort_ == 0) {
            left = node.bound;
            break;
        }
        for (Trail& trail : trails_) trail.counts.clear();
        if (!tighten(node)) continue;
        if (effort_ == 0) {
            left = node.bound;
            for (const Node& other : open_) left = std::max(left, other.bound);
            break;
        }
        const std::size_t count = open_.size();
        if ((count + 2) * steps_.size() > most_cuts) effort_ = 0;
        part(std::move(node));
        for (std::size_t i = count + 1; i <= open_.size(); ++i)
            std::push_heap(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(i), worse);
    }
    open_.clear();
    return {value_, left > value_ + tolerance_ ? left - value_ : 0.0};
}

}  // namespace medir
