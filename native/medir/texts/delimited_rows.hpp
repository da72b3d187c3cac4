// Rows of delimited text and their fields, with quotes as RFC 4180 has them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "platform/masks.hpp"

namespace medir {

enum class Delimiter : char { tab = '\t', comma = ',' };

// plain: a quote is a character like others. within_lines: so is one that is not closed on its line, or within a field.
// strict: quotes are as RFC 4180 has them, and quoted fields may hold line breaks.
enum class Quotes { plain, within_lines, strict };

struct Field {
    const char *first, *last;
    bool doubled;  // quotes within it are written twice

    std::string_view text() const { return {first, last}; }
};

// A line of less than 64 bytes without quotes that matter: where its delimiters are, a bit a byte, and where it ends.
struct ShortLine {
    const char* begin;
    std::uint64_t delimiters;
    int end;

    std::size_t fields() const { return static_cast<std::size_t>(std::popcount(delimiters)) + 1; }
    std::string_view field(std::size_t number) const {
        std::uint64_t left = delimiters;
        int first = 0;
        for (; number > 0; --number, left &= left - 1) first = std::countr_zero(left) + 1;
        int last = left == 0 ? end : std::countr_zero(left);
        if (left == 0 && last > first && begin[last - 1] == '\r') --last;
        return {begin + first, begin + last};
    }
};

// A field with each pair of quotes as one, and bytes behind it that can be read.
std::string_view single_quotes(const char* first, const char* last, std::string& room);

// Names as people list them.
std::string listed(const std::vector<std::string>& names);

class DelimitedRows {
public:
    DelimitedRows(const Text& text, Delimiter delimiter, Quotes quotes)
        : text_(&text), delimiter_(delimiter), quotes_(quotes) {}

    char delimiter() const { return static_cast<char>(delimiter_); }
    Quotes quotes() const { return quotes_; }
    // Where the text begins, behind a byte order mark.
    const char* begin() const;
    // Whether the line at p is a short one.
    bool read_short(const char* p, ShortLine& line) const;
    // Returns where the field ends: a delimiter, a line break, or the end of the text.
    const char* read_field(const char* p, Field& field) const;
    // The cells of a row; returns where the next row begins.
    const char* read_cells(const char* p, std::vector<std::string>& cells) const;
    // Whether there is nothing in the line at p.
    bool is_empty_line(const char* p) const;
    // Where the rows behind `begin` can be cut into parts of about `size` bytes: each begins with a row.
    std::vector<const char*> cuts(const char* begin, std::size_t size, int threads) const;
    // That a row has another number of fields than it should.
    InputError uneven(const char* row, const std::vector<std::string>& names, std::size_t found) const;

private:
    const char* next_row(const char* p, bool is_quoted) const;
    const char* read_quoted(const char* p, Field& field) const;

    const Text* text_;
    Delimiter delimiter_;
    Quotes quotes_;
};

inline bool DelimitedRows::read_short(const char* p, ShortLine& line) const {
    const char quote = quotes_ == Quotes::plain ? '\n' : '"';  // makes more of a row than its delimiters say
    const std::uint64_t delimiters = Masks::equal(p, delimiter()), breaks = Masks::equal(p, '\n');
    const std::uint64_t quotes = Masks::equal(p, quote);
    const int size = std::countr_zero(breaks);
    if (breaks == 0 || p + size >= text_->end()) return false;
    const std::uint64_t within = (std::uint64_t{1} << size) - 1;
    line = {p, delimiters & within, size};
    return (quotes & within) == 0;
}

}  // namespace medir
