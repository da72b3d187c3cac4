// How far two lists, or two texts, differ and can differ: the columns of a result.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace medir {

// A rank similarity may have none, and so has a measure whose ideal comes from judgments without a relevant document.
inline constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

// Of S(favoured) - S(other).
struct Bounds {
    double most;   // the maximum, or the most that was found
    double least;  // what the maximum cannot fall below once both lists are known to full depth
    double gap;    // the maximum is proven to lie in [most, most + gap]
};

inline constexpr std::array<std::string_view, 8> difference_columns{"med", "gain",     "loss",     "lower",
                                                                    "gap", "gain_gap", "loss_gap", "unseen"};

struct Difference {
    double med, gain, loss, lower;
    double gap = 0, gain_gap = 0, loss_gap = 0;  // the maxima are proven to lie in [med, med + gap], ...
    double unseen = 0;                           // what the unseen ranks add to med

    std::array<double, difference_columns.size()> row() const {
        return {med, gain, loss, lower, gap, gain_gap, loss_gap, unseen};
    }
};

inline constexpr std::array<std::string_view, 3> change_columns{"entered", "left", "moved"};

// Documents, or characters of a text.
struct Changes {
    std::uint32_t entered = 0, left = 0, moved = 0;

    std::array<std::uint32_t, change_columns.size()> row() const { return {entered, left, moved}; }
};

Difference difference_of(const Bounds& gain, const Bounds& loss);

// What unseen ranks add to a med, given what it would be if both lists had ended. They never take anything away: what
// is less than 1e-12 of it is rounding.
double added_by_unseen(double med, double if_ended);

}  // namespace medir
