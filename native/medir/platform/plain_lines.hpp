// The lines of most runs, taken apart many at a time: six columns with the same blank between them, and as score a
// short decimal. Where the processor has vectors of 512 bits, eight such lines stand side by side; elsewhere, and for
// all other lines, the reader of the format does it line by line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "platform/masks.hpp"

namespace medir {

// Up to eight lines. Positions count from where all lines begin.
struct alignas(64) PlainLines {
    static constexpr std::size_t most = 8;

    std::uint64_t document[most], document_size[most], document_hash[most];
    std::uint64_t score_end[most], score_size[most];
    double score[most];          // in single precision
    std::uint32_t other_scores;  // bits: which lines have a score that is no short decimal, and was not read
    std::size_t count;
};

#if defined(MEDIR_WIDER_VECTORS)

#define MEDIR_LANES \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi2,avx2,bmi,bmi2,popcnt")))

inline bool has_lanes() {
    static const bool all = widest_masks() == MaskWidth::avx512 && __builtin_cpu_supports("avx512vl") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi2");
    return all;
}

// Where the columns of lines end, as positions one behind the other: six for each line.
class ColumnEnds {
public:
    // `id_size`: of what the first line begins with; the blank behind it separates all columns.
    ColumnEnds(const char* begin, std::size_t size, std::size_t id_size)
        : begin_(begin), size_(size), separator_(begin[id_size]) {}

    // Finds more of them. False where lines are not plain: what was found does not count then.
    MEDIR_LANES bool find() {
        if (size_ > longest || begin_[size_ - 1] != '\n' || (separator_ != ' ' && separator_ != '\t')) return false;
        const __m512i separator = _mm512_set1_epi8(separator_), line_break = _mm512_set1_epi8('\n');
        const __m512i blank = _mm512_set1_epi8(' '), comment = _mm512_set1_epi8('#');
        std::uint64_t wrong = 0, end_before = end_before_, break_before = break_before_;
        std::size_t at = at_;
        int column = column_;
        std::uint32_t* next = positions_ + count_;
        for (int block = 0; block < blocks && at < size_; ++block, at += 64) {
            const __m512i text = _mm512_loadu_si512(begin_ + at);
            const std::uint64_t within = size_ - at >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (size_ - at)) - 1;
            const std::uint64_t breaks = _mm512_cmpeq_epi8_mask(text, line_break) & within;
            const std::uint64_t separators = _mm512_cmpeq_epi8_mask(text, separator) & within;
            const std::uint64_t ends = _mm512_cmple_epu8_mask(text, blank) & within;
            const std::uint64_t comments = _mm512_cmpeq_epi8_mask(text, comment);
            const int count = __builtin_popcountll(ends);
            if (count > most_in_block) return false;
            wrong |= ends ^ (breaks | separators);     // another character that is no text
            wrong |= ends & (ends << 1 | end_before);  // an empty column
            wrong |= comments & (breaks << 1 | break_before);
            wrong |= _pext_u64(breaks, ends) ^ _bzhi_u64(sixths[column], count);  // the sixth ends the line
            end_before = ends >> 63;
            break_before = breaks >> 63;
            column = (column + count) % 6;
            store(next, at, ends, count);
            next += count;
            prefetch(begin_ + at + far_ahead);
        }
        at_ = at;
        count_ = static_cast<std::size_t>(next - positions_);
        column_ = column;
        end_before_ = end_before;
        break_before_ = break_before;
        return wrong == 0 && (more() || column == 0);
    }
    bool more() const { return at_ < size_; }
    std::size_t lines() const { return count_ / 6; }
    const std::uint32_t* of_line(std::size_t line) const { return positions_ + 6 * line; }
    void drop(std::size_t lines) {
        count_ -= 6 * lines;
        std::memmove(positions_, positions_ + 6 * lines, count_ * sizeof *positions_);
    }

private:
    static constexpr std::size_t longest = std::size_t{1} << 31;
    static constexpr int blocks = 32, most_in_block = 32;
    // By the column that comes first: which of the ends that follow are those of a sixth column.
    static constexpr std::uint64_t sixths[] = {0x0820820820820820u, 0x0410410410410410u, 0x8208208208208208u,
                                               0x4104104104104104u, 0x2082082082082082u, 0x1041041041041041u};

    // At most 32 positions, for which there is room.
    MEDIR_LANES static void store(std::uint32_t* to, std::size_t at, std::uint64_t ends, int count) {
        alignas(64) static constexpr std::uint8_t places[64] = {
            0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
            22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
            44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
        const __m512i packed = _mm512_maskz_compress_epi8(ends, _mm512_load_si512(places));
        const __m512i start = _mm512_set1_epi32(static_cast<int>(at)),
                      first = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed));
        _mm512_storeu_si512(to, _mm512_add_epi32(start, first));
        if (count <= 16) return;
        const __m512i second = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 1));
        _mm512_storeu_si512(to + 16, _mm512_add_epi32(start, second));
    }

    const char* begin_;
    const std::size_t size_;
    const char separator_;
    std::size_t at_ = 0;
    int column_ = 0;
    std::uint64_t end_before_ = 1, break_before_ = 0;
    std::size_t count_ = 0;
    // Of less than eight lines from before, and of all blocks, with room for eight lines behind them, which may be
    // looked at, and for what is stored beyond its count.
    std::uint32_t positions_[6 * PlainLines::most + blocks * most_in_block + 6 * PlainLines::most];
};

// Eight lines side by side.
class LineLanes {
public:
    LineLanes(const char* begin, const std::uint32_t* ends, std::size_t count)
        : begin_(begin), ends_(ends), count_(count), lanes_(static_cast<std::uint8_t>((1u << count) - 1)) {}

    template <class Seed>
    MEDIR_LANES void take_apart(const Seed& seed, PlainLines& lines) const {
        const __m512i document_and_end = ends_from<1>(), rank_and_score = ends_from<3>();
        const __m512i low = _mm512_set1_epi64(0xffffffff), one = _mm512_set1_epi64(1);
        const __m512i document = _mm512_add_epi64(_mm512_and_si512(document_and_end, low), one);
        const __m512i document_size = _mm512_sub_epi64(_mm512_srli_epi64(document_and_end, 32), document);
        const __m512i score = _mm512_add_epi64(_mm512_and_si512(rank_and_score, low), one);
        const __m512i score_end = _mm512_srli_epi64(rank_and_score, 32);
        const __m512i score_size = _mm512_sub_epi64(score_end, score);
        _mm512_store_si512(lines.document, document);
        _mm512_store_si512(lines.document_size, document_size);
        _mm512_store_si512(lines.document_hash, hashes(document, document_size, seed));
        _mm512_store_si512(lines.score_end, score_end);
        _mm512_store_si512(lines.score_size, score_size);
        lines.other_scores = read_decimals(score_end, score_size, lines.score);
        lines.count = count_;
    }

private:
    // Two ends of each line, the second in the upper half: of six columns, those from this one on.
    template <std::uint32_t Column>
    MEDIR_LANES __m512i ends_from() const {
        alignas(64) static constexpr auto wanted = [] {
            std::array<std::uint32_t, 16> places{};
            for (std::uint32_t i = 0; i < 16; ++i) places[i] = i / 2 * 6 + Column + i % 2;
            return places;
        }();
        constexpr auto in_last = [] {
            __mmask16 lanes = 0;
            for (std::size_t i = 0; i < 16; ++i) lanes = static_cast<__mmask16>(lanes | (wanted[i] >= 32) << i);
            return lanes;
        }();
        const __m512i places = _mm512_load_si512(wanted.data());  // only their last bits count
        const __m512i of_first =
            _mm512_permutex2var_epi32(_mm512_loadu_si512(ends_), places, _mm512_loadu_si512(ends_ + 16));
        return _mm512_mask_permutexvar_epi32(of_first, in_last, places, _mm512_loadu_si512(ends_ + 32));
    }
    // Eight bytes from each position on.
    MEDIR_LANES __m512i words(__m512i positions, __mmask8 lanes) const {
        return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), lanes, positions, begin_, 1);
    }
    // As folded_product.
    MEDIR_LANES static __m512i folded_products(__m512i a, std::uint64_t factor) {
        const __m512i low = _mm512_set1_epi64(0xffffffff), a_high = _mm512_srli_epi64(a, 32);
        const __m512i b = _mm512_set1_epi64(static_cast<long long>(factor)), b_high = _mm512_srli_epi64(b, 32);
        const __m512i lowest = _mm512_mul_epu32(a, b);
        const __m512i first = _mm512_add_epi64(_mm512_mul_epu32(a, b_high), _mm512_srli_epi64(lowest, 32));
        const __m512i second = _mm512_add_epi64(_mm512_mul_epu32(a_high, b), _mm512_and_si512(first, low));
        const __m512i upper = _mm512_add_epi64(_mm512_mul_epu32(a_high, b_high), _mm512_srli_epi64(first, 32));
        const __m512i lower = _mm512_or_si512(_mm512_slli_epi64(second, 32), _mm512_and_si512(lowest, low));
        return _mm512_xor_si512(lower, _mm512_add_epi64(upper, _mm512_srli_epi64(second, 32)));
    }
    // As hash_bytes.
    template <class Seed>
    MEDIR_LANES __m512i hashes(__m512i position, __m512i size, const Seed& seed) const {
        const __m512i eight = _mm512_set1_epi64(8);
        __m512i hash = _mm512_xor_si512(_mm512_set1_epi64(static_cast<long long>(seed.start)), size);
        __m512i word = words(position, lanes_);
        for (__mmask8 longer; (longer = _mm512_mask_cmpgt_epu64_mask(lanes_, size, eight)) != 0;) {
            hash = _mm512_mask_mov_epi64(hash, longer, folded_products(_mm512_xor_si512(hash, word), seed.factor));
            size = _mm512_mask_sub_epi64(size, longer, size, eight);
            position = _mm512_mask_add_epi64(position, longer, position, eight);
            word = _mm512_mask_mov_epi64(word, longer, words(position, longer));
        }
        const __m512i unused = _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_slli_epi64(size, 3));
        word = _mm512_and_si512(word, _mm512_srlv_epi64(_mm512_set1_epi64(-1), unused));
        hash = folded_products(_mm512_xor_si512(hash, word), seed.last_factor);
        return _mm512_and_si512(_mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32)), _mm512_set1_epi64(0xffffffff));
    }
    // Tokens such as 12.3456: at most eight bytes, digits with a point among them. Returns which are something else.
    MEDIR_LANES std::uint32_t read_decimals(__m512i end, __m512i size, double* values) const {
        const __m512i zeros = _mm512_set1_epi8('0'), ones = _mm512_set1_epi8(1), one = _mm512_set1_epi64(1);
        const __m512i high = _mm512_set1_epi8(static_cast<char>(0x80));
        __mmask8 other = _mm512_cmpgt_epu64_mask(_mm512_sub_epi64(size, _mm512_set1_epi64(2)), _mm512_set1_epi64(6));
        // The token ends with the word, behind digits of zero.
        const __m512i unused = _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_slli_epi64(size, 3));
        const __m512i word =
            _mm512_and_si512(_mm512_xor_si512(words(_mm512_sub_epi64(end, _mm512_set1_epi64(8)), lanes_), zeros),
                             _mm512_sllv_epi64(_mm512_set1_epi64(-1), unused));
        const __m512i is_point = _mm512_xor_si512(word, _mm512_set1_epi8('.' ^ '0'));
        const __m512i points = _mm512_and_si512(_mm512_andnot_si512(is_point, _mm512_sub_epi64(is_point, ones)), high);
        other |= _mm512_testn_epi64_mask(points, points);
        const __m512i point = _mm512_and_si512(points, _mm512_sub_epi64(_mm512_setzero_si512(), points));  // the first
        // The point's gap is closed.
        const __m512i front = _mm512_and_si512(word, _mm512_sub_epi64(_mm512_srli_epi64(point, 7), one));
        const __m512i up_to_point = _mm512_or_si512(point, _mm512_sub_epi64(point, one));
        const __m512i digits = _mm512_or_si512(_mm512_slli_epi64(front, 8), _mm512_andnot_si512(up_to_point, word));
        other |= _mm512_test_epi64_mask(_mm512_or_si512(_mm512_add_epi64(digits, _mm512_set1_epi8(0x76)), digits),
                                        high);  // a byte is no digit
        // Pairs of digits, pairs of these, and all eight.
        const __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(10 + (1 << 8)));
        const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(100 + (1 << 16)));
        const __m512i eights =
            _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10000)), _mm512_srli_epi64(fours, 32));
        const __m512d tenths = _mm512_setr_pd(1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7);
        const __m512i decimals = _mm512_srli_epi64(_mm512_lzcnt_epi64(point), 3);
        const __m512d value = _mm512_mul_pd(_mm512_cvtepi64_pd(eights), _mm512_permutexvar_pd(decimals, tenths));
        _mm512_store_pd(values, _mm512_cvtps_pd(_mm512_cvtpd_ps(value)));
        return other & lanes_;
    }

    const char* begin_;
    const std::uint32_t* ends_;
    const std::size_t count_;
    const __mmask8 lanes_;
};

// Calls take(lines) for all lines, up to eight at a time; false where they are not plain: what was taken does not count
// then. The first line begins with an id of `id_size`; the others are known to begin with it, unless they are comments.
// What stands up to 64 bytes behind the end can be read. `seed` is that of the hashes.
template <class Seed, class Take>
MEDIR_LANES bool take_plain_lines(const char* begin, std::size_t size, std::size_t id_size, const Seed& seed,
                                  const Take& take) {
    ColumnEnds ends(begin, size, id_size);
    PlainLines lines;
    do {
        if (!ends.find()) return false;
        std::size_t line = 0;
        for (; line + (ends.more() ? PlainLines::most : 1) <= ends.lines(); line += lines.count) {
            const std::size_t left = ends.lines() - line;
            LineLanes(begin, ends.of_line(line), left < PlainLines::most ? left : PlainLines::most)
                .take_apart(seed, lines);
            take(lines);
        }
        ends.drop(line);
    } while (ends.more());
    return true;
}

#else

inline bool has_lanes() { return false; }

template <class Seed, class Take>
bool take_plain_lines(const char*, std::size_t, std::size_t, const Seed&, const Take&) {
    return false;
}

#endif

}  // namespace medir
