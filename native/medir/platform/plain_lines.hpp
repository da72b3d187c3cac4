// The lines of most runs, taken apart many at a time: six columns with the same blank between them, and as score a
// short decimal. Where the processor has vectors of 512 bits, eight such lines stand side by side; elsewhere, and for
// all other lines, the reader of the format does it line by line.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "platform/masks.hpp"

namespace medir {

// Up to eight lines. Positions count from where all lines begin.
struct alignas(64) PlainLines {
    static constexpr std::size_t most = 8;

    std::uint32_t id[most], id_size[most];  // of the query
    std::uint32_t document[most], document_size[most], document_hash[most];
    std::uint32_t score_end[most], score_size[most];
    float score[most];
    std::uint32_t other_ids;     // bits: which lines begin with another id than the line before
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

// Where the columns of lines end, as positions one behind the other, of which those of line breaks are marked.
class ColumnEnds {
public:
    static constexpr std::uint32_t line_break = std::uint32_t{1} << 31;

    // `id_size`: of what the first line begins with; the blank behind it separates all columns.
    ColumnEnds(const char* begin, std::size_t size, std::size_t id_size)
        : begin_(begin), size_(size), separator_(begin[id_size]) {
        positions_[0] = line_break - 1 + line_break;  // of the line before the first
    }

    // Finds more of them. False where lines are not plain: what was found does not count then.
    MEDIR_LANES bool find() {
        if (size_ > line_break || begin_[size_ - 1] != '\n' || (separator_ != ' ' && separator_ != '\t')) return false;
        const std::size_t end = at_ + std::min<std::size_t>(size_ - at_, 64 * blocks);
        const __m512i separator = _mm512_set1_epi8(separator_);
        std::uint64_t wrong = 0, end_before = end_before_;
        std::size_t at = at_;
        std::uint32_t* next = positions_ + 1 + count_;
        const auto add = [&](__m512i text) MEDIR_LANES {
            const std::uint64_t breaks = _mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\n'));
            const std::uint64_t separators = _mm512_cmpeq_epi8_mask(text, separator);
            const std::uint64_t ends = _mm512_cmple_epu8_mask(text, _mm512_set1_epi8(' '));
            wrong |= ends ^ (breaks | separators);     // another character that is no text
            wrong |= ends & (ends << 1 | end_before);  // an empty column
            end_before = ends >> 63;
            const auto count = static_cast<std::size_t>(__builtin_popcountll(ends));
            store(next, at, breaks, ends, count);
            next += count;
            return count <= most_in_block;
        };
        for (; at + 64 <= end; at += 64) {
            prefetch(begin_ + at + far_ahead);
            if (!add(_mm512_loadu_si512(begin_ + at))) return false;
        }
        if (at < end) {
            const std::uint64_t within = (std::uint64_t{1} << (end - at)) - 1;
            if (!add(_mm512_mask_loadu_epi8(_mm512_set1_epi8('x'), within, begin_ + at))) return false;
        }
        at_ = end;
        end_before_ = end_before;
        count_ = static_cast<std::size_t>(next - positions_) - 1;
        return wrong == 0 && (more() || count_ % 6 == 0);
    }
    bool more() const { return at_ < size_; }
    std::size_t lines() const { return count_ / 6; }
    // Where the line above ends, then where the columns do.
    const std::uint32_t* of_line(std::size_t line) const { return positions_ + 6 * line; }
    void drop(std::size_t lines) {
        count_ -= 6 * lines;
        std::memmove(positions_, positions_ + 6 * lines, (1 + count_) * sizeof *positions_);
    }

private:
    static constexpr std::size_t blocks = 32, most_in_block = 32;

    // At most 32 positions, for which there is room.
    MEDIR_LANES static void store(std::uint32_t* to, std::size_t at, std::uint64_t breaks, std::uint64_t ends,
                                  std::size_t count) {
        alignas(64) static constexpr std::uint8_t places[64] = {
            0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
            22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
            44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
        // The highest bit of a byte becomes that of a position.
        const __m512i all = _mm512_load_si512(places), mark = _mm512_set1_epi8(static_cast<char>(0x80));
        const __m512i packed = _mm512_maskz_compress_epi8(ends, _mm512_mask_add_epi8(all, breaks, all, mark));
        const __m512i start = _mm512_set1_epi32(static_cast<int>(at));
        const __m512i kept = _mm512_set1_epi32(static_cast<int>(line_break | 63));
        const auto position = [&](__m128i bytes) MEDIR_LANES {
            constexpr int bits_of_both_or_start = 0xea;
            return _mm512_ternarylogic_epi32(_mm512_cvtepi8_epi32(bytes), kept, start, bits_of_both_or_start);
        };
        _mm512_storeu_si512(to, position(_mm512_castsi512_si128(packed)));
        if (count > 16) _mm512_storeu_si512(to + 16, position(_mm512_extracti32x4_epi32(packed, 1)));
    }

    const char* begin_;
    const std::size_t size_;
    const char separator_;
    std::size_t at_ = 0;
    std::uint64_t end_before_ = 1;
    std::size_t count_ = 0;
    // Where the line above ends, the ends of less than eight lines from before, and those of all blocks, with room for
    // eight lines behind them, which may be looked at, and for what is stored beyond its count.
    std::uint32_t positions_[1 + 6 * PlainLines::most + blocks * most_in_block + 6 * PlainLines::most];
};

// Eight lines side by side, and the last eight before them.
class LineLanes {
public:
    MEDIR_LANES explicit LineLanes(const char* begin)
        : begin_(begin), id_(_mm512_setzero_si512()), id_size_(id_), id_start_(id_) {}

    // Takes up to eight lines apart that follow the last ones, given where their columns end. False where a line has
    // more columns than six, or fewer, or is a comment.
    template <class Seed>
    MEDIR_LANES bool take_apart(const std::uint32_t* ends, std::size_t count, const Seed& seed, PlainLines& lines) {
        ends_ = ends;
        lanes_ = static_cast<std::uint8_t>((1u << count) - 1);
        const __m512i of_id = ends_from<0>(), of_document = ends_from<2>(), of_score = ends_from<4>();
        const __m512i marks = _mm512_set1_epi32(static_cast<int>(ColumnEnds::line_break));
        const __m512i expected = _mm512_set1_epi64(ColumnEnds::line_break);
        const __m512i wrong =
            _mm512_or_si512(_mm512_xor_si512(of_id, expected), _mm512_or_si512(of_document, of_score));
        if ((_mm512_test_epi64_mask(wrong, marks) & lanes_) != 0) return false;

        const auto [id, id_end] = column(of_id);
        const auto [document, document_end] = column(of_document);
        const auto [score, score_end] = column(of_score);
        const __m512i document_size = _mm512_sub_epi64(document_end, document);
        const __m512i score_size = _mm512_sub_epi64(score_end, score);
        store(lines.document, document);
        store(lines.document_size, document_size);
        store(lines.document_hash, hashes(document, document_size, seed));
        store(lines.score_end, score_end);
        store(lines.score_size, score_size);
        lines.other_scores = read_decimals(score_end, score_size, lines.score);
        lines.count = count;
        return compare_ids(id, _mm512_sub_epi64(id_end, id), lines);
    }

private:
    struct Columns {
        __m512i begin, end;
    };

    MEDIR_LANES static void store(std::uint32_t* to, __m512i numbers) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi64_epi32(numbers));
    }
    // Where a column of each line begins and ends, given where the one before it ends, too.
    MEDIR_LANES static Columns column(__m512i ends) {
        const __m512i place = _mm512_set1_epi64(ColumnEnds::line_break - 1);
        return {_mm512_and_si512(_mm512_add_epi64(ends, _mm512_set1_epi64(1)), place), _mm512_srli_epi64(ends, 32)};
    }
    // Two ends of each line, the second in the upper half: of the column before this one, and of this one.
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
    // Which ids are not that of the line before. False where a line is a comment.
    MEDIR_LANES bool compare_ids(__m512i id, __m512i size, PlainLines& lines) {
        const __m512i start = bytes(id, size, lanes_), id_before = before(id, id_);
        __mmask8 other = _mm512_mask_cmpneq_epi64_mask(lanes_, size, before(size, id_size_));
        other |= _mm512_mask_cmpneq_epi64_mask(lanes_, start, before(start, id_start_));
        __m512i at = _mm512_set1_epi64(8);
        for (__mmask8 longer; (longer = _mm512_mask_cmpgt_epu64_mask(lanes_ & ~other, size, at)) != 0;) {
            const __m512i left = _mm512_sub_epi64(size, at);
            const __m512i here = bytes(_mm512_add_epi64(id, at), left, longer);
            const __m512i above = bytes(_mm512_add_epi64(id_before, at), left, longer);
            other |= _mm512_mask_cmpneq_epi64_mask(longer, here, above);
            at = _mm512_add_epi64(at, _mm512_set1_epi64(8));
        }
        store(lines.id, id);
        store(lines.id_size, size);
        lines.other_ids = other;
        id_ = id;
        id_size_ = size;
        id_start_ = start;
        const __m512i first = _mm512_and_si512(start, _mm512_set1_epi64(0xff));
        return (_mm512_cmpeq_epi64_mask(first, _mm512_set1_epi64('#')) & lanes_) == 0;
    }
    // By line, what the line before has.
    MEDIR_LANES static __m512i before(__m512i here, __m512i last) { return _mm512_alignr_epi64(here, last, 7); }
    // The next eight bytes of a text, or as many as are left.
    MEDIR_LANES __m512i bytes(__m512i position, __m512i left, __mmask8 lanes) const {
        const __m512i eight = _mm512_set1_epi64(8);
        const __m512i unused = _mm512_slli_epi64(_mm512_sub_epi64(eight, _mm512_min_epu64(left, eight)), 3);
        return _mm512_and_si512(words(position, lanes), _mm512_srlv_epi64(_mm512_set1_epi64(-1), unused));
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
    MEDIR_LANES std::uint32_t read_decimals(__m512i end, __m512i size, float* values) const {
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
        _mm256_store_ps(values, _mm512_cvtpd_ps(value));
        return other & lanes_;
    }

    const char* begin_;
    const std::uint32_t* ends_ = nullptr;
    __mmask8 lanes_ = 0;
    __m512i id_, id_size_, id_start_;  // of the last eight lines; the first bytes of the id
};

// Calls take(lines) for all lines, up to eight at a time; false where they are not plain: what was taken does not count
// then. The first line begins with an id of `id_size`. What stands up to 64 bytes behind the end can be read. `seed` is
// that of the hashes.
template <class Seed, class Take>
MEDIR_LANES bool take_plain_lines(const char* begin, std::size_t size, std::size_t id_size, const Seed& seed,
                                  const Take& take) {
    ColumnEnds ends(begin, size, id_size);
    LineLanes lanes(begin);
    PlainLines lines;
    do {
        if (!ends.find()) return false;
        std::size_t line = 0;
        for (; line + (ends.more() ? PlainLines::most : 1) <= ends.lines(); line += lines.count) {
            const std::size_t count = std::min(ends.lines() - line, PlainLines::most);
            if (!lanes.take_apart(ends.of_line(line), count, seed, lines)) return false;
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
