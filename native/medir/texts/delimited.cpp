#include "texts/delimited.hpp"

#include <algorithm>
#include <exception>

#include "base/parallel.hpp"
#include "base/tokens.hpp"

namespace medir {

namespace {

std::string lower_case(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

}  // namespace

DelimitedTable::DelimitedTable(Text text, Delimiter delimiter, const std::vector<std::string>& id_names, int threads,
                               std::size_t chunk)
    : text_(std::move(text)),
      delimiter_(delimiter),
      reader_(text_, delimiter, delimiter == Delimiter::comma ? Quotes::strict : Quotes::within_lines) {
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
    const bool is_ascending = ascends();
    close_gaps();
    if (count_ == 0)
        throw text_.error(has_header_ ? "has a header and no rows" : "has no rows", "Add one row per query.");
    index_queries(is_ascending);
    text_.check();
}

// Finds out the columns; returns where the rows begin.
const char* DelimitedTable::read_header(const std::vector<std::string>& id_names) {
    const char* p = reader_.begin();
    while (p < text_.end()) {
        std::vector<std::string> cells;
        const char* next = reader_.read_cells(p, cells);
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
    if (p == text_.end()) throw text_.error(text_.size() == 0 ? "is empty" : "holds only comments and blank lines", "");
    reader_ = DelimitedRows(text_, delimiter_, Quotes::plain);
    columns_ = {"text"};
    return p;
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

// Chunks of about `size` bytes that begin with a row.
void DelimitedTable::split(const char* begin, std::size_t size, int threads) {
    const std::vector<const char*> starts = reader_.cuts(begin, size, threads);
    const std::size_t count = starts.size() - 1;
    for (std::size_t i = 0; i < count; ++i) chunks_.push_back({starts[i], starts[i + 1]});
    parallel_blocks(count, 1, threads, nullptr, [&](std::size_t i, std::size_t, int) {
        const bool goes_on = starts[i] < starts[i + 1] && starts[i + 1][-1] != '\n';
        chunks_[i].count = static_cast<std::size_t>(std::count(starts[i], starts[i + 1], '\n')) + goes_on;
    });
    for (Chunk& chunk : chunks_) {
        chunk.row = count_;
        count_ += chunk.count;
    }
    rows_ = std::make_unique_for_overwrite<Row[]>(count_);
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

bool DelimitedTable::ascends() const {
    std::string_view before;
    for (const Chunk& chunk : chunks_) {
        if (chunk.count == 0) continue;
        const Row* const rows = &rows_[chunk.row];
        const std::string_view first = id_in(rows[0]);
        const bool is_first = before.data() == nullptr;
        if (!chunk.ascends || !(is_first || before < first)) return false;
        before = id_in(rows[chunk.count - 1]);
    }
    return true;
}

const char* DelimitedTable::read_row(const char* p, Chunk& chunk) {
    std::string_view id;
    std::size_t found = 0;
    const char* next;
    ShortLine line;
    if (reader_.read_short(p, line)) {
        found = line.fields();
        if (found > id_column_) id = line.field(id_column_);
        next = p + line.end + 1;
    } else {
        next = read_long(p, id, found, chunk);
    }
    if (has_header_ ? found != columns_.size() + 1 : found < 2) throw uneven(p, found);
    Row* const row = &rows_[chunk.row + chunk.count++];
    *row = {p, id.data(), static_cast<std::uint32_t>(id.size()), hash_bytes(id)};
    if (chunk.count > 1) chunk.ascends = chunk.ascends && id_in(row[-1]) < id;
    return next;
}

const char* DelimitedTable::read_long(const char* p, std::string_view& id, std::size_t& found, Chunk& chunk) const {
    for (;; ++p) {
        Field field;
        p = reader_.read_field(p, field);
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
    const bool has_comments = !has_header_ && delimiter_ == Delimiter::tab;
    if (!has_comments) return reader_.is_empty_line(p);
    if (*p == '#') return true;
    const char* first = p;
    p = skip_blanks(p);
    return p >= text_.end() ? first < text_.end() : *p == '\n';
}

std::string_view DelimitedTable::cell(std::size_t row, std::size_t column, std::string& room) const {
    const std::size_t wanted = column + (column >= id_column_);
    ShortLine line;
    if (reader_.read_short(rows_[row].start, line)) {
        if (wanted >= line.fields()) throw text_.changed();  // it was there before
        return line.field(wanted);
    }
    Field field;
    const char* p = reader_.read_field(rows_[row].start, field);
    for (std::size_t i = 0; i < wanted; ++i) {
        if (p >= text_.end() || *p == '\n') throw text_.changed();
        p = reader_.read_field(p + 1, field);
    }
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
    return reader_.uneven(row, names, found);
}

}  // namespace medir
