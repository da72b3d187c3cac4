// Made-up problems for the solvers.
#pragma once

#include "check/oracle.hpp"
#include "solvers/count_search.hpp"
#include "solvers/quadratic.hpp"
#include "solvers/timed_difference.hpp"
#include "solvers/walk.hpp"

namespace oracle {

inline double weight(const medir::QuadraticFunction& function, std::size_t v, std::size_t u) {
    const auto& [linear, first, second, reciprocal] = function;
    return (*reciprocal)[std::max(first[v], first[u])] - (*reciprocal)[std::max(second[v], second[u])];
}

// Unknowns at ranks of two lists; some ranks are free. Where they are balanced, each depends on the others as much as
// can be, and little is decided at once. The reciprocals must outlive the problem.
inline const std::vector<double>& fill_quadratic(medir::QuadraticFunction& problem, std::size_t size, bool nearly,
                                                 bool balanced, Random& random) {
    static std::vector<double> reciprocal;
    const std::size_t ranks = size + size / 2;
    if (reciprocal.size() <= ranks) reciprocal.resize(ranks + 1);
    for (std::size_t i = 1; i <= ranks; ++i) reciprocal[i] = 1.0 / static_cast<double>(i);
    problem = {{}, {}, {}, &reciprocal};
    Numbers places = all_of(ranks);
    shuffle(places, random);
    places.resize(size);
    std::sort(places.begin(), places.end());
    const Numbers turned = reordered(places, nearly, random);
    for (std::size_t v = 0; v < size; ++v) {
        problem.first.push_back(places[v] + 1);
        problem.second.push_back(turned[v] + 1);
        problem.linear.push_back(reciprocal[places[v] + 1] - reciprocal[turned[v] + 1]);
    }
    for (std::size_t v = 0; balanced && v < size; ++v) {
        problem.linear[v] = 0.1 * (uniform(random) - 0.5);
        for (std::size_t u = 0; u < size; ++u)
            if (u != v) problem.linear[v] -= 0.5 * weight(problem, v, u);
    }
    return reciprocal;
}

inline double quadratic_value(const medir::QuadraticFunction& function, const std::vector<char>& x) {
    double sum = 0;
    for (std::size_t v = 0; v < x.size(); ++v) {
        if (!x[v]) continue;
        sum += function.linear[v];
        for (std::size_t u = 0; u < v; ++u)
            if (x[u])
                sum += 1.0 / std::max(function.first[v], function.first[u]) -
                       1.0 / std::max(function.second[v], function.second[u]);
    }
    return sum;
}

// A list of a cascade with discounts 1/sqrt(rank), between whose unknowns some documents are known.
inline void fill_counted_list(medir::CountedList& list, const Numbers& unknowns, double keep, Random& random) {
    list.clear();
    double known = 0, reach = 1;
    std::size_t rank = 0;
    for (const std::uint32_t unknown : unknowns) {
        while (random() % 3 == 0) {
            const double relevance = 0.5 * uniform(random);
            known += reach * relevance / std::sqrt(static_cast<double>(++rank));
            reach *= 1 - (1 - keep) * relevance;
        }
        const double discount = 1 / std::sqrt(static_cast<double>(++rank));
        list.unknowns.push_back(unknown);
        list.slope.push_back(reach * discount);
        list.known.push_back(known);
        known = 0;
    }
    list.known.push_back(random() % 2 ? 0.0 : reach / std::sqrt(static_cast<double>(rank + 1)));
}

inline double counted_score(const medir::CountedList& list, const std::vector<double>& level,
                            const std::vector<char>& x) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < list.unknowns.size(); ++i) {
        sum += list.known[i] * level[count];
        if (!x[list.unknowns[i]]) continue;
        sum += list.slope[i] * level[count];
        ++count;
    }
    return sum + list.known.back() * level[count];
}

// A difference of two cascades, and what a relevant unknown leaves of all below it.
struct Cascades {
    medir::CountedDifference problem;
    std::vector<double> level;
    double keep = 0;

    double value(const std::vector<char>& x) const {
        return counted_score(problem.favoured, level, x) - counted_score(problem.other, level, x);
    }
};

inline void fill_cascades(Cascades& cascades, std::size_t size, bool nearly, Random& random) {
    auto& [problem, level, keep] = cascades;
    keep = random() % 2 ? 0.7 : 0.9;
    const Numbers before = all_of(size), after = reordered(before, nearly, random);
    fill_counted_list(problem.favoured, before, keep, random);
    fill_counted_list(problem.other, after, keep, random);
    problem.linear.assign(size, 0.0);
    level.resize(2 * size + 2);
    for (std::size_t i = 0; i < level.size(); ++i) level[i] = std::pow(keep, static_cast<double>(i));
    problem.level = &level;
}

// Lists of which no relevant unknown lowers the score, but some hardly raise it: to change one unknown after the other
// does not always lead to the maximum.
inline void fill_rising_cascades(Cascades& cascades, std::size_t size, Random& random) {
    auto& [problem, level, keep] = cascades;
    fill_cascades(cascades, size, random() % 2, random);
    keep = std::vector{0.05, 0.3, 0.6, 0.9}[random() % 4];
    for (std::size_t i = 0; i < level.size(); ++i) level[i] = std::pow(keep, static_cast<double>(i));
    for (auto* list : {&problem.favoured, &problem.other}) {
        double most = list->known.back() = random() % 2 ? 0.0 : uniform(random);
        for (std::size_t i = size; i-- > 0;) {
            list->slope[i] = (1 - keep) * most + (random() % 2 ? 0.0 : std::pow(uniform(random), 3));
            list->known[i] = random() % 3 ? 0.0 : uniform(random);
            most = list->known[i] + list->slope[i] + keep * most;
        }
    }
}

// Some documents are decided, some stand in one list only.
inline void fill_timed(medir::TimedDifference& problem, std::size_t size, bool nearly, bool decided, Random& random) {
    problem.gain = 0.25 + uniform(random);
    Numbers before = all_of(size), after = reordered(before, nearly, random);
    if (decided) {
        for (Numbers* list : {&before, &after})
            for (std::size_t less = random() % (1 + size / 3); less-- > 0;)
                list->erase(list->begin() + static_cast<std::ptrdiff_t>(random() % list->size()));
    }
    problem.favoured = {after, random() % 2 ? 0.0 : 3 * uniform(random)};
    problem.other = {before, 0};
    problem.factors.clear();
    problem.relevance.clear();
    for (std::size_t d = 0; d < size; ++d) {
        const double other = 1 - 0.3 * uniform(random) * uniform(random);
        const double relevant = random() % 50 == 0 ? 0.0 : other * (1 - (d % 2 ? 0.5 : 0.9) * uniform(random));
        problem.factors.push_back({other, relevant});
        const bool known = decided && random() % 5 == 0;
        problem.relevance.push_back(known ? static_cast<char>(random() % 2) : medir::TimedDifference::undecided);
    }
}

inline double timed_value(const medir::TimedDifference& problem, const std::vector<char>& x) {
    const auto score = [&](const medir::TimedDifference::List& list) {
        double sum = 0, reach = 1;
        for (const std::uint32_t d : list.documents) {
            if (x[d]) sum += reach * problem.gain;
            reach *= x[d] ? problem.factors[d].relevant : problem.factors[d].other;
        }
        return sum + reach * list.unseen;
    };
    return score(problem.favoured) - score(problem.other);
}

inline void fill_timed_walk(medir::TimedWalk& walk, std::size_t size, Random& random) {
    Numbers before = all_of(size), after = reordered(before, random() % 2, random);
    before.resize(size - random() % (1 + size / 2));
    after.resize(size - random() % (1 + size / 2));
    walk.favoured.unknowns = before;
    walk.other.unknowns = after;
    walk.keep.resize(size);
    for (double& one : walk.keep) one = 0.4 + 0.6 * uniform(random);
    for (auto* list : {&walk.favoured, &walk.other}) {
        list->gain.resize(list->unknowns.size());
        list->known.resize(list->unknowns.size() + 1);
        for (double& one : list->gain) one = uniform(random);
        for (double& one : list->known) one = random() % 2 ? uniform(random) : 0.0;
    }
}

}  // namespace oracle
