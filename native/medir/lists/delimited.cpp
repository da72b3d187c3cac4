#include "lists/delimited.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include "base/parallel.hpp"
#include "base/tokens.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

// Whether the line at p is such a one. `quote` is a character that it must not hold.
inline bool read_short(const char* p, const char* end, char delimiter, char quote, ShortLine& line) {
#if defined(__SSE2__)
    std::uint64_t delimiters = 0, breaks = 0, quotes = 0;
    for (int part = 0; part < 64; part += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + part));
        const auto bits = [&](char c) {
            const __m128i equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
            return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(equal))} << part;
        };
        delimiters |= bits(delimiter);
        breaks |= bits('\n');
        quotes |= bits(quote);
    }
    const int size = std::countr_zero(breaks);
    if (breaks == 0 || p + size >= end) return false;
    const std::uint64_t within = (std::uint64_t{1} << size) - 1;
    line = {p, delimiters & within, size};
    return (quotes & within) == 0;
#else
    return false;
#endif
}

// A field with each pair of quotes as one, and bytes behind it that can be read.
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

std::string lower_case(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace

DelimitedTable::DelimitedTable(Text text, Delimiter delimiter, const std::vector<std::string>& id_names, int threads,
                               std::size_t chunk)
    : text_(std::move(text)),
      delimiter_(delimiter),
      quotes_(delimiter == Delimiter::comma ? Quotes::strict : Quotes::within_lines) {
    const char* begin = read_header(id_names);
    split(begin, chunk, threads);
    std::vector<std::exception_ptr> errors(chunks_.size());
    parallel_blocks(chunks_.size(), 1, threads, nullptr, [&](std::size_t i, std::size_t, int) {
        try {
            scan(chunks_[i]);
        } catch (const InputError&) {
            errors[i] = std::current_exception();
        }
    });
    for (const auto& error : errors)  // what is wrong first may make what follows look wrong
        if (error) std::rethrow_exception(error);
    close_gaps();
    if (count_ == 0)
        throw InputError(text_.name(), 0, "", has_header_ ? "has a header and no rows" : "has no rows",
                         "Add one row per query.");
    index_queries([&](std::size_t row) { return rows_[row].hash; });
}

// Finds out the columns; returns where the rows begin.
const char* DelimitedTable::read_header(const std::vector<std::string>& id_names) {
    const char* p = text_.begin();
    if (text_.size() >= 3 && std::memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;  // byte order mark
    while (p < text_.end()) {
        std::vector<std::string> cells;
        const char* next = read_cells(p, cells);
        if (is_header(cells, id_names)) {
            check_names(p);
            return next;
        }
        if (!is_left_out(p)) {
            if (delimiter_ == Delimiter::tab) break;
            throw text_.error(p, "there is no column of query ids among the columns " + listed(cells),
                              "Name it " + id_names.front() + " in the first line (or " +
                                  listed({id_names.begin() + 1, id_names.end()}) + ").");
        }
        p = next;
    }
    if (p == text_.end())
        throw InputError(text_.name(), 0, "", text_.size() == 0 ? "is empty" : "holds only comments and blank lines",
                         "");
    quotes_ = Quotes::plain;
    columns_ = {"text"};
    return p;
}

const char* DelimitedTable::read_cells(const char* p, std::vector<std::string>& cells) const {
    Field field;
    std::string room;
    for (;; ++p) {
        p = read_field(p, field);
        cells.emplace_back(field.doubled ? single_quotes(field.first, field.last, room)
                                         : std::string_view(field.first, field.last));
        if (p == text_.end()) return p;
        if (*p == '\n') return p + 1;
    }
}

// A line of tab-separated ids and texts has no name of an id column in its first field; a text may well be "id".
bool DelimitedTable::is_header(const std::vector<std::string>& cells, const std::vector<std::string>& id_names) {
    for (const std::string& name : id_names) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (lower_case(cells[i]) != name || (i > 0 && name == "id" && delimiter_ == Delimiter::tab)) continue;
            has_header_ = true;
            id_column_ = i;
            id_name_ = cells[i];
            columns_ = cells;
            columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(i));
            return true;
        }
    }
    return false;
}

void DelimitedTable::check_names(const char* header) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].empty())
            throw text_.error(header, "column " + std::to_string(i + 1 + (i >= id_column_)) + " has no name",
                              "Name it, or remove it (pandas: index=False).");
        if (std::find(columns_.begin(), columns_.begin() + static_cast<std::ptrdiff_t>(i), columns_[i]) !=
            columns_.begin() + static_cast<std::ptrdiff_t>(i))
            throw text_.error(header, "two columns have the name '" + columns_[i] + "'", "Rename one of them.");
    }
}

// Chunks of about `size` bytes that begin with a row. An odd number of quotes ahead of a place says that it is quoted.
void DelimitedTable::split(const char* begin, std::size_t size, int threads) {
    const std::size_t bytes = static_cast<std::size_t>(text_.end() - begin), count = bytes / size + 1;
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
    starts.push_back(text_.end());
    for (std::size_t i = 0; i < count; ++i) chunks_.push_back({starts[i], starts[i + 1]});
    parallel_blocks(count, 1, threads, nullptr, [&](std::size_t i, std::size_t, int) {
        chunks_[i].count = static_cast<std::size_t>(std::count(starts[i], starts[i + 1], '\n')) + 1;
    });
    for (Chunk& chunk : chunks_) {
        chunk.row = count_;
        count_ += chunk.count;
    }
    rows_ = std::make_unique_for_overwrite<Row[]>(count_);
}

const char* DelimitedTable::next_row(const char* p, bool is_quoted) const {
    if (quotes_ != Quotes::strict) return next_line(p, text_.end());
    for (; p < text_.end(); ++p) {
        if (*p == '"') is_quoted = !is_quoted;
        if (*p == '\n' && !is_quoted) return p + 1;
    }
    return p;
}

void DelimitedTable::scan(Chunk& chunk) {
    chunk.count = 0;
    for (const char* p = chunk.first; p < chunk.last;)
        p = is_left_out(p) ? next_line(p, text_.end()) : read_row(p, chunk);
}

// A chunk may have fewer rows than lines.
void DelimitedTable::close_gaps() {
    count_ = 0;
    for (const Chunk& chunk : chunks_) {
        if (chunk.row != count_) std::copy_n(&rows_[chunk.row], chunk.count, &rows_[count_]);
        count_ += chunk.count;
    }
}

const char* DelimitedTable::read_row(const char* p, Chunk& chunk) {
    std::string_view id;
    std::size_t found = 0;
    const char* next;
    ShortLine line;
    if (read_short(p, text_.end(), static_cast<char>(delimiter_), quote(), line)) {
        found = line.fields();
        if (found > id_column_) id = line.field(id_column_);
        next = p + line.end + 1;
    } else {
        next = read_long(p, id, found, chunk);
    }
    if (has_header_ ? found != columns_.size() + 1 : found < 2) throw uneven(p, found);
    rows_[chunk.row + chunk.count++] = {p, id.data(), static_cast<std::uint32_t>(id.size()), hash_bytes(id)};
    return next;
}

const char* DelimitedTable::read_long(const char* p, std::string_view& id, std::size_t& found, Chunk& chunk) const {
    for (;; ++p) {
        Field field;
        p = read_field(p, field);
        if (found++ == id_column_) {
            id = {field.first, field.last};
            if (field.doubled) id = single_quotes(field.first, field.last, chunk.ids.emplace_back());
        }
        if (p == text_.end()) return p;
        if (*p == '\n') return p + 1;
    }
}

// Empty lines; without a header also comments and blank lines.
bool DelimitedTable::is_left_out(const char* p) const {
    const char* end = text_.end();
    const char* first = p;
    const bool has_comments = !has_header_ && delimiter_ == Delimiter::tab;
    if (has_comments && *p == '#') return true;
    if (has_comments) p = skip_blanks(p);
    if (p < end && *p == '\r') ++p;
    return p >= end ? first < end : *p == '\n';
}

// Returns where the field ends: a delimiter, a line break, or the end of the text.
const char* DelimitedTable::read_field(const char* p, Field& field) const {
    if (*p == '"' && quotes_ != Quotes::plain)
        if (const char* stop = read_quoted(p, field)) return stop;
    const char delimiter = static_cast<char>(delimiter_);
    const char* stop = find_any(p, text_.end(), delimiter, '\n', quotes_ == Quotes::strict ? '"' : '\n');
    const bool last = stop == text_.end() || *stop == '\n';
    if (!last && *stop == '"')
        throw text_.error(stop, "there is a quote in a field that does not begin with one",
                          "Put the field into quotes and write quotes within it twice: \"15\"\" screen\".");
    field = {p, last && stop > p && stop[-1] == '\r' ? stop - 1 : stop, false};
    return stop;
}

// As read_field, for a field that begins with a quote; a null pointer where that is a character like others.
const char* DelimitedTable::read_quoted(const char* p, Field& field) const {
    const bool strict = quotes_ == Quotes::strict;
    const char *end = text_.end(), *limit = strict ? end : find_byte(p, end, '\n');
    field = {p + 1, nullptr, false};
    const char* quote = find_byte(p + 1, limit, '"');
    for (; quote + 1 < limit && quote[1] == '"'; quote = find_byte(quote + 2, limit, '"')) field.doubled = true;
    if (quote == limit) {
        if (!strict) return nullptr;
        throw text_.error(p, "a quote is opened here and never closed",
                          "Close it, or write a quote that is part of the text twice, in a field in quotes.");
    }
    field.last = quote;
    const char* stop = quote + 1;
    if (stop < end && *stop == '\r' && (stop + 1 == end || stop[1] == '\n')) ++stop;
    if (stop == end || *stop == '\n' || *stop == static_cast<char>(delimiter_)) return stop;
    if (!strict) return nullptr;
    throw text_.error(stop, "there is text between the closing quote of a field and the next comma",
                      "Write quotes within a field in quotes twice: \"15\"\" screen\".");
}

std::string_view DelimitedTable::cell(std::size_t row, std::size_t column, std::string& room) const {
    const std::size_t wanted = column + (column >= id_column_);
    ShortLine line;
    if (read_short(rows_[row].start, text_.end(), static_cast<char>(delimiter_), quote(), line))
        return line.field(wanted);
    Field field;
    const char* p = read_field(rows_[row].start, field);
    for (std::size_t i = 0; i < wanted; ++i) p = read_field(p + 1, field);
    if (field.doubled) return single_quotes(field.first, field.last, room);
    return {field.first, field.last};
}

std::string DelimitedTable::place(std::size_t row) const {
    return "in line " + std::to_string(text_.line_number(rows_[row].start));
}

InputError DelimitedTable::error(std::size_t row, std::string problem, std::string remedy) const {
    return text_.error(rows_[row].start, std::move(problem), std::move(remedy));
}

InputError DelimitedTable::uneven(const char* row, std::size_t found) const {
    if (!has_header_)
        return text_.error(row, "expected a query id, a tab and a text, found no tab",
                           "Separate id and text by a tab, or begin the file with the names of its columns, such as "
                           "query_id and text.");
    std::vector<std::string> names = columns_;
    names.insert(names.begin() + static_cast<std::ptrdiff_t>(id_column_), id_name_);
    const bool comma = delimiter_ == Delimiter::comma;
    return text_.error(row,
                       "expected " + std::to_string(names.size()) + (names.size() == 1 ? " column (" : " columns (") +
                           listed(names) + "), found " + std::to_string(found),
                       comma ? "Fix the row: put a field with commas into quotes, and leave a missing one empty."
                             : "Fix the row: leave a missing field empty.");
}

}  // namespace medir
