// The shortest digits of numbers that are written without an exponent, exactly as std::to_chars has them, and sooner:
// of a number from 0.001 to 100,000 all that is needed fits into 128 bits, so that nothing is rounded on the way.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "platform/products.hpp"

namespace medir {

// Eight digits of a number below 10^8, one per byte, the first in the lowest.
inline std::uint64_t eight_digits(std::uint64_t number) {
    const std::uint64_t fours = number / 10000 | number % 10000 << 32;
    const std::uint64_t hundreds = (fours * 5243 >> 19) & 0x0000007f0000007fu;
    const std::uint64_t twos = (fours - 100 * hundreds) << 16 | hundreds;
    const std::uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000fu;
    return (twos - 10 * tens) << 8 | tens;
}

inline void write_digits(char* out, std::uint64_t digits) {
    const std::uint64_t text = digits + 0x3030303030303030u;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(out, &text, sizeof text);
    } else {
        for (int i = 0; i < 8; ++i) out[i] = static_cast<char>(text >> (8 * i));
    }
}

// What stands before and behind the point.
struct Decimal {
    static constexpr int places = 19;
    static constexpr auto tens = [] {
        std::array<std::uint64_t, places + 1> powers{1};
        for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
        return powers;
    }();

    std::uint64_t whole, fraction;  // the fraction times 10^places

    // The fewest digits that read back as the same number, and the nearest to it of those.
    static Decimal shortest(double magnitude) {
        constexpr std::uint64_t one = 1, mantissa_bits = 52;
        const auto bits = std::bit_cast<std::uint64_t>(magnitude);
        const std::uint64_t mantissa = (bits & ((one << mantissa_bits) - 1)) | one << mantissa_bits;
        const int shift = 1075 - static_cast<int>(bits >> mantissa_bits);  // the number is mantissa / 2^shift
        // The last of so many places counts less than the distance to the next number, and ten of it count more.
        const int last_place = (shift * 78913 >> 18) + 1;
        const std::uint64_t ten = tens[static_cast<std::size_t>(last_place)];
        const Product product = product_of(mantissa, ten);
        const std::uint64_t units = product.high << (64 - shift) | product.low >> shift;
        const std::uint64_t rest = product.low & ((one << shift) - 1);
        // Half of that distance reads back as the same number; an odd one is left at the very middle. A power of two
        // is nearer to the number below it, but has so few digits that none of it is left out.
        const std::uint64_t half = ten / 2 - (mantissa & 1);
        const auto below = static_cast<std::int64_t>(half - rest) >> shift;
        const auto above = static_cast<std::int64_t>((half + rest) >> shift);
        const std::uint64_t middle = one << (shift - 1);
        const auto last = static_cast<std::int64_t>(units % 10);
        // Without a branch: nobody can tell in advance what digits come.
        const bool ends_below = last <= below, ends_above = 10 - last <= above;
        const auto nearest = static_cast<std::int64_t>(rest + (units & 1) > middle);
        const std::int64_t change = ends_below ? -last : (ends_above ? 10 - last : nearest);
        const std::uint64_t rounded = units + static_cast<std::uint64_t>(change);
        const std::uint64_t scale = tens[static_cast<std::size_t>(places - last_place)];
        if (magnitude < 1) return {0, rounded * scale};
        return {rounded / ten, rounded % ten * scale};
    }
};

// Where the digits end; null for a number that may have an exponent. Writes up to `plain_room` bytes.
inline constexpr std::size_t plain_room = 32;
inline char* write_plain(char* out, double value) {
    const double magnitude = std::abs(value);
    if (!(magnitude >= 0.001 && magnitude < 100000)) return nullptr;
    *out = '-';
    out += std::signbit(value);
    const Decimal decimal = Decimal::shortest(magnitude);
    if (decimal.whole < 10) {
        *out++ = static_cast<char>('0' + decimal.whole);
    } else {
        const std::uint64_t digits = eight_digits(decimal.whole);
        const int zeros = std::countr_zero(digits) / 8;
        write_digits(out, digits >> (8 * zeros));
        out += 8 - zeros;
    }
    if (decimal.fraction == 0) return out;
    *out++ = '.';
    constexpr std::uint64_t eight = 100000000;
    const std::uint64_t first = decimal.fraction / (eight * eight), others = decimal.fraction % (eight * eight);
    const std::uint64_t second = eight_digits(others / eight), third = eight_digits(others % eight);
    write_digits(out, eight_digits(first) >> 40);
    write_digits(out + 3, second);
    write_digits(out + 11, third);
    const auto zeros = [](std::uint64_t digits) { return std::countl_zero(digits) / 8; };
    if (third != 0) return out + Decimal::places - zeros(third);
    if (second != 0) return out + 11 - zeros(second);
    return out + 3 - zeros(eight_digits(first));
}

}  // namespace medir
