// Lines and tokens of text: numbers as people write them, and a token as an error quotes it.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "platform/portable.hpp"

namespace medir {

inline const char* next_line(const char* p, const char* end) {
    if (p >= end) return end;
    const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
    return newline == nullptr ? end : newline + 1;
}

// Calls parse_line(p) for every line that is no comment, p behind the id that it begins with; it returns where the next
// line starts. A line without room for the id is there only where the text has changed: who called will find out.
template <class ParseLine>
MEDIR_ALWAYS_INLINE void for_each_line(std::string_view lines, std::size_t id_size, ParseLine parse_line) {
    const char* p = lines.data();
    const char* end = p + lines.size();
    while (p < end) {
        p = skip_blanks(p);
        if (p >= end) break;
        if (*p == '\n' || *p == '#') {
            p = next_line(p, end);
            continue;
        }
        if (static_cast<std::size_t>(end - p) < id_size) break;
        p = parse_line(p + id_size);
    }
}

inline std::string quoted(const char* first, const char* last) {
    constexpr std::ptrdiff_t shown = 50;
    std::string text("'");
    if (last - first <= shown) return text.append(first, last).append("'");
    return text.append(first, shown).append(" ...'");
}

inline constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// A decimal number of at most 15 digits without exponent is exact here: the digits and the
// power of ten are both represented without error, and one division rounds correctly. Returns false for all else.
inline bool plain_decimal(const char* p, const char* end, double* value) {
    const bool negative = *p == '-';
    p += negative;
    const char* first = p;
    std::uint64_t digits = 0;
    const auto take_digits = [&] {
        for (unsigned digit; (digit = static_cast<unsigned char>(*p) - unsigned{'0'}) < 10; ++p)
            digits = digits * 10 + digit;
    };
    take_digits();
    std::ptrdiff_t count = p - first, decimals = 0;
    if (*p == '.') {
        const char* point = p++;
        take_digits();
        decimals = p - point - 1;
        count += decimals;
    }
    if (count == 0 || count > 15 || p != end) return false;
    const double magnitude = static_cast<double>(digits) / powers[decimals];
    *value = negative ? -magnitude : magnitude;
    return true;
}

// False when the token is no number. Beyond the range of a double: infinite or zero.
inline bool any_number(const char* first, const char* last, double* value) {
    if (*first == '+' && first + 1 < last && first[1] != '-') ++first;
    const auto [stop, problem] = from_chars(first, last, *value);
    if (problem == std::errc::result_out_of_range) decimal_from_chars(first, last, *value);
    return stop == last && problem != std::errc::invalid_argument;
}

}  // namespace medir
