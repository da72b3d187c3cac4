// Throws made-up tables of queries at the reader, built with the address and undefined behaviour sanitizers.
//
// Whatever the bytes, reading ends in an InputError or in exactly the cells that a plain reader finds, for chunks of
// any size, and no byte outside the text and its padding is touched. Usage: fuzz_queries ROUNDS [SEED]
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "lists/query_table.hpp"
#include "texts/delimited.hpp"

using namespace medir;

namespace {

using Row = std::vector<std::string>;
using Table = std::vector<Row>;  // the names of the columns, then the rows

const std::vector<std::string> id_names{"query_id", "qid", "q_id", "_id", "id"};
const std::string pieces[] = {"q",
                              "x",
                              "12.5",
                              "id",
                              "text",
                              "\xc3\xa9",
                              "\xff",
                              " ",
                              "#",
                              "\r",
                              "\"\"",
                              "\"",
                              "\n",
                              "\r\n",
                              "\"a\"\"b\"",
                              "\"a,\tb\"",
                              "\"a\nb\"",
                              std::string(70, 'y'),
                              std::string(1, '\0')};

std::string random_cell(std::mt19937_64& random) {
    std::string cell;
    for (std::size_t i = random() % 3; i > 0; --i) {
        // Mostly what a cell may hold.
        const std::size_t piece = random() % (random() % 8 ? 9 : std::size(pieces));
        cell += pieces[piece];
    }
    if (random() % 4 == 0) cell = "\"" + cell + "\"";
    return cell;
}

std::string random_text(std::mt19937_64& random, char delimiter) {
    const std::size_t columns = 1 + random() % 4, id = random() % columns;
    const std::string end = random() % 4 ? "\n" : "\r\n";
    std::string text = random() % 10 ? "" : "\xef\xbb\xbf";
    if (random() % 4) {
        for (std::size_t c = 0; c < columns; ++c)
            text += (c ? std::string(1, delimiter) : "") + (c == id ? "query_id" : "c" + std::to_string(c));
        text += end;
    }
    for (std::size_t row = random() % 12; row > 0; --row) {
        if (random() % 12 == 0) text += pieces[random() % std::size(pieces)] + end;
        const std::size_t cells = random() % 30 ? columns : 1 + random() % 5;
        for (std::size_t c = 0; c < cells; ++c)
            text += (c ? std::string(1, delimiter) : "") +
                    (c == id && random() % 8 ? "q" + std::to_string(random() % 500) : random_cell(random));
        if (row > 1 || random() % 4) text += end;
    }
    return text;
}

// The lines of a text, without what ends them.
std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char c : text) {
        if (c == '\n')
            lines.emplace_back();
        else
            lines.back() += c;
    }
    if (lines.back().empty()) lines.pop_back();
    return lines;
}

// A field in quotes that the rest of a line begins with, taken off it with the delimiter behind it; or nothing.
std::optional<std::string> take_quoted(std::string& rest, bool& more) {
    if (rest.empty() || rest[0] != '"') return {};
    std::string cell;
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] != '"') {
            cell += rest[i];
        } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
            cell += rest[i++];
        } else {
            std::string left = rest.substr(i + 1);
            if (!left.empty() && left != "\r" && left[0] != '\t') return {};
            more = !left.empty() && left[0] == '\t';
            rest = more ? left.substr(1) : "";
            return cell;
        }
    }
    return {};
}

Row tab_cells(std::string line, bool with_quotes) {
    Row cells;
    for (bool more = true; more;) {
        more = false;
        if (auto quoted = with_quotes ? take_quoted(line, more) : std::nullopt) {
            cells.push_back(*quoted);
            continue;
        }
        const auto tab = line.find('\t');
        std::string cell = line.substr(0, tab);
        more = tab != std::string::npos;
        if (!more && !cell.empty() && cell.back() == '\r') cell.pop_back();
        cells.push_back(cell);
        line = more ? line.substr(tab + 1) : "";
    }
    return cells;
}

// Rows of comma-separated text, character by character; nothing where quotes are wrong.
std::optional<Table> comma_rows(const std::string& text) {
    enum { start, plain, quoted, closed } state = start;
    Table rows(1, Row(1));
    const auto end_row = [&] {
        if (state == plain && !rows.back().back().empty() && rows.back().back().back() == '\r')
            rows.back().back().pop_back();
        if (rows.back() == Row{""} && state != closed) rows.pop_back();  // an empty line
        rows.emplace_back(1);
        state = start;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        std::string& cell = rows.back().back();
        if (state == quoted) {
            if (c != '"') {
                cell += c;
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                cell += text[i++];
            } else {
                state = closed;
            }
        } else if (c == '\n') {
            end_row();
        } else if (c == ',') {
            rows.back().emplace_back();
            state = start;
        } else if (state == closed) {
            if (c != '\r' || (i + 1 < text.size() && text[i + 1] != '\n')) return {};
        } else if (c == '"') {
            if (state == plain) return {};
            state = quoted;
        } else {
            cell += c;
            state = plain;
        }
    }
    if (state == quoted) return {};
    end_row();
    rows.pop_back();
    return rows;
}

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

bool is_comment(const std::string& line) {
    return line.starts_with("#") || line.find_first_not_of(" \t\r\v\f") == std::string::npos;
}

// What the text holds by the plainest of readers, the ids in front; nothing where it is wrong.
std::optional<Table> plain_read(std::string text, bool tabs) {
    if (text.starts_with("\xef\xbb\xbf")) text = text.substr(3);
    Table rows;
    bool has_header = true;
    if (tabs) {
        has_header = false;
        for (const std::string& line : lines_of(text)) {
            if (rows.empty() && id_column(tab_cells(line, true), true)) has_header = true;
            if (has_header ? line.empty() || line == "\r" : is_comment(line)) continue;
            rows.push_back(tab_cells(line, has_header));
        }
    } else if (auto read = comma_rows(text)) {
        rows = *read;
    } else {
        return {};
    }
    if (rows.empty()) return {};
    const auto id = has_header ? id_column(rows[0], tabs) : 0;
    if (!id) return {};
    if (!has_header) rows.insert(rows.begin(), {"query_id", "text"});
    std::set<std::string> seen;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (!has_header && rows[r].size() > 2) rows[r].resize(2);
        if (rows[r].size() != rows[0].size()) return {};
        std::string query = rows[r][*id];
        rows[r].erase(rows[r].begin() + static_cast<std::ptrdiff_t>(*id));
        rows[r].insert(rows[r].begin(), query);
        if (r > 0 && (query.empty() || !seen.insert(query).second)) return {};
    }
    const std::set<std::string> names(rows[0].begin() + 1, rows[0].end());
    if (names.size() + 1 < rows[0].size() || names.contains("") || rows.size() == 1) return {};
    return rows;
}

// The queries of a table, as lists have them.
struct Queries {
    std::string_view query(std::size_t i) const { return table.query(table.rows() - 1 - i); }
    const QueryTable& table;
};

// Columns by position: whatever comes, codes have labels and weights are numbers.
void align(std::shared_ptr<const DelimitedTable> table) {
    const QueryRows rows(table, Queries{*table}, table->rows(), 2);
    if (rows.without_row() > 0 || rows.unused() > 0) std::abort();
    std::vector<std::int32_t> codes(rows.size());
    std::vector<double> weights(rows.size());
    for (std::size_t column = 0; column < table->columns().size(); ++column) {
        const auto labels = rows.segments(column, codes.data(), 2);
        std::string room;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::string cell(rows.cell(i, column, room));
            if (cell != (codes[i] < 0 ? "" : labels.at(static_cast<std::size_t>(codes[i])))) std::abort();
        }
        try {
            rows.weights(column, 1, weights.data(), 2);
            for (const double weight : weights)
                if (!(weight >= 0)) std::abort();
        } catch (const InputError&) {
        }
    }
}

std::optional<Table> read(Text text, bool tabs, int threads, std::size_t chunk) {
    try {
        const auto table = std::make_shared<DelimitedTable>(std::move(text), tabs ? Delimiter::tab : Delimiter::comma,
                                                            id_names, threads, chunk);
        Table rows(1, Row{"query_id"});
        for (const std::string& name : table->columns()) rows[0].push_back(name);
        std::string room;
        for (std::size_t row = 0; row < table->rows(); ++row) {
            rows.push_back({std::string(table->query(row))});
            for (std::size_t c = 0; c < table->columns().size(); ++c)
                rows.back().emplace_back(table->cell(row, c, room));
        }
        align(table);
        return rows;
    } catch (const InputError&) {
        return {};
    }
}

void check(const std::optional<Table>& found, std::optional<Table> expected, const std::string& text) {
    if (expected) (*expected)[0][0] = "query_id";
    if (found == expected) return;
    std::fprintf(stderr, "the readers disagree (%d, %d) on:\n", found.has_value(), expected.has_value());
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
    const long rounds = count > 1 ? std::atol(arguments[1]) : 10000;
    std::mt19937_64 random(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1);
    const std::string path = "/tmp/medir-fuzz-queries-" + std::to_string(::getpid());
    long readable = 0;
    for (long round = 0; round < rounds; ++round) {
        const bool tabs = random() % 2;
        std::string text = random_text(random, tabs ? '\t' : ',');
        if (!text.empty() && random() % 8 == 0) text[random() % text.size()] = static_cast<char>(random());
        const auto expected = plain_read(text, tabs);
        readable += expected.has_value();
        check(read(Text::copy("fuzz", text), tabs, 1, DelimitedTable::usual_chunk), expected, text);
        check(read(Text::copy("fuzz", text), tabs, 2, 1 + random() % 40), expected, text);
        if (round % 16 == 0) {
            std::ofstream(path, std::ios::binary) << text;
            check(read(Text::map(path), tabs, 2, 64), expected, text);
        }
    }
    std::remove(path.c_str());
    std::printf("%ld tables, %ld of them readable: the readers agree\n", rounds, readable);
}
