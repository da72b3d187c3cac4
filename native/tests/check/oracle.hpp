// What the measures are by definition: scores of lists, and the most that two of them can differ, by trying every
// assignment of relevance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "measures/time_biased_gain.hpp"

namespace oracle {

using Random = std::mt19937_64;
using Numbers = std::vector<std::uint32_t>;
using Relevance = std::vector<double>;  // by document
using Score = std::function<double(const Numbers& list, const Relevance& relevance)>;

[[noreturn]] inline void fail(const char* what, double value, double expected) {
    std::fprintf(stderr, "%s: %.17g where %.17g was expected\n", what, value, expected);
    std::exit(1);
}
inline void expect(bool holds, const char* what, double value = 0, double expected = 0) {
    if (!holds) fail(what, value, expected);
}
inline void expect_near(const char* what, double value, double expected, double tolerance = 1e-12) {
    const bool both_nan = std::isnan(value) && std::isnan(expected);
    if (!both_nan && !(std::abs(value - expected) <= tolerance)) fail(what, value, expected);
}

// From 0 to 1; the same on every platform.
inline double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

inline void shuffle(Numbers& numbers, Random& random) {
    for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[random() % i]);
}

inline Numbers all_of(std::size_t size) {
    Numbers numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

// The same documents in any order, or nearly in the same.
inline Numbers reordered(Numbers numbers, bool nearly, Random& random) {
    if (!nearly)
        shuffle(numbers, random);
    else
        for (std::size_t swaps = numbers.size(); swaps-- > 0;) {
            const std::size_t i = random() % numbers.size(), j = std::min(numbers.size() - 1, i + random() % 8);
            std::swap(numbers[i], numbers[j]);
        }
    return numbers;
}

// Here and there one document stands some ranks higher or lower.
inline Numbers moved(Numbers numbers, Random& random) {
    for (std::size_t i = 0, last; i + 1 < numbers.size(); i = last + 1) {
        last = std::min(numbers.size() - 1, i + random() % 4);
        const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(i);
        const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(last) + 1;
        std::rotate(first, random() % 2 ? first + 1 : end - 1, end);
    }
    return numbers;
}

// sum_i c_i d_i prod_{j<i} (1 - rho c_j); discounts count from rank 1.
inline Score cascade(std::vector<double> discount, double decay, double norm) {
    return [=](const Numbers& list, const Relevance& relevance) {
        double sum = 0, reach = 1;
        for (std::size_t i = 0; i < list.size() && i + 1 < discount.size(); ++i) {
            sum += reach * relevance[list[i]] * discount[i + 1];
            reach *= 1 - decay * relevance[list[i]];
        }
        return sum / norm;
    };
}

inline Score average_precision(std::size_t cutoff, double norm) {
    return [=](const Numbers& list, const Relevance& relevance) {
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < list.size() && i < cutoff; ++i)
            if (relevance[list[i]] > 0) sum += ++count / static_cast<double>(i + 1);
        return sum / norm;
    };
}

using Calibration = medir::TimeBiasedGain::Calibration;
inline constexpr Calibration published{224, 0.4928, 4.4, 7.8, 0.018, 0.64, 0.39};
// Relevance costs more, and more is left to branch and bound.
inline constexpr Calibration hurried{60, 1, 1, 2, 0.01, 0.9, 0.1};

// By the clock of the user. Documents beyond `words` have none.
inline Score time_biased_gain(Calibration calibration, std::size_t cutoff, std::vector<double> words) {
    return [=](const Numbers& list, const Relevance& relevance) {
        double sum = 0, seconds = 0;
        for (std::size_t i = 0; i < list.size() && i < cutoff; ++i) {
            const bool relevant = relevance[list[i]] > 0;
            const double length = list[i] < words.size() ? words[list[i]] : 0;
            if (relevant) sum += calibration.gain * std::exp2(-seconds / calibration.half_life);
            seconds += calibration.snippet + (relevant ? calibration.click_relevant : calibration.click_not_relevant) *
                                                 (calibration.document + calibration.word * length);
        }
        return sum;
    };
}

inline std::vector<double> random_words(std::size_t size, Random& random) {
    std::vector<double> words(size);
    for (double& one : words)
        one = random() % 4 ? std::exp(4 + 5 * uniform(random)) : static_cast<double>(random() % 40000);
    return words;
}

// Two lists of one query. A document that is not judged has any relevance from 0 to the top.
struct Problem {
    Numbers before, after;
    bool before_cut = false, after_cut = false;
    std::vector<std::int32_t> grades;  // by document; -1 where it is not judged
    bool judged = false;
};

inline Problem turned(const Problem& lists) {
    return {lists.after, lists.before, lists.after_cut, lists.before_cut, lists.grades, lists.judged};
}

struct Maximum {
    double value = -std::numeric_limits<double>::infinity();
    Relevance relevance;
};

// Values of grades, the top, and how deep a measure looks.
struct Scale {
    std::vector<double> values;
    std::size_t depth;
};

inline Relevance known_relevance(const Problem& lists, const Scale& scale) {
    Relevance relevance(lists.grades.size() + scale.depth, 0.0);
    for (std::size_t d = 0; d < lists.grades.size(); ++d)
        if (lists.grades[d] >= 0) relevance[d] = scale.values[static_cast<std::size_t>(lists.grades[d])];
    return relevance;
}

// The most that the list `after` can score more than the list `before`. In its unseen ranks, documents of the top
// stand, which are numbered on.
inline Maximum most_of_after(const Problem& lists, const Scale& scale, const Score& score) {
    Numbers after = lists.after;
    Relevance relevance = known_relevance(lists, scale);
    for (std::uint32_t more = 0; lists.after_cut && after.size() < scale.depth; ++more) {
        after.push_back(static_cast<std::uint32_t>(lists.grades.size()) + more);
        relevance[after.back()] = scale.values.back();
    }
    Numbers unknowns;
    for (const Numbers* list : {&lists.before, &lists.after})
        for (const std::uint32_t d : *list)
            if (lists.grades[d] < 0 && std::find(unknowns.begin(), unknowns.end(), d) == unknowns.end())
                unknowns.push_back(d);
    Maximum maximum;
    for (std::size_t mask = 0; mask < std::size_t{1} << unknowns.size(); ++mask) {
        for (std::size_t i = 0; i < unknowns.size(); ++i)
            relevance[unknowns[i]] = mask >> i & 1 ? scale.values.back() : 0.0;
        const double value = score(after, relevance) - score(lists.before, relevance);
        if (value > maximum.value) maximum = {value, relevance};
    }
    return maximum;
}

}  // namespace oracle
