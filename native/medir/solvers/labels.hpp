// Labels of a walk: the decisions so far, as far as they matter for what follows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace medir {

// Which straddlers are relevant.
template <std::size_t Words>
struct Mask {
    std::array<std::uint64_t, Words> words{};

    bool test(std::size_t i) const { return words[i / 64] >> (i % 64) & 1; }
    void flip(std::size_t i) { words[i / 64] ^= std::uint64_t{1} << (i % 64); }
    template <class Call>
    void each(const Call& call) const {
        for (std::size_t i = 0; i < Words; ++i)
            for (std::uint64_t word = words[i]; word != 0; word &= word - 1)
                call(64 * i + static_cast<std::size_t>(std::countr_zero(word)));
    }
    std::strong_ordering operator<=>(const Mask& mask) const {
        for (std::size_t i = 0; i < Words; ++i)
            if (words[i] != mask.words[i]) return words[i] <=> mask.words[i];
        return std::strong_ordering::equal;
    }
    bool operator==(const Mask& mask) const { return (*this <=> mask) == 0; }
};

// Decisions so far.
template <std::size_t Words>
struct Label {
    Mask<Words> straddlers;
    double value, bound;
    std::uint32_t remembered;
    std::int32_t count, ahead, excess;  // relevant in both, more of them in the favoured list, of the not remembered
    std::uint32_t from;                 // the label before, and the decision

    std::size_t count_favoured() const { return static_cast<std::size_t>(count + std::max(ahead, 0)); }
    std::size_t count_other() const { return static_cast<std::size_t>(count + std::max(-ahead, 0)); }
    bool same_place(const Label& label) const { return straddlers == label.straddlers && count == label.count; }
    bool before(const Label& label) const {
        return straddlers != label.straddlers ? straddlers < label.straddlers : count < label.count;
    }
};

// Those at a cut, and those that follow from them with and without the next unknown.
template <std::size_t Words>
struct LabelSets {
    std::vector<Label<Words>> now, without, with;
};

}  // namespace medir
