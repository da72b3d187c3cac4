// How far two lists, or two texts, differ and can differ: the columns of a result.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace medir {

enum class Unseen { anything, nothing };  // what the ranks below a list hold

// Of S(favoured) - S(other).
struct Bounds {
    double most;   // the maximum, or the most that was found
    double least;  // what the maximum cannot fall below once both lists are known to full depth
    double gap;    // the maximum is proven to lie in [most, most + gap]
};

inline constexpr std::array<std::string_view, 5> difference_columns{"med", "gain", "loss", "lower", "gap"};

struct Difference {
    double med, gain, loss, lower, gap;

    std::array<double, difference_columns.size()> row() const { return {med, gain, loss, lower, gap}; }
};

inline constexpr std::array<std::string_view, 3> change_columns{"entered", "left", "moved"};

// Documents, or characters of a text.
struct Changes {
    std::uint32_t entered = 0, left = 0, moved = 0;

    std::array<std::uint32_t, change_columns.size()> row() const { return {entered, left, moved}; }
};

Difference difference_of(const Bounds& gain, const Bounds& loss, Unseen unseen);

}  // namespace medir
