// A table of queries as delimited text, with quotes as RFC 4180 has them. Fields are found anew in the text when they
// are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "lists/query_table.hpp"
#include "texts/delimited_rows.hpp"

namespace medir {

// Tabs: a row is a line; without a header it is an id and a text, quotes are characters like others, and lines that
// start with # are comments. Commas: there is a header, and quoted fields may hold line breaks.
class DelimitedTable final : public QueryTable {
public:
    static constexpr std::size_t usual_chunk = 1 << 20;  // bytes that are scanned together

    // The first of the names of an id column that the header has is the column of the ids.
    DelimitedTable(Text text, Delimiter delimiter, const std::vector<std::string>& id_names, int threads,
                   std::size_t chunk = usual_chunk);

    bool has_header() const { return has_header_; }
    std::size_t rows() const override { return count_; }
    std::string_view query(std::size_t row) const override { return id_in(rows_[row]); }
    std::string_view cell(std::size_t row, std::size_t column, std::string& room) const override;
    void prefetch_row(std::size_t row) const override { prefetch(&rows_[row]); }
    void prefetch_cells(std::size_t row) const override { prefetch(rows_[row].start); }
    void check_source() const override { text_.check(); }
    std::string place(std::size_t row) const override;
    InputError error(std::size_t row, std::string problem, std::string remedy) const override;

private:
    struct Row {
        const char *start, *id;
        std::uint32_t id_size, hash;
    };
    // Rows that are scanned together: where they begin, and ids that are not in the text as they are.
    struct Chunk {
        const char *first, *last;
        std::size_t row = 0, count = 0;
        bool ascends = true;  // the ids, each of them
        std::deque<std::string> ids = {};
    };

    const char* read_header(const std::vector<std::string>& id_names);
    bool is_header(const std::vector<std::string>& cells, const std::vector<std::string>& id_names);
    void check_names(const char* header) const;
    void split(const char* begin, std::size_t size, int threads);
    void scan(Chunk& chunk);
    // Whether the ids of all chunks ascend.
    bool ascends() const;
    void close_gaps();
    static std::string_view id_in(const Row& row) { return {row.id, row.id_size}; }
    std::uint32_t hash(std::size_t row) const override { return rows_[row].hash; }
    const char* read_row(const char* p, Chunk& chunk);
    const char* read_long(const char* p, std::string_view& id, std::size_t& found, Chunk& chunk) const;
    bool is_left_out(const char* p) const;
    InputError uneven(const char* row, std::size_t found) const;

    Text text_;
    Delimiter delimiter_;
    DelimitedRows reader_;
    bool has_header_ = false;
    std::size_t id_column_ = 0;
    std::string id_name_;
    std::vector<Chunk> chunks_;
    std::unique_ptr<Row[]> rows_;
    std::size_t count_ = 0;
};

}  // namespace medir
