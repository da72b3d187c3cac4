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
    // Which of them are equal to one before.
    MEDIR_AVX2 static std::uint64_t repeated(const std::uint32_t* numbers) {
        std::uint64_t bits = 0;
        for (std::size_t i = 1; i < lanes; ++i) {
            const std::uint64_t before = (std::uint64_t{1} << i) - 1;
            bits |= std::uint64_t{(equal(numbers, numbers[i]) & before) != 0} << i;
        }
        return bits;
    }
};

struct Avx512Numbers {
    static constexpr std::size_t lanes = 16;
    MEDIR_AVX512 static std::uint64_t equal(const std::uint32_t* numbers, std::uint32_t number) {
        return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(numbers), _mm512_set1_epi32(static_cast<int>(number)));
    }
    MEDIR_AVX512 static std::uint64_t repeated(const std::uint32_t* numbers) {
        const __m512i before = _mm512_conflict_epi32(_mm512_loadu_si512(numbers));
        return _mm512_test_epi32_mask(before, before);
    }
};

// Whether a number stands twice among these.
template <class Numbers>
MEDIR_ALWAYS_INLINE bool has_repeats(const std::uint32_t* numbers, std::size_t size) {
    std::uint64_t repeats = 0;
    for (std::size_t begin = 0; begin < size; begin += Numbers::lanes) {
        const std::size_t here = std::min(Numbers::lanes, size - begin);
        repeats |= Numbers::repeated(numbers + begin) & ((std::uint64_t{1} << here) - 1);
        for (std::size_t before = 0; before < begin; before += Numbers::lanes)
            for (std::size_t i = begin; i < begin + here; ++i) repeats |= Numbers::equal(numbers + before, numbers[i]);
    }
    return repeats != 0;
}

template <class Numbers, std::size_t Room>
MEDIR_ALWAYS_INLINE bool find_places_in(const std::uint32_t* first, std::size_t first_size, const std::uint32_t* second,
                                        std::size_t second_size, std::uint8_t* places) {
    const std::uint64_t known = ~std::uint64_t{0} >> (64 - first_size);
    for (std::size_t i = 0; i < second_size; ++i) {
        std::uint64_t bits = 0;
        for (std::size_t at = 0; at < Room; at += Numbers::lanes) bits |= Numbers::equal(first + at, second[i]) << at;
        places[i] = static_cast<std::uint8_t>(std::countr_zero(bits & known));
    }
    return !has_repeats<Numbers>(first, first_size) && !has_repeats<Numbers>(second, second_size);
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
