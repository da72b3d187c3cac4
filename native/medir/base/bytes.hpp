// Words of bytes: where a token ends, a hash and a digest of one. All of it reads up to seven bytes past what it is
// asked about, which `Text` allows.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "platform/portable.hpp"

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

// As ==, for ids: short, and with bytes behind them that can be read.
inline bool same_id(std::string_view one, std::string_view other) {
    return one.size() == other.size() && same_bytes(one.data(), other.data(), one.size());
}

// Whether the text from p to `end` begins with these bytes. An id may hold zero bytes, like those that follow the end.
inline bool begins_with(const char* p, const char* end, std::string_view bytes) {
    return end - p >= static_cast<std::ptrdiff_t>(bytes.size()) && same_bytes(p, bytes.data(), bytes.size());
}

// What the hashes of a process depend on: nobody can choose ids whose hashes are the same without knowing it.
struct HashSeed {
    std::uint64_t start, factor, last_factor;

    static HashSeed random();
};

// Hashes that were made with another seed do not count any more: only tests change it, between two pieces of work.
extern HashSeed hash_seed;

// Every word meets a secret before and in each product, so that no two words cancel whatever the seed is.
inline std::uint64_t fold_bytes(const HashSeed& seed, const char* p, std::size_t size) {
    std::uint64_t hash = seed.start ^ size;
    for (; size > 8; size -= 8, p += 8) hash = folded_product(hash ^ load_word(p), seed.factor);
    return folded_product(hash ^ (size == 0 ? 0 : load_bytes(p, size)), seed.last_factor);
}

inline std::uint32_t half_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash ^ (hash >> 32)); }

// For tables in memory; another number in every process.
inline std::uint32_t hash_bytes(const char* p, std::size_t size) { return half_of(fold_bytes(hash_seed, p, size)); }
inline std::uint32_t hash_bytes(std::string_view bytes) { return hash_bytes(bytes.data(), bytes.size()); }
inline std::uint32_t hash_word(std::uint64_t word) {
    return half_of(folded_product(hash_seed.start ^ word, hash_seed.last_factor));
}

// For what outlives the process; anybody can find bytes that have the same digest.
inline std::uint32_t digest_bytes(std::string_view bytes) {
    constexpr HashSeed fixed{0x9e3779b97f4a7c15u, 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u};
    return half_of(fold_bytes(fixed, bytes.data(), bytes.size()));
}

// Joins another word to a digest: the finaliser of splitmix64.
inline std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) + 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
}

inline std::uint32_t digest_word(std::uint64_t word) { return half_of(mix_hash(0, word)); }

}  // namespace medir
