// Products of two words, in full.
#pragma once

#include <cstdint>

namespace medir {

struct Product {
    std::uint64_t low, high;
};

#if !defined(MEDIR_PORTABLE) && defined(__SIZEOF_INT128__)

constexpr Product product_of(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
}

#else

constexpr Product product_of(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t half = 0xffffffffu;
    const std::uint64_t low = (a & half) * (b & half);
    const std::uint64_t first = (a >> 32) * (b & half) + (low >> 32);
    const std::uint64_t second = (a & half) * (b >> 32) + (first & half);
    return {second << 32 | (low & half), (a >> 32) * (b >> 32) + (first >> 32) + (second >> 32)};
}

#endif

}  // namespace medir
