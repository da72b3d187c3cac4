// Where the numbers of one short list stand in another, by comparing each with many at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "platform/masks.hpp"

namespace medir {

// Lists of at most so many numbers, in arrays with room for as many.
constexpr std::size_t most_places = 64;
// So many numbers of an array are looked at where that many are in the longer list.
constexpr std::size_t looked_at(std::size_t size) { return size <= 32 ? 32 : most_places; }
constexpr std::size_t no_place = most_places;

#if defined(MEDIR_WIDER_VECTORS)

struct Avx2Numbers {
    static constexpr std::size_t lanes = 8;
    MEDIR_AVX2 static std::uint64_t equal(const std::uint32_t* numbers, std::uint32_t number) {
        const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(numbers));
        const __m256i same = _mm256_cmpeq_epi32(all, _mm256_set1_epi32(static_cast<int>(number)));
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(same)));
    }
};

struct Avx512Numbers {
    static constexpr std::size_t lanes = 16;
    MEDIR_AVX512 static std::uint64_t equal(const std::uint32_t* numbers, std::uint32_t number) {
        return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(numbers), _mm512_set1_epi32(static_cast<int>(number)));
    }
};

template <class Numbers, std::size_t Room>
MEDIR_ALWAYS_INLINE bool find_places_in(const std::uint32_t* first, std::size_t first_size, const std::uint32_t* second,
                                        std::size_t second_size, std::uint8_t* places) {
    const auto equal = [](const std::uint32_t* numbers, std::uint32_t number) MEDIR_INLINE_LAMBDA {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < Room; i += Numbers::lanes) bits |= Numbers::equal(numbers + i, number) << i;
        return bits;
    };
    const auto below = [](std::size_t i) { return (std::uint64_t{1} << i) - 1; };
    const std::uint64_t known = ~std::uint64_t{0} >> (64 - first_size);
    std::uint64_t repeats = 0;
    for (std::size_t i = 1; i < first_size; ++i) repeats |= equal(first, first[i]) & below(i);
    for (std::size_t i = 0; i < second_size; ++i) {
        repeats |= equal(second, second[i]) & below(i);
        places[i] = static_cast<std::uint8_t>(std::countr_zero(equal(first, second[i]) & known));
    }
    return repeats == 0;
}

// For each number of the second list its place in the first, or no_place. False where one stands twice in a list, or
// where the processor would not be faster so. Neither list is empty.
inline bool find_places(const std::uint32_t* first, std::size_t first_size, const std::uint32_t* second,
                        std::size_t second_size, std::uint8_t* places) {
    const auto find = [&](auto numbers) MEDIR_INLINE_LAMBDA {
        using Numbers = decltype(numbers);
        if (looked_at(std::max(first_size, second_size)) == 32)
            return find_places_in<Numbers, 32>(first, first_size, second, second_size, places);
        return find_places_in<Numbers, most_places>(first, first_size, second, second_size, places);
    };
    struct Wide {
        MEDIR_AVX512 static bool with_avx512(const decltype(find)& work) { return work(Avx512Numbers{}); }
        MEDIR_AVX2 static bool with_avx2(const decltype(find)& work) { return work(Avx2Numbers{}); }
    };
    if (widest_masks() == MaskWidth::avx512) return Wide::with_avx512(find);
    return widest_masks() == MaskWidth::avx2 && Wide::with_avx2(find);
}

#else

inline bool find_places(const std::uint32_t*, std::size_t, const std::uint32_t*, std::size_t, std::uint8_t*) {
    return false;
}

#endif

}  // namespace medir
