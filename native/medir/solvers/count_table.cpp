#include "solvers/count_table.hpp"

#include <algorithm>

#include "solvers/budget.hpp"

namespace medir {

namespace {

inline double larger(double a, double b) { return a < b ? b : a; }

double largest(const double* values, int count) {
    double most[4] = {never, never, never, never};
    int i = 0;
    for (; i + 4 <= count; i += 4)
        for (int j = 0; j < 4; ++j) most[j] = larger(most[j], values[i + j]);
    for (; i < count; ++i) most[0] = larger(most[0], values[i]);
    return larger(larger(most[0], most[1]), larger(most[2], most[3]));
}

}  // namespace

void CountTable::align(const CountedDifference& problem, int most_counted) {
    problem_ = &problem;
    most_counted_ = most_counted;
    const CountedList &favoured = problem.favoured, &other = problem.other;
    const std::size_t size = problem.size();
    alignment_.align(favoured.unknowns, other.unknowns, size);
    steps_.clear();
    opening_.assign(size, 0);
    closing_.assign(size, 0);
    std::size_t i = 0, j = 0;
    for (const auto& [unknown, in_favoured, in_other, kind] : alignment_.steps()) {
        const auto at = static_cast<std::uint32_t>(steps_.size());
        if (kind != Alignment::Kind::closes) opening_[unknown] = at;
        if (kind != Alignment::Kind::opens) closing_[unknown] = at;
        Step& step = steps_.emplace_back(Step{unknown,
                                              kind,
                                              in_favoured,
                                              static_cast<int>(in_favoured) - static_cast<int>(in_other),
                                              in_favoured ? problem.linear[unknown] : 0.0,
                                              {},
                                              {}});
        if (in_favoured) step.favoured = {favoured.slope[i], favoured.known[i]};
        if (in_other) step.other = {other.slope[j], other.known[j]};
        i += in_favoured;
        j += in_other;
    }
    longest_ = static_cast<int>(size) + 1;
    backwards_.assign(static_cast<std::size_t>(2 * longest_ + 1), level(0));
    for (int c = 0; c <= longest_; ++c) backwards_[static_cast<std::size_t>(longest_ - c)] = level(c);
}

CountTable::Region CountTable::whole() const {
    Region region{0, {}, std::vector<char>(problem_->size(), undecided), std::vector<double>(problem_->size(), 0.0)};
    Window window{0, 0, 0, 0};
    region.windows.push_back(window);
    for (const Step& step : steps_) {
        window.most_count = std::min(window.most_count + step.count, most_counted_);
        const int change = step.kind == Alignment::Kind::opens ? 1 : -1;
        if (step.lead == change)
            window.most_lead += change;
        else if (step.lead != 0)
            window.least_lead -= change;
        region.windows.push_back(window);
        Window& last = region.windows.back();
        last.least_lead = std::max(last.least_lead, -most_counted_);
        last.most_lead = std::min(last.most_lead, most_counted_);
    }
    return region;
}

bool CountTable::narrow(std::vector<Window>& windows) const {
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

std::size_t CountTable::lay_out(const std::vector<Window>& windows, std::size_t most_entries) {
    offsets_.resize(windows.size());
    std::size_t entries = 0;
    for (std::size_t t = 0; t < windows.size(); ++t) {
        offsets_[t] = entries;
        entries += windows[t].size();
    }
    if (entries <= most_entries && table_.size() < entries) table_.resize(entries);
    return entries;
}

double CountTable::price(const Region& region, const Step& step) const {
    switch (step.kind) {
        case Alignment::Kind::opens:
            return region.prices[step.unknown];
        case Alignment::Kind::closes:
            return -region.prices[step.unknown];
        default:
            return 0;
    }
}

CountTable::Move CountTable::move(const Window& from, const Window& to, int lead) const {
    const int sideways = from.least_lead + lead - to.least_lead;
    return {std::max(0, -sideways), std::min(from.leads(), to.leads() - sideways), sideways};
}

double CountTable::walk_up(const Region& region) {
    const auto& windows = region.windows;
    const Window& last = windows.back();
    double* row = &table_[offsets_.back()];
    for (int a = last.least_count; a <= last.most_count; ++a, row += last.leads()) {
        const double mine = problem_->favoured.known.back() * level(a);
        const double* theirs = levels_of_other(last, a);
        for (int j = 0; j < last.leads(); ++j) row[j] = mine - problem_->other.known.back() * theirs[j];
    }
    for (std::size_t t = steps_.size(); t-- > 0;) {
        const Step& step = steps_[t];
        const Window &window = windows[t], &below = windows[t + 1];
        const double base = step.base + price(region, step);
        const char decided = region.decided[step.unknown];
        const int leads = window.leads();
        const Move without = move(window, below, 0), with = move(window, below, step.lead);
        const double known = step.other.known, cost = step.other.known + step.other.slope;
        const auto row_below = [&](int count) {
            return &table_[offsets_[t + 1]] + static_cast<std::ptrdiff_t>(count - below.least_count) * below.leads();
        };
        row = &table_[offsets_[t]];
        for (int a = window.least_count; a <= window.most_count; ++a, row += leads) {
            std::fill_n(row, leads, never);
            const double mine = level(a);
            const double* theirs = levels_of_other(window, a);
            if (decided != 1 && a >= below.least_count && a <= below.most_count) {
                const double* from = row_below(a) + without.sideways;
                const double constant = step.favoured.known * mine;
                for (int j = without.begin; j < without.end; ++j) row[j] = from[j] + (constant - known * theirs[j]);
            }
            const int count = a + step.count;
            if (decided != 0 && count >= below.least_count && count <= below.most_count) {
                const double* from = row_below(count) + with.sideways;
                const double constant = base + (step.favoured.known + step.favoured.slope) * mine;
                for (int j = with.begin; j < with.end; ++j)
                    row[j] = larger(row[j], from[j] + (constant - cost * theirs[j]));
            }
        }
    }
    return table_[offsets_[0]];
}

bool CountTable::walk_down(Region& region, double hopeless) {
    worth_.assign(steps_.size(), {never, never});
    above_.assign(1, 0.0);
    Window window = region.windows[0];  // before it is narrowed
    for (std::size_t t = 0; t < steps_.size(); ++t) {
        const Step& step = steps_[t];
        const Window below = region.windows[t + 1];
        const double base = step.base + price(region, step);
        const char decided = region.decided[step.unknown];
        const int leads = window.leads();
        const Move without = move(window, below, 0), with = move(window, below, step.lead);
        const double known = step.other.known, cost = step.other.known + step.other.slope;
        columns_without_.assign(static_cast<std::size_t>(leads), never);
        columns_with_.assign(static_cast<std::size_t>(leads), never);
        through_.resize(static_cast<std::size_t>(leads));
        next_above_.assign(below.size(), never);
        int least_count = window.most_count + 1, most_count = window.least_count - 1;
        const double* row = above_.data();
        const auto place = [&](int count) {
            return static_cast<std::ptrdiff_t>(count - below.least_count) * below.leads();
        };
        for (int a = window.least_count; a <= window.most_count; ++a, row += leads) {
            std::fill(through_.begin(), through_.end(), never);
            const double mine = level(a);
            const double* theirs = levels_of_other(window, a);
            double* through = through_.data();
            if (decided != 1 && a >= below.least_count && a <= below.most_count) {
                const std::ptrdiff_t shift = place(a) + without.sideways;
                const double* from = &table_[offsets_[t + 1]] + shift;
                double *to = next_above_.data() + shift, *columns = columns_without_.data();
                const double constant = step.favoured.known * mine;
                for (int j = without.begin; j < without.end; ++j) {
                    const double reached = row[j] + (constant - known * theirs[j]);
                    through[j] = reached + from[j];
                    columns[j] = larger(columns[j], through[j]);
                    to[j] = larger(to[j], reached);
                }
            }
            const int count = a + step.count;
            if (decided != 0 && count >= below.least_count && count <= below.most_count) {
                const std::ptrdiff_t shift = place(count) + with.sideways;
                const double* from = &table_[offsets_[t + 1]] + shift;
                double *to = next_above_.data() + shift, *columns = columns_with_.data();
                const double constant = base + (step.favoured.known + step.favoured.slope) * mine;
                for (int j = with.begin; j < with.end; ++j) {
                    const double reached = row[j] + (constant - cost * theirs[j]), whole = reached + from[j];
                    columns[j] = larger(columns[j], whole);
                    through[j] = larger(through[j], whole);
                    to[j] = larger(to[j], reached);
                }
            }
            if (largest(through, leads) > hopeless) {
                least_count = std::min(least_count, a);
                most_count = a;
            }
        }
        worth_[t] = {largest(columns_without_.data(), leads), largest(columns_with_.data(), leads)};
        if (least_count > most_count) return false;
        int least = 0, most = leads - 1;
        const auto alive = [&](int j) {
            const auto column = static_cast<std::size_t>(j);
            return larger(columns_without_[column], columns_with_[column]) > hopeless;
        };
        while (!alive(least)) ++least;
        while (!alive(most)) --most;
        region.windows[t] = {least_count, most_count, window.least_lead + least, window.least_lead + most};
        std::swap(above_, next_above_);
        window = below;
    }
    return rule_out(region, hopeless);
}

// Decides the unknowns of which one decision is hopeless; false where both are.
bool CountTable::rule_out(Region& region, double hopeless) const {
    for (std::size_t t = 0; t < steps_.size(); ++t) {
        char& decided = region.decided[steps_[t].unknown];
        const bool without = worth_[t].without > hopeless, with = worth_[t].with > hopeless;
        if (!without && (!with || decided == 0)) return false;
        if (!with && decided == 1) return false;
        if (!without) decided = 1;
        if (!with) decided = 0;
    }
    return true;
}

void CountTable::trace(const Region& region, Trail& trail) const {
    trail.opening.assign(problem_->size(), 0);
    trail.closing.assign(problem_->size(), 0);
    trail.counts.assign(1, 0);
    int a = 0, d = 0;
    const auto at = [&](std::size_t t, int count, int lead) {
        const Window& window = region.windows[t];
        const bool inside = count >= window.least_count && count <= window.most_count && lead >= window.least_lead &&
                            lead <= window.most_lead;
        if (!inside) return never;
        const auto row =
            static_cast<std::size_t>(count - window.least_count) * static_cast<std::size_t>(window.leads());
        return table_[offsets_[t] + row + static_cast<std::size_t>(lead - window.least_lead)];
    };
    for (std::size_t t = 0; t < steps_.size(); ++t) {
        const Step& step = steps_[t];
        const char decided = region.decided[step.unknown];
        const double gain =
            step.base + price(region, step) + step.favoured.slope * level(a) - step.other.slope * level(a - d);
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

}  // namespace medir
