// Masks of 64 bytes: which of them fit, a bit a byte, with the widest vectors that the processor has.
#pragma once

#include <cstdint>

#include "platform/portable.hpp"

#if !defined(MEDIR_PORTABLE) && (defined(__SSE2__) || defined(_M_X64))
#define MEDIR_SSE2
#if defined(__GNUC__) && !defined(_WIN32)  // what tells the processor may be missing there when a program is linked
#define MEDIR_WIDER_VECTORS                // functions can be compiled for other processors
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // GCC 12 warns about vectors that it leaves undefined itself
#endif
#include <immintrin.h>
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#else
#include <emmintrin.h>
#endif
#elif !defined(MEDIR_PORTABLE) && defined(__aarch64__)
#define MEDIR_NEON
#include <arm_neon.h>
#endif

namespace medir {

// Sixty-four bytes at once: which of those from p are this character, or one up to it, a bit a byte. The processor says
// when the program runs how wide its vectors are.

// Eight bytes at a time, without vectors.
struct WordMasks {
    static std::uint64_t equal(const char* p, char c) {
        return of_words(p, [c](std::uint64_t word) {
            const std::uint64_t other = word ^ ones * static_cast<unsigned char>(c);
            return ~(((other & ~high) + ~high) | other);  // a byte of zero is where it was this one
        });
    }
    // Of characters below 0x80.
    static std::uint64_t up_to(const char* p, char c) {
        return of_words(p, [c](std::uint64_t word) {
            return ~(((word & ~high) + ones * (0x7fu - static_cast<unsigned char>(c))) | word);
        });
    }

private:
    static constexpr std::uint64_t ones = 0x0101010101010101u, high = ones * 0x80;

    template <class Fits>
    static std::uint64_t of_words(const char* p, Fits fits) {
        std::uint64_t bits = 0;
        for (int byte = 0; byte < 64; byte += 8) {
            std::uint64_t word = 0;
            for (int i = 0; i < 8; ++i) word |= std::uint64_t{static_cast<unsigned char>(p[byte + i])} << (8 * i);
            bits |= ((fits(word) & high) >> 7) * 0x0102040810204080u >> 56 << byte;
        }
        return bits;
    }
};

#if defined(MEDIR_SSE2)

struct Sse2Masks {
    static std::uint64_t equal(const char* p, char c) {
        return of_vectors(p, [c](__m128i bytes) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); });
    }
    static std::uint64_t up_to(const char* p, char c) {
        return of_vectors(p,
                          [c](__m128i bytes) { return _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(c)), bytes); });
    }

private:
    template <class Fits>
    static std::uint64_t of_vectors(const char* p, Fits fits) {
        std::uint64_t bits = 0;
        for (int byte = 0; byte < 64; byte += 16) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + byte));
            bits |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(fits(bytes)))} << byte;
        }
        return bits;
    }
};
using Masks = Sse2Masks;  // those that all processors of the kind have

#elif defined(MEDIR_NEON)

struct NeonMasks {
    static std::uint64_t equal(const char* p, char c) {
        const uint8x16_t wanted = vdupq_n_u8(static_cast<std::uint8_t>(c));
        return of_vectors(p, [wanted](uint8x16_t bytes) { return vceqq_u8(bytes, wanted); });
    }
    static std::uint64_t up_to(const char* p, char c) {
        const uint8x16_t most = vdupq_n_u8(static_cast<std::uint8_t>(c));
        return of_vectors(p, [most](uint8x16_t bytes) { return vcleq_u8(bytes, most); });
    }

private:
    // Each byte that fits keeps the bit of its place, and neighbours are added up three times.
    template <class Fits>
    static std::uint64_t of_vectors(const char* p, Fits fits) {
        constexpr std::uint8_t bits_by_place[] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
        const uint8x16_t places = vld1q_u8(bits_by_place);
        const auto kept = [&](int byte) {
            return vandq_u8(fits(vld1q_u8(reinterpret_cast<const std::uint8_t*>(p + byte))), places);
        };
        uint8x16_t sums = vpaddq_u8(vpaddq_u8(kept(0), kept(16)), vpaddq_u8(kept(32), kept(48)));
        sums = vpaddq_u8(sums, sums);
        return vgetq_lane_u64(vreinterpretq_u64_u8(sums), 0);
    }
};
using Masks = NeonMasks;

#else

using Masks = WordMasks;

#endif

#if defined(MEDIR_WIDER_VECTORS)

#define MEDIR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define MEDIR_AVX512 __attribute__((target("avx512f,avx512bw,avx512cd,avx2,bmi,bmi2,popcnt")))

struct Avx2Masks {
    MEDIR_AVX2 static std::uint64_t equal(const char* p, char c) {
        const __m256i wanted = _mm256_set1_epi8(c);
        return joined(_mm256_movemask_epi8(_mm256_cmpeq_epi8(load(p), wanted)),
                      _mm256_movemask_epi8(_mm256_cmpeq_epi8(load(p + 32), wanted)));
    }
    MEDIR_AVX2 static std::uint64_t up_to(const char* p, char c) {
        const __m256i most = _mm256_set1_epi8(c), low = load(p), high = load(p + 32);
        return joined(_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(low, most), low)),
                      _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(high, most), high)));
    }

private:
    MEDIR_AVX2 static __m256i load(const char* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
    static std::uint64_t joined(int low, int high) {
        return static_cast<std::uint32_t>(low) | std::uint64_t{static_cast<std::uint32_t>(high)} << 32;
    }
};

struct Avx512Masks {
    MEDIR_AVX512 static std::uint64_t equal(const char* p, char c) {
        return _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(p), _mm512_set1_epi8(c));
    }
    MEDIR_AVX512 static std::uint64_t up_to(const char* p, char c) {
        return _mm512_cmple_epu8_mask(_mm512_loadu_si512(p), _mm512_set1_epi8(c));
    }
};

template <class Work>
MEDIR_AVX2 auto with_avx2(const Work& work) {
    return work(Avx2Masks{});
}
template <class Work>
MEDIR_AVX512 auto with_avx512(const Work& work) {
    return work(Avx512Masks{});
}

enum class MaskWidth { usual, avx2, avx512 };

inline MaskWidth widest_masks() {
    static const MaskWidth widest = [] {
        const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
        if (!avx2) return MaskWidth::usual;
        const bool avx512 = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
        return avx512 ? MaskWidth::avx512 : MaskWidth::avx2;
    }();
    return widest;
}

#endif

// Calls work(masks) with the widest masks that the processor has. `work` is compiled for each kind of processor: it is
// a lambda with MEDIR_INLINE_LAMBDA, and calls functions that are always inlined.
template <class Work>
auto with_widest_masks(const Work& work) {
#if defined(MEDIR_WIDER_VECTORS)
    if (widest_masks() == MaskWidth::avx512) return with_avx512(work);
    if (widest_masks() == MaskWidth::avx2) return with_avx2(work);
#endif
    return work(Masks{});
}

}  // namespace medir
