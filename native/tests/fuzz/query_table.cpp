// Tables of queries: exactly the cells that a plain reader finds, or refuses, for chunks of any size.
#include <memory>
#include <set>

#include "harness.hpp"
#include "lists/query_table.hpp"
#include "plain_rows.hpp"
#include "texts/delimited.hpp"

namespace medir::fuzz {

namespace {

const std::vector<std::string> id_names{"query_id", "qid", "q_id", "_id", "id"};

std::string lower_case(std::string text) {
    for (char& c : text) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return text;
}

// The column of ids in a header.
std::optional<std::size_t> id_column(const Row& header, bool tabs) {
    for (const std::string& name : id_names)
        for (std::size_t c = 0; c < header.size(); ++c)
            if (lower_case(header[c]) == name && (c == 0 || name != "id" || !tabs)) return c;
    return {};
}

bool is_comment(const std::string& line) { return line.starts_with("#") || columns_of(line).empty(); }

// All rows, and whether the first has the names of the columns.
std::optional<std::pair<Rows, bool>> rows_of(const std::string& text, bool tabs) {
    if (!tabs) {
        const auto rows = comma_rows(text);
        return rows ? std::optional(std::pair(*rows, true)) : std::nullopt;
    }
    Rows rows;
    bool has_header = false;
    for (const std::string& line : lines_of(text)) {
        if (rows.empty() && id_column(tab_cells(line, true), true)) has_header = true;
        if (has_header ? line.empty() || line == "\r" : is_comment(line)) continue;
        rows.push_back(tab_cells(line, has_header));
    }
    return std::pair(rows, has_header);
}

// The names of the columns, then the rows, the ids in front; nothing where the text is wrong.
std::optional<Rows> plain_read(const std::string& text, bool tabs) {
    auto read = rows_of(without_mark(text), tabs);
    if (!read || read->first.empty()) return {};
    auto& [rows, has_header] = *read;
    const auto id = has_header ? id_column(rows[0], tabs) : 0;
    if (!id) return {};
    if (!has_header) rows.insert(rows.begin(), {"query_id", "text"});
    std::set<std::string> seen;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (!has_header && rows[r].size() > 2) rows[r].resize(2);
        if (rows[r].size() != rows[0].size()) return {};
        const std::string query = rows[r][*id];
        rows[r].erase(rows[r].begin() + static_cast<std::ptrdiff_t>(*id));
        rows[r].insert(rows[r].begin(), query);
        if (r > 0 && (query.empty() || !seen.insert(query).second)) return {};
    }
    const std::set<std::string> names(rows[0].begin() + 1, rows[0].end());
    if (names.size() + 1 < rows[0].size() || names.contains("") || rows.size() == 1) return {};
    rows[0][0] = "query_id";
    return rows;
}

// The queries of a table in another order, as lists have them.
struct Queries {
    std::string_view query(std::size_t i) const { return table.query(table.rows() - 1 - i); }
    const QueryTable& table;
};

// Columns by position: whatever comes, codes have labels and weights are numbers.
void align(std::shared_ptr<const DelimitedTable> table, std::string_view text) {
    const QueryRows rows(table, Queries{*table}, table->rows(), 1);
    require(rows.without_row() == 0 && rows.unused() == 0, "the rows of queries", text);
    std::vector<std::int32_t> codes(rows.size());
    std::vector<double> weights(rows.size());
    for (std::size_t column = 0; column < table->columns().size(); ++column) {
        const auto labels = rows.segments(column, codes.data(), 1);
        std::string room;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::string cell(rows.cell(i, column, room));
            const std::string label = codes[i] < 0 ? "" : labels.at(static_cast<std::size_t>(codes[i]));
            require(cell == label, "a segment", text);
        }
        try {
            rows.weights(column, 1, weights.data(), 1);
            for (const double weight : weights) require(weight >= 0, "a weight", text);
        } catch (const InputError&) {
        }
    }
}

std::optional<Rows> read(const std::string& text, bool tabs, std::size_t chunk) {
    try {
        const auto table = std::make_shared<DelimitedTable>(
            Text::copy("fuzz", text), tabs ? Delimiter::tab : Delimiter::comma, id_names, 1, chunk);
        Rows rows(1, Row{"query_id"});
        for (const std::string& name : table->columns()) rows[0].push_back(name);
        std::string room;
        for (std::size_t row = 0; row < table->rows(); ++row) {
            rows.push_back({std::string(table->query(row))});
            for (std::size_t c = 0; c < table->columns().size(); ++c)
                rows.back().emplace_back(table->cell(row, c, room));
        }
        align(table, text);
        return rows;
    } catch (const InputError&) {
        return {};
    }
}

}  // namespace

void try_input(std::string_view bytes) {
    Choices choices(bytes);
    const std::size_t how = choices.byte();
    const bool tabs = how % 2 == 1;
    const std::string text(choices.text());
    const auto expected = plain_read(text, tabs);
    require(read(text, tabs, DelimitedTable::usual_chunk) == expected, "the table", text);
    require(read(text, tabs, 1 + how % 40) == expected, "the table in chunks", text);
}

}  // namespace medir::fuzz
