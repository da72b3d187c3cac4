// Doubles and their decimal digits in standard C++, exactly rounded and without regard to a locale: for where the
// standard library cannot do it (platform/portable.hpp chooses).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

namespace medir {

// A natural number of at most 5,120 bits, as far as the digits of a double need it.
class BigNatural {
public:
    int bit_length() const { return size_ == 0 ? 0 : 32 * size_ - std::countl_zero(limbs_[index(size_ - 1)]); }

    void multiply(std::uint32_t factor, std::uint32_t added) {
        std::uint64_t carry = added;
        for (int i = 0; i < size_; ++i) {
            carry += std::uint64_t{limbs_[index(i)]} * factor;
            limbs_[index(i)] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) limbs_[index(size_++)] = static_cast<std::uint32_t>(carry);
    }
    // Rounds down; returns whether something was left.
    bool divide(std::uint32_t divisor) {
        std::uint64_t rest = 0;
        for (int i = size_; i-- > 0;) {
            rest = rest << 32 | limbs_[index(i)];
            limbs_[index(i)] = static_cast<std::uint32_t>(rest / divisor);
            rest %= divisor;
        }
        while (size_ > 0 && limbs_[index(size_ - 1)] == 0) --size_;
        return rest != 0;
    }
    void shift_left(int bits) {
        const int whole = bits / 32;
        multiply(std::uint32_t{1} << (bits % 32), 0);
        for (int i = size_; i-- > 0;) limbs_[index(i + whole)] = limbs_[index(i)];
        std::fill_n(limbs_.begin(), whole, 0u);
        size_ += whole;
    }
    bool bit(int place) const { return place >= 0 && (limbs_[index(place / 32)] >> (place % 32) & 1) != 0; }
    // The bits from this place on; there must be at most 64.
    std::uint64_t bits_from(int place) const {
        std::uint64_t bits = 0;
        for (int i = bit_length(); i-- > place;) bits = bits << 1 | static_cast<std::uint64_t>(bit(i));
        return bits;
    }
    bool any_bit_below(int place) const {
        for (int i = 0; i < place; ++i)
            if (bit(i)) return true;
        return false;
    }

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

    std::array<std::uint32_t, 160> limbs_{};
    int size_ = 0;
};

// The double nearest to natural * 10^exponent, of two that are as near the even one.
inline double nearest_double(BigNatural natural, int exponent) {
    constexpr std::uint32_t billion = 1000000000;
    constexpr std::uint32_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    constexpr int mantissa_bits = 53, least_exponent = -1074;
    int binary_exponent = 0;
    bool rest = false;
    if (exponent >= 0) {
        for (; exponent >= 9; exponent -= 9) natural.multiply(billion, 0);
        natural.multiply(tens[exponent], 0);
    } else {
        // So many bits that a mantissa and the bit behind it are left after the division: 10 has less than 3.322.
        const int wanted = mantissa_bits + 12 + (-exponent * 3322 + 999) / 1000;
        const int shift = std::max(0, wanted - natural.bit_length());
        natural.shift_left(shift);
        binary_exponent = -shift;
        for (; exponent <= -9; exponent += 9) rest = natural.divide(billion) || rest;
        rest = natural.divide(tens[-exponent]) || rest;
    }
    const int bits = natural.bit_length();
    const int dropped = std::max(bits - mantissa_bits, least_exponent - binary_exponent);
    if (dropped <= 0) return std::ldexp(static_cast<double>(natural.bits_from(0)), binary_exponent);
    if (dropped > bits) return 0;
    std::uint64_t mantissa = natural.bits_from(dropped);
    rest = rest || natural.any_bit_below(dropped - 1);
    if (natural.bit(dropped - 1) && (rest || mantissa % 2 == 1)) ++mantissa;
    return std::ldexp(static_cast<double>(mantissa), binary_exponent + dropped);
}

// The digits of a number without its sign, from the first that is not zero.
class DecimalDigits {
public:
    // Where they end, or null where there are none.
    const char* read(const char* p, const char* last) {
        const char* const first = p;
        p = take(p, last, false);
        std::ptrdiff_t count = p - first;
        if (p < last && *p == '.') {
            const char* const point = p;
            p = take(p + 1, last, true);
            count += p - point - 1;
        }
        return count == 0 ? nullptr : read_exponent(p, last);
    }
    // Infinite or zero beyond the range of a double.
    double value() const {
        if (count_ == 0) return 0;
        const std::int64_t magnitude = exponent_ + count_;  // the number is below 10^magnitude, and not by far
        if (magnitude > 310) return std::numeric_limits<double>::infinity();
        if (magnitude < -330) return 0;
        if (FLT_EVAL_METHOD == 0 && count_ <= 15 && exponent_ >= -22 && exponent_ <= 22) return few_digits();
        BigNatural natural;
        for (int i = 0; i < count_; ++i) natural.multiply(10, digits_[static_cast<std::size_t>(i)]);
        return nearest_double(natural, static_cast<int>(exponent_));
    }
    bool is_zero() const { return count_ == 0; }

private:
    // No double, nor the middle of two, has more digits than 768. Of those behind, it matters whether they are zero.
    static constexpr int most = 780;

    const char* take(const char* p, const char* last, bool behind_point) {
        for (; p < last && *p >= '0' && *p <= '9'; ++p) {
            exponent_ -= behind_point;
            if (count_ == 0 && *p == '0') continue;
            if (count_ < most) {
                digits_[static_cast<std::size_t>(count_++)] = static_cast<std::uint8_t>(*p - '0');
                continue;
            }
            ++exponent_;
            if (*p != '0') digits_[most - 1] |= 1;  // not zero: above what the digits so far spell
        }
        return p;
    }
    // An exponent without digits is none.
    const char* read_exponent(const char* p, const char* last) {
        constexpr std::int64_t greatest = std::int64_t{1} << 50;
        if (p == last || (*p != 'e' && *p != 'E')) return p;
        const char* q = p + 1;
        const bool negative = q < last && *q == '-';
        if (q < last && (*q == '-' || *q == '+')) ++q;
        const char* const first = q;
        std::int64_t exponent = 0;
        for (; q < last && *q >= '0' && *q <= '9'; ++q) exponent = std::min(greatest, 10 * exponent + (*q - '0'));
        if (q == first) return p;
        exponent_ += negative ? -exponent : exponent;
        return q;
    }
    // Digits and power of ten are both exact, so that one operation rounds once.
    double few_digits() const {
        constexpr double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
        double value = 0;
        for (int i = 0; i < count_; ++i) value = 10 * value + digits_[static_cast<std::size_t>(i)];
        return exponent_ < 0 ? value / tens[-exponent_] : value * tens[exponent_];
    }

    std::array<std::uint8_t, most> digits_;
    int count_ = 0;
    std::int64_t exponent_ = 0;  // of the last digit
};

// Where a word that stands at p ends, without regard to case; null where it does not.
inline const char* word_end(const char* p, const char* last, std::string_view word) {
    for (const char c : word) {
        if (p == last || (*p | 0x20) != c) return nullptr;
        ++p;
    }
    return p;
}

// As std::from_chars, but a number beyond the range of a double sets the value too: infinite or zero.
inline std::from_chars_result decimal_from_chars(const char* first, const char* last, double& value) {
    const bool negative = first < last && *first == '-';
    const char* const p = first + negative;
    const auto signed_value = [&](double magnitude) { return negative ? -magnitude : magnitude; };
    if (const char* end = word_end(p, last, "inf"); end != nullptr) {
        const char* const longer = word_end(end, last, "inity");
        value = signed_value(std::numeric_limits<double>::infinity());
        return {longer == nullptr ? end : longer, std::errc{}};
    }
    if (const char* end = word_end(p, last, "nan"); end != nullptr) {
        const auto is_letter = [](char c) {
            return (c >= '0' && c <= '9') || c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        };
        if (end < last && *end == '(') {
            const char* const closing = std::find_if_not(end + 1, last, is_letter);
            if (closing < last && *closing == ')') end = closing + 1;
        }
        value = signed_value(std::numeric_limits<double>::quiet_NaN());
        return {end, std::errc{}};
    }
    DecimalDigits digits;
    const char* const end = digits.read(p, last);
    if (end == nullptr) return {first, std::errc::invalid_argument};
    const double magnitude = digits.value();
    value = signed_value(magnitude);
    const bool fits = std::isfinite(magnitude) && (magnitude != 0 || digits.is_zero());
    return {end, fits ? std::errc{} : std::errc::result_out_of_range};
}

// The shortest digits of a positive number that read back as the same, and the nearest to it of those: digit, point,
// digits * 10^exponent.
class ShortestDigits {
public:
    explicit ShortestDigits(double value) : value_(value) {
        // A number that 15 digits tell apart from others shows its own among the first 15; not so the smallest.
        const bool is_tiny = value < std::numeric_limits<double>::min();
        for (int count = is_tiny ? 1 : 15; !round_to(count); ++count) {
        }
        while (size_ > 1 && digits_[size_ - 1] == '0') --size_;
    }
    std::string_view digits() const { return {digits_, static_cast<std::size_t>(size_)}; }
    int exponent() const { return exponent_; }

private:
    // Whether the nearest number of so many digits reads back as the same, or the next greater one: below a power of
    // two, doubles lie closer than above it.
    bool round_to(int count) {
        char text[40];
        std::snprintf(text, sizeof text, "%.*e", count - 1, value_);
        const char* p = text;
        for (size_ = 0; size_ < count; ++p)  // whatever the locale has as a point
            if (*p >= '0' && *p <= '9') digits_[size_++] = *p;
        while (*p != 'e') ++p;
        std::from_chars(p + 1 + (p[1] == '+'), text + std::strlen(text), exponent_);
        if (count >= 17 || reads_back()) return true;
        int last = size_ - 1;
        for (; last > 0 && digits_[last] == '9'; --last) digits_[last] = '0';
        if (digits_[last] == '9') return false;
        ++digits_[last];
        return reads_back();
    }
    bool reads_back() const {
        char text[40];
        std::memcpy(text, digits_, static_cast<std::size_t>(size_));
        text[size_] = 'e';
        const auto end = std::to_chars(text + size_ + 1, std::end(text), exponent_ - size_ + 1).ptr;
        double read = 0;
        decimal_from_chars(text, end, read);
        return read == value_;
    }

    double value_;
    char digits_[20];
    int size_ = 0, exponent_ = 0;
};

// Writes a positive number plainly or with an exponent, whichever is shorter; returns where it ends.
inline char* write_shortest(char* out, double value) {
    const ShortestDigits shortest(value);
    const std::string_view digits = shortest.digits();
    const int size = static_cast<int>(digits.size()), exponent = shortest.exponent();
    const int with_exponent = size + (size > 1) + (std::abs(exponent) >= 100 ? 5 : 4);
    const int plain = exponent < 0 ? size + 1 - exponent : std::max(exponent + 1, size + (exponent + 1 < size));
    if (plain > with_exponent) {
        *out++ = digits[0];
        if (size > 1) *out++ = '.';
        out = std::copy(digits.begin() + 1, digits.end(), out);
        *out++ = 'e';
        *out++ = exponent < 0 ? '-' : '+';
        if (std::abs(exponent) < 10) *out++ = '0';
        return std::to_chars(out, out + 3, std::abs(exponent)).ptr;
    }
    if (exponent < 0) {
        *out++ = '0';
        *out++ = '.';
        out = std::fill_n(out, -exponent - 1, '0');
        return std::copy(digits.begin(), digits.end(), out);
    }
    if (exponent + 1 >= size) return out + std::snprintf(out, 32, "%.0f", value);  // all digits, as they are
    out = std::copy(digits.begin(), digits.begin() + exponent + 1, out);
    *out++ = '.';
    return std::copy(digits.begin() + exponent + 1, digits.end(), out);
}

// As std::to_chars.
inline std::to_chars_result decimal_to_chars(char* first, char* last, double value) {
    char text[40];
    char* end = text;
    if (std::signbit(value)) *end++ = '-';
    const double magnitude = std::abs(value);
    if (std::isnan(value))
        end = std::copy_n("nan", 3, end);
    else if (std::isinf(value))
        end = std::copy_n("inf", 3, end);
    else if (value == 0)
        *end++ = '0';
    else
        end = write_shortest(end, magnitude);
    if (end - text > last - first) return {last, std::errc::value_too_large};
    return {std::copy(text, end, first), std::errc{}};
}

}  // namespace medir
