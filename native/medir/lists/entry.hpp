// A document in a list: its id, which is text or a whole number, and a value.
//
// Numbers stay where an array or a table has them. A number is the same document as its decimal digits, so where any
// list has numbers, all hash what is a number by its value (`hash_as_number`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "platform/portable.hpp"

namespace medir {

// Wide enough for all numbers of 64 bits, with a sign and without.
using Whole = Whole128;

enum class NumberKind : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64 };

template <class Number>
Whole load_as(const char* p) {
    Number number;
    std::memcpy(&number, p, sizeof number);
    return number;
}

inline Whole load_number(const char* p, NumberKind kind) {
    switch (kind) {
        case NumberKind::i8:
            return load_as<std::int8_t>(p);
        case NumberKind::u8:
            return load_as<std::uint8_t>(p);
        case NumberKind::i16:
            return load_as<std::int16_t>(p);
        case NumberKind::u16:
            return load_as<std::uint16_t>(p);
        case NumberKind::i32:
            return load_as<std::int32_t>(p);
        case NumberKind::u32:
            return load_as<std::uint32_t>(p);
        case NumberKind::i64:
            return load_as<std::int64_t>(p);
        case NumberKind::u64:
            return load_as<std::uint64_t>(p);
    }
    return 0;
}
std::string decimal(Whole number);
// The number whose decimal digits these are: without leading zeros or plus sign, of 64 bits.
std::optional<Whole> number_of(std::string_view text);

inline std::uint32_t hash_number(Whole number) { return hash_word(static_cast<std::uint64_t>(number)); }
inline std::uint32_t digest_number(Whole number) { return digest_word(static_cast<std::uint64_t>(number)); }

struct Entry {
    const char* data;    // the bytes of the id, or where the number is
    double value;        // a score, a rank or a grade
    std::uint32_t size;  // of the bytes; `numbers` and more: the kind of number
    std::uint32_t hash;

    static constexpr std::uint32_t numbers = 0xfffffff0u;

    static Entry number(const char* data, NumberKind kind, double value) {
        const auto size = numbers + static_cast<std::uint32_t>(kind);
        return {data, value, size, hash_number(load_number(data, kind))};
    }

    bool is_number() const { return size >= numbers; }
    // Of an id that is text.
    std::string_view bytes() const { return {data, size}; }
    Whole number() const { return load_number(data, static_cast<NumberKind>(size - numbers)); }
    // The id as people write it.
    std::string document() const { return is_number() ? decimal(number()) : std::string(bytes()); }
    // As if the id were text wherever it comes from.
    std::uint32_t text_hash() const;
    std::uint32_t text_digest() const;
    std::uint32_t digest() const { return is_number() ? digest_number(number()) : digest_bytes(bytes()); }
    bool same_document(const Entry& other) const {
        if (size == other.size && !is_number()) [[likely]]
            return same_bytes(data, other.data, size);
        return (is_number() || other.is_number()) && same_number(other);
    }
    void hash_as_number() {
        if (is_number()) return;
        if (const auto as_number = number_of(bytes())) hash = hash_number(*as_number);
    }

private:
    bool same_number(const Entry& other) const;
};

// Whether the id of one entry is greater than that of another, as text.
bool greater_id(const Entry& first, const Entry& second);

void hash_as_numbers(std::vector<Entry>& entries);

}  // namespace medir
