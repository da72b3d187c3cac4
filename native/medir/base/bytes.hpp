// Words of bytes: where a token ends, and a hash of one. All of it reads up to seven bytes past what it is asked
// about, which `Text` allows.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/portable.hpp"

namespace medir {

static_assert(std::endian::native == std::endian::little, "medir reads words of bytes in little-endian order");

inline std::uint64_t load_word(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

// The first byte at or after p that is a blank or a control character (below 0x21).
inline const char* token_end(const char* p) {
    constexpr std::uint64_t ones = 0x0101010101010101u;
    for (;; p += 8) {
        const std::uint64_t word = load_word(p);
        const std::uint64_t below = (word - ones * 0x21) & ~word & (ones * 0x80);
        if (below != 0) return p + (std::countr_zero(below) >> 3);
    }
}

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

inline const char* skip_blanks(const char* p) {
    while (is_blank(*p)) ++p;
    return p;
}

// A word of which only the first `size` bytes (1 to 8) count.
inline std::uint64_t load_bytes(const char* p, std::size_t size) {
    return load_word(p) & (~std::uint64_t{0} >> (64 - 8 * size));
}

inline bool same_bytes(const char* a, const char* b, std::size_t size) {
    for (; size > 8; size -= 8, a += 8, b += 8)
        if (load_word(a) != load_word(b)) return false;
    return size == 0 || load_bytes(a, size) == load_bytes(b, size);
}

inline std::uint32_t hash_bytes(const char* p, std::size_t size) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u, other = 0xd6e8feb86659fd93u;
    std::uint64_t hash = odd ^ size;
    for (; size > 8; size -= 8, p += 8) hash = folded_product(hash ^ load_word(p), odd);
    hash = folded_product(hash ^ (size == 0 ? 0 : load_bytes(p, size)), other);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

// Joins another word to a hash: the finaliser of splitmix64.
inline std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) + 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
}

inline std::uint32_t hash_bytes(std::string_view bytes) { return hash_bytes(bytes.data(), bytes.size()); }

}  // namespace medir
