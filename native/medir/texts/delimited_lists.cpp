#include "texts/delimited_lists.hpp"

#include <cstring>

#include "base/bytes.hpp"
#include "base/tokens.hpp"

namespace medir {

DelimitedLists::DelimitedLists(Text text, Delimiter delimiter, ListColumns columns, std::optional<Values> values,
                               Order order, int threads, Labels labels, std::size_t chunk)
    : TextLists(std::move(text), values, order, std::move(labels)),
      reader_(text_, delimiter, delimiter == Delimiter::comma ? Quotes::strict : Quotes::within_lines),
      columns_(columns) {
    const char* begin = read_header();
    scan_all(reader_.cuts(begin, chunk, threads), columns_.intent.has_value(), threads);
    if (rows() == 0) throw text_.error("has a header and no rows", "Add one row per result.");
}

// Returns where the rows begin.
const char* DelimitedLists::read_header() {
    const char* p = reader_.begin();
    while (reader_.is_empty_line(p)) p = next_line(p, text_.end());
    if (p == text_.end()) throw text_.error("is empty", "");
    const char* header = p;
    p = reader_.read_cells(p, names_);
    wanted_.resize(names_.size(), nullptr);
    const auto want = [&](std::size_t column, Field Cells::* cell) {
        if (column >= names_.size())
            throw text_.error(header, "the names of the columns are not in one line", "Write them in the first line.");
        wanted_[column] = cell;
    };
    if (columns_.query) want(*columns_.query, &Cells::query);
    want(columns_.document, &Cells::document);
    if (columns_.number) want(*columns_.number, &Cells::number);
    if (columns_.intent) want(*columns_.intent, &Cells::intent);
    return p;
}

void DelimitedLists::scan(Chunk& chunk) {
    const auto size = static_cast<std::size_t>(chunk.end - chunk.begin);
    chunk.plain = std::memchr(chunk.begin, '"', size) == nullptr;
    for (const char* p = chunk.begin; p < chunk.end;) {
        if (reader_.is_empty_line(p))
            p = next_line(p, chunk.end);
        else
            p = chunk.plain ? scan_plain(chunk, p) : scan_quoted(chunk, p);
    }
}

// A row of a chunk without quotes, which is a line.
const char* DelimitedLists::scan_plain(Chunk& chunk, const char* p) const {
    if (!columns_.query) {
        add_row(chunk, p, all_rows);
        return next_line(p, chunk.end);
    }
    if (columns_.query == 0 && !chunk.blocks.empty()) {
        Block& last = chunk.blocks.back();
        const std::size_t size = last.query.size();
        if (begins_with(p, chunk.end, last.query) && p[size] == reader_.delimiter()) {
            ++last.rows;
            return next_line(p + size, chunk.end);
        }
    }
    const char* row = p;
    ShortLine line;
    if (reader_.read_short(p, line) && line.fields() > *columns_.query) {
        add_row(chunk, row, line.field(*columns_.query));
        return p + line.end + 1;
    }
    Field field;
    p = reader_.read_field(p, field);
    for (std::size_t i = 0; i < *columns_.query; ++i) {
        if (p == text_.end() || *p == '\n') throw reader_.uneven(row, names_, i + 1);
        p = reader_.read_field(p + 1, field);
    }
    add_row(chunk, row, field.text());
    return next_line(p, chunk.end);
}

const char* DelimitedLists::scan_quoted(Chunk& chunk, const char* p) const {
    Cells cells;
    const char* next = read_cells(p, cells);
    std::string_view query = columns_.query ? cells.query.text() : all_rows;
    if (cells.query.doubled) {
        std::string room;
        query = kept_query(chunk, single_quotes(cells.query.first, cells.query.last, room));
    }
    add_row(chunk, p, query);
    for (const Field* field : {&cells.document, &cells.intent}) {
        if (!field->doubled) continue;
        std::string room;
        add_respelt(chunk, field->first, single_quotes(field->first, field->last, room));
    }
    return next;
}

const char* DelimitedLists::read_cells(const char* p, Cells& cells) const {
    const char* row = p;
    std::size_t found = 0;
    for (;; ++p) {
        Field field;
        p = reader_.read_field(p, field);
        if (found < wanted_.size() && wanted_[found] != nullptr) cells.*wanted_[found] = field;
        ++found;
        if (p == text_.end() || *p == '\n') break;
    }
    if (found != names_.size()) throw reader_.uneven(row, names_, found);
    return p == text_.end() ? p : p + 1;
}

std::string_view DelimitedLists::cell(const Block& block, const Field& field, std::uint32_t& next) const {
    return field.doubled ? respelt(block, field.first, next) : field.text();
}

void DelimitedLists::parse(const Block& block, std::vector<Entry>& entries, Places* places) const {
    std::uint32_t next = block.respelt;
    for (const char* p = block.begin; p < block.end;) {
        if (reader_.is_empty_line(p)) {
            p = next_line(p, block.end);
            continue;
        }
        const char* row = p;
        ShortLine line;
        if (places == nullptr && reader_.read_short(p, line)) {
            if (line.fields() != names_.size()) throw reader_.uneven(row, names_, line.fields());
            const std::string_view number = columns_.number ? line.field(*columns_.number) : std::string_view{};
            add(line.field(columns_.document), number, row, entries);
            p += line.end + 1;
            continue;
        }
        Cells cells;
        p = read_cells(p, cells);
        const std::string_view document = cell(block, cells.document, next);
        const std::string_view intent = cell(block, cells.intent, next);
        std::string room;
        const bool respelt = cells.number.doubled;  // no number has quotes
        add(document, respelt ? single_quotes(cells.number.first, cells.number.last, room) : cells.number.text(), row,
            entries);
        if (places != nullptr) places->push_back({document.data(), row, intent});
    }
}

}  // namespace medir
