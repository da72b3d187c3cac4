#include "texts/delimited_rows.hpp"

#include <algorithm>
#include <cstring>

#include "base/bytes.hpp"
#include "base/parallel.hpp"
#include "base/tokens.hpp"

namespace medir {

namespace {

constexpr std::uint64_t ones = 0x0101010101010101u, high = ones * 0x80;

// The lowest bit that is set is that of the first byte that is zero.
std::uint64_t zero_bytes(std::uint64_t word) { return (word - ones) & ~word & high; }

// The first of three characters at or after p, or the end.
const char* find_any(const char* p, const char* end, char a, char b, char c) {
    const std::uint64_t as = ones * static_cast<unsigned char>(a), bs = ones * static_cast<unsigned char>(b),
                        cs = ones * static_cast<unsigned char>(c);
    for (; p < end; p += 8) {
        const std::uint64_t word = load_word(p);
        const std::uint64_t hits = zero_bytes(word ^ as) | zero_bytes(word ^ bs) | zero_bytes(word ^ cs);
        if (hits != 0) return std::min(p + (std::countr_zero(hits) >> 3), end);
    }
    return end;
}

const char* find_byte(const char* p, const char* end, char c) {
    const auto* found = static_cast<const char*>(std::memchr(p, c, static_cast<std::size_t>(end - p)));
    return found == nullptr ? end : found;
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string_view single_quotes(const char* first, const char* last, std::string& room) {
    room.clear();
    for (const char* p = first; p < last; ++p) {
        room += *p;
        if (*p == '"') ++p;
    }
    const std::size_t size = room.size();
    room.append(8, '\0');
    return {room.data(), size};
}

const char* DelimitedRows::begin() const {
    const bool marked = text_->size() >= 3 && std::memcmp(text_->begin(), "\xef\xbb\xbf", 3) == 0;
    return text_->begin() + (marked ? 3 : 0);
}

const char* DelimitedRows::read_field(const char* p, Field& field) const {
    if (*p == '"' && quotes_ != Quotes::plain)
        if (const char* stop = read_quoted(p, field)) return stop;
    const char* stop = find_any(p, text_->end(), delimiter(), '\n', quotes_ == Quotes::strict ? '"' : '\n');
    const bool last = stop == text_->end() || *stop == '\n';
    if (!last && *stop == '"')
        throw text_->error(stop, "there is a quote in a field that does not begin with one",
                           "Put the field into quotes and write quotes within it twice: \"15\"\" screen\".");
    field = {p, last && stop > p && stop[-1] == '\r' ? stop - 1 : stop, false};
    return stop;
}

// As read_field, for a field that begins with a quote; a null pointer where that is a character like others.
const char* DelimitedRows::read_quoted(const char* p, Field& field) const {
    const bool strict = quotes_ == Quotes::strict;
    const char *end = text_->end(), *limit = strict ? end : find_byte(p, end, '\n');
    field = {p + 1, nullptr, false};
    const char* quote = find_byte(p + 1, limit, '"');
    for (; quote + 1 < limit && quote[1] == '"'; quote = find_byte(quote + 2, limit, '"')) field.doubled = true;
    if (quote == limit) {
        if (!strict) return nullptr;
        throw text_->error(p, "a quote is opened here and never closed",
                           "Close it, or write a quote that is part of the text twice, in a field in quotes.");
    }
    field.last = quote;
    const char* stop = quote + 1;
    if (stop < end && *stop == '\r' && (stop + 1 == end || stop[1] == '\n')) ++stop;
    if (stop == end || *stop == '\n' || *stop == delimiter()) return stop;
    if (!strict) return nullptr;
    throw text_->error(stop, "there is text between the closing quote of a field and the next comma",
                       "Write quotes within a field in quotes twice: \"15\"\" screen\".");
}

const char* DelimitedRows::read_cells(const char* p, std::vector<std::string>& cells) const {
    Field field;
    std::string room;
    for (;; ++p) {
        p = read_field(p, field);
        cells.emplace_back(field.doubled ? single_quotes(field.first, field.last, room)
                                         : std::string_view(field.first, field.last));
        if (p == text_->end()) return p;
        if (*p == '\n') return p + 1;
    }
}

bool DelimitedRows::is_empty_line(const char* p) const {
    const char* first = p;
    if (p < text_->end() && *p == '\r') ++p;
    return p >= text_->end() ? first < text_->end() : *p == '\n';
}

// An odd number of quotes ahead of a place says that it is quoted.
std::vector<const char*> DelimitedRows::cuts(const char* begin, std::size_t size, int threads) const {
    const std::size_t bytes = static_cast<std::size_t>(text_->end() - begin), count = bytes / size + 1;
    const auto at = [&](std::size_t i) { return begin + std::min(i * size, bytes); };
    std::vector<std::size_t> quotes(count, 0);
    if (quotes_ == Quotes::strict)
        parallel_blocks(count, 1, threads, nullptr, [&](std::size_t i, std::size_t, int) {
            quotes[i] = static_cast<std::size_t>(std::count(at(i), at(i + 1), '"'));
        });
    std::size_t ahead = 0;
    std::vector<const char*> starts{begin};
    for (std::size_t i = 1; i < count; ++i) {
        ahead += quotes[i - 1];
        starts.push_back(std::max(next_row(at(i), ahead % 2 == 1), starts.back()));
    }
    starts.push_back(text_->end());
    return starts;
}

const char* DelimitedRows::next_row(const char* p, bool is_quoted) const {
    if (quotes_ != Quotes::strict) return next_line(p, text_->end());
    for (; p < text_->end(); ++p) {
        if (*p == '"') is_quoted = !is_quoted;
        if (*p == '\n' && !is_quoted) return p + 1;
    }
    return p;
}

InputError DelimitedRows::uneven(const char* row, const std::vector<std::string>& names, std::size_t found) const {
    const bool comma = delimiter_ == Delimiter::comma;
    return text_->error(row,
                        "expected " + std::to_string(names.size()) + (names.size() == 1 ? " column (" : " columns (") +
                            listed(names) + "), found " + std::to_string(found),
                        comma ? "Fix the row: put a field with commas into quotes, and leave a missing one empty."
                              : "Fix the row: leave a missing field empty.");
}

}  // namespace medir
