// Text as the plainest of readers takes it apart: the definitions that the readers of the core are checked against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace medir::fuzz {

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

inline std::string without_mark(std::string text) {
    return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;  // byte order mark
}

// The lines of a text, without what ends them.
inline Row lines_of(const std::string& text) {
    Row lines(1);
    for (const char c : text) {
        if (c == '\n')
            lines.emplace_back();
        else
            lines.back() += c;
    }
    if (lines.back().empty()) lines.pop_back();
    return lines;
}

inline bool is_blank_character(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

inline Row columns_of(const std::string& line) {
    Row columns;
    std::string column;
    for (const char c : line + " ") {
        if (!is_blank_character(c))
            column += c;
        else if (!column.empty())
            columns.push_back(std::exchange(column, ""));
    }
    return columns;
}

// The columns of every line that is no comment; nothing where one of the first `most` holds a control character.
inline std::optional<Rows> rows_of_columns(const std::string& text, std::size_t most) {
    Rows rows;
    for (const std::string& line : lines_of(without_mark(text))) {
        Row columns = columns_of(line);
        if (columns.empty() || columns[0][0] == '#') continue;
        for (std::size_t c = 0; c < std::min(most, columns.size()); ++c)
            for (const char byte : columns[c])
                if (static_cast<unsigned char>(byte) < 0x20) return {};
        rows.push_back(std::move(columns));
    }
    return rows;
}

// A number as people write it. Beyond the range of a double it is infinite or zero.
inline std::optional<double> number_in(const std::string& token) {
    if (token.empty() || token.find_first_of("xXpP(") != std::string::npos || is_blank_character(token[0])) return {};
    if (token.size() > 1 && token[0] == '+' && (token[1] == '+' || token[1] == '-')) return {};
    char* end = nullptr;
    const double value = std::strtod(token.c_str(), &end);
    if (end != token.c_str() + token.size() || value != value || token[0] == '\n') return {};
    return value;
}

// A whole number of 64 bits, with a sign or without.
inline std::optional<std::int64_t> whole_in(const std::string& token) {
    const std::string digits = token.substr(token.starts_with("-") ? 1 : 0);
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return {};
    errno = 0;
    const long long value = std::strtoll(token.c_str(), nullptr, 10);
    if (errno == ERANGE) return {};
    return value;
}

inline double single_precision(double value) { return static_cast<double>(static_cast<float>(value)); }

}  // namespace medir::fuzz
