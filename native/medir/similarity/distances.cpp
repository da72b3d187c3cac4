#include "similarity/distances.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/fenwick.hpp"

namespace medir {

namespace {

std::uint32_t cut(std::uint32_t rank, std::size_t cutoff) { return rank <= cutoff ? rank : 0; }

}  // namespace

double Footrule::value(const Matching& matching, Workspace&) const {
    const std::size_t depth = cut_ ? cutoff_ : std::max(matching.before_size(), matching.after_size());
    const auto absent = static_cast<double>(depth + 1);
    double sum = 0;
    for (const Document& document : matching.documents()) {
        const std::uint32_t before = cut(document.before, cutoff_), after = cut(document.after, cutoff_);
        sum += std::abs((before != 0 ? before : absent) - (after != 0 ? after : absent));
    }
    if (!normalized_) return sum;
    return depth == 0 ? no_value : sum / (static_cast<double>(depth) * absent);
}

double ReciprocalRankDistance::value(const Matching& matching, Workspace&) const {
    double sum = 0;
    for (const Document& document : matching.documents()) {
        const std::uint32_t before = cut(document.before, cutoff_), after = cut(document.after, cutoff_);
        sum += std::abs((before != 0 ? 1.0 / before : 0.0) - (after != 0 ? 1.0 / after : 0.0));
    }
    return sum;
}

double WeightedHoeffding::value(const Matching& matching, Workspace&) const {
    const std::size_t x_size = before_size(matching), y_size = after_size(matching);
    struct Step {
        std::uint32_t both = 0, only_x = 0, only_y = 0;  // documents that are complete here
    };
    std::vector<Step> steps(std::max(x_size, y_size) + 1);
    std::size_t known = 0;
    for (const Document& document : matching.documents()) {
        const std::uint32_t x = cut(document.before, cutoff_), y = cut(document.after, cutoff_);
        known += x != 0 || y != 0;
        if (x != 0 && y != 0)
            ++steps[std::max(x, y)].both;
        else if (x != 0)
            ++steps[x].only_x;
        else if (y != 0)
            ++steps[y].only_y;
    }
    const std::size_t n = documents_ == 0 ? known : documents_;
    if (n < known) return no_value;
    // How likely a document that a list does not show stands in the first t ranks.
    const auto unseen = [n](std::size_t t, std::size_t size) {
        return t <= size ? 0.0 : static_cast<double>(t - size) / static_cast<double>(n - size);
    };
    double both = 0, only_x = 0, only_y = 0, sum = 0;
    const auto neither = static_cast<double>(n - known);
    for (std::size_t t = 1; t < n; ++t) {
        if (t < steps.size()) {
            both += steps[t].both;
            only_x += steps[t].only_x;
            only_y += steps[t].only_y;
        }
        const double in_x = unseen(t, x_size), in_y = unseen(t, y_size);
        const double overlap = both + only_x * in_y + only_y * in_x + neither * in_x * in_y;
        sum += weights_[t - 1] * std::max(0.0, static_cast<double>(t) - overlap);
    }
    return 2 * sum;
}

// The mean cost of the swaps between two ranks.
double PositionWeighted::weight(std::size_t before, std::size_t after) const {
    if (positions_.empty() || before == after) return 1;
    return (positions_[before] - positions_[after]) / (static_cast<double>(before) - static_cast<double>(after));
}

double PositionWeighted::value(const Matching& matching, Workspace&) const {
    std::vector<std::size_t> at(after_size(matching) + 1);  // by rank in `after`: the place in `before`, from 1
    std::size_t count = 0;
    for (std::size_t i = 0; i < before_size(matching); ++i)
        if (shared(matching.documents()[i])) at[matching.documents()[i].after] = ++count;
    if (count < 2) return no_value;
    std::erase(at, 0);  // now by place in `after`, from 0
    std::vector<double> weights(count);
    std::vector<double> above(count + 1);  // by place in `before`: the weights up to there
    for (std::size_t i = 0; i < count; ++i) above[at[i]] = weights[i] = weight(at[i], i + 1);
    for (std::size_t place = 1; place <= count; ++place) above[place] += above[place - 1];
    double sum = 0, higher = 0;
    Fenwick<double> passed(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (kind_ == Kind::footrule)
            sum += weights[i] * std::abs(above[at[i] - 1] - higher);
        else  // those that this one follows in `after` alone
            sum += weights[i] * (higher - passed.sum(at[i]));
        passed.add(at[i], weights[i]);
        higher += weights[i];
    }
    return sum;
}

}  // namespace medir
