#include "similarity/correlations.hpp"

#include <algorithm>
#include <cmath>

#include "base/fenwick.hpp"

namespace medir {

namespace {

// Where a shared document stands among the shared ones: the first place of its tie, from 1.
struct Place {
    std::uint32_t before, after;
};

// The shared documents in the order of `before`. Places in a tie are those of its first document.
template <class IsShared>
std::vector<Place> places_of(const Matching& matching, std::size_t before_size, std::size_t after_size, bool ties,
                             IsShared is_shared) {
    std::vector<Place> places;
    std::vector<std::uint32_t> number(after_size + 1);  // by rank in `after`, from 1
    const auto tied = [ties](const std::vector<std::uint32_t>& firsts, std::uint32_t rank) {
        return ties && !firsts.empty() ? firsts[rank - 1] : rank;
    };
    std::uint32_t place = 0, tie = 0, tie_place = 0;
    for (std::size_t i = 0; i < before_size; ++i) {
        const Document& document = matching.documents()[i];
        if (!is_shared(document)) continue;
        ++place;
        const std::uint32_t first = tied(matching.before_ties(), document.before);
        if (first != tie) tie = first, tie_place = place;
        places.push_back({tie_place, 0});
        number[document.after] = place;
    }
    place = tie = tie_place = 0;
    for (std::uint32_t rank = 1; rank <= after_size; ++rank) {
        if (number[rank] == 0) continue;
        ++place;
        const std::uint32_t first = tied(matching.after_ties(), rank);
        if (first != tie) tie = first, tie_place = place;
        places[number[rank] - 1].after = tie_place;
    }
    return places;
}

double pairs_of(std::size_t n) { return static_cast<double>(n) * (static_cast<double>(n) - 1) / 2; }

// How many documents begin their tie at each place.
std::vector<std::uint32_t> tie_sizes(const std::vector<Place>& places, std::uint32_t Place::* side) {
    std::vector<std::uint32_t> sizes(places.size() + 1);
    for (const Place& place : places) ++sizes[place.*side];
    return sizes;
}

double untied_pairs(const std::vector<Place>& places, std::uint32_t Place::* side) {
    double tied = 0;
    for (const std::uint32_t size : tie_sizes(places, side)) tied += pairs_of(size);
    return pairs_of(places.size()) - tied;
}

double tau_b(const std::vector<Place>& places) {
    const double scale = std::sqrt(untied_pairs(places, &Place::before) * untied_pairs(places, &Place::after));
    if (scale == 0) return no_value;
    Fenwick<std::int64_t> above(places.size());
    std::int64_t agreeing = 0;
    for (std::size_t first = 0; first < places.size();) {
        std::size_t last = first;
        for (; last < places.size() && places[last].before == places[first].before; ++last) {
            const std::int64_t higher = above.sum(places[last].after - 1), not_lower = above.sum(places[last].after);
            agreeing += higher - (static_cast<std::int64_t>(first) - not_lower);
        }
        for (; first < last; ++first) above.add(places[first].after, 1);
    }
    return std::clamp(static_cast<double>(agreeing) / scale, -1.0, 1.0);
}

double rho(const std::vector<Place>& places) {
    const auto before = tie_sizes(places, &Place::before), after = tie_sizes(places, &Place::after);
    const double middle = (static_cast<double>(places.size()) + 1) / 2;
    double product = 0, before_square = 0, after_square = 0;
    for (const Place& place : places) {
        const double x = place.before + (before[place.before] - 1) / 2.0 - middle;
        const double y = place.after + (after[place.after] - 1) / 2.0 - middle;
        product += x * y;
        before_square += x * x;
        after_square += y * y;
    }
    const double scale = std::sqrt(before_square * after_square);
    return scale == 0 ? no_value : std::clamp(product / scale, -1.0, 1.0);
}

// Of the documents above each in the second order, how many are above it in the first too?
template <class Before, class After>
double tau_ap(std::size_t count, Before reference, After order) {
    std::vector<std::size_t> at(count);
    for (std::size_t i = 0; i < count; ++i) at[order(i) - 1] = i;
    Fenwick<std::uint32_t> above(count);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = reference(at[i]);
        if (i > 0) sum += static_cast<double>(above.sum(place)) / static_cast<double>(i);
        above.add(place, 1);
    }
    return 2 * sum / (static_cast<double>(count) - 1) - 1;
}

}  // namespace

double RankCorrelation::value(const Matching& matching, Workspace&) const {
    const auto places = places_of(matching, before_size(matching), after_size(matching), ties_,
                                  [this](const Document& document) { return shared(document); });
    if (places.size() < 2) return no_value;
    const auto before = [&](std::size_t i) { return places[i].before; };
    const auto after = [&](std::size_t i) { return places[i].after; };
    switch (kind_) {
        case Kind::tau_b:
            return tau_b(places);
        case Kind::rho:
            return rho(places);
        case Kind::tau_ap:
            return tau_ap(places.size(), before, after);
        case Kind::symmetric_tau_ap:
            return (tau_ap(places.size(), before, after) + tau_ap(places.size(), after, before)) / 2;
    }
    return no_value;
}

}  // namespace medir
