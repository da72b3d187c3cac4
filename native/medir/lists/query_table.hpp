// What is known of queries beside their results: one row per query under named columns, all of it text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/index.hpp"
#include "base/parallel.hpp"
#include "lists/columns.hpp"

namespace medir {

class QueryTable {
public:
    virtual ~QueryTable() = default;

    virtual std::size_t rows() const = 0;
    virtual std::string_view query(std::size_t row) const = 0;
    // A cell; `room` holds it where the source spells it in another way. At least seven bytes behind it can be read.
    virtual std::string_view cell(std::size_t row, std::size_t column, std::string& room) const = 0;
    // Asks for the memory that a row, and then its cells, will need soon.
    virtual void prefetch_row(std::size_t) const {}
    virtual void prefetch_cells(std::size_t) const {}
    // Throws an error where the file that the table is read from has changed.
    virtual void check_source() const {}
    // Where people find a row, such as "in line 3".
    virtual std::string place(std::size_t row) const = 0;
    virtual InputError error(std::size_t row, std::string problem, std::string remedy) const = 0;

    // The names of the columns, that of the ids left out.
    const std::vector<std::string>& columns() const { return columns_; }
    // The row of a query, or ByteIndex::none.
    std::uint32_t find(std::string_view id) const {
        if (ascending_) return find_ascending(id);
        return index_.find(hash_bytes(id), [&](std::uint32_t row) { return query(row) == id; });
    }
    // The rows of up to `together` queries, all looked up at the same time.
    static constexpr std::size_t together = 32;
    void find(const std::string_view* ids, std::size_t count, std::uint32_t* rows) const;

protected:
    // That of the id in a row.
    virtual std::uint32_t hash(std::size_t row) const { return hash_bytes(query(row)); }
    // An error where a row has no query, or two have the same. Ids that ascend are indexed when many are looked for.
    void index_queries(bool ascending);

    std::vector<std::string> columns_;

private:
    InputError without_id(std::size_t row) const;
    InputError twice(std::size_t row, std::size_t other) const;
    void index_when_needed() const {
        std::call_once(indexed_, [&] { fill_index(); });
    }
    void fill_index() const;
    std::uint32_t find_ascending(std::string_view id) const;

    bool ascending_ = false;
    mutable ByteIndex index_;
    mutable std::once_flag indexed_;
};

// A table in memory, column by column.
class ColumnTable final : public QueryTable {
public:
    // `lines` says in which line of a file each row is; without it, rows are counted.
    ColumnTable(std::string name, Strings queries, std::vector<std::string> names, std::vector<Strings> columns,
                std::vector<std::uint64_t> lines);

    std::size_t rows() const override { return queries_.size(); }
    std::string_view query(std::size_t row) const override { return queries_[row]; }
    std::string_view cell(std::size_t row, std::size_t column, std::string&) const override {
        return cells_[column][row];
    }
    std::string place(std::size_t row) const override;
    InputError error(std::size_t row, std::string problem, std::string remedy) const override;

private:
    std::string name_;
    Strings queries_;
    std::vector<Strings> cells_;
    std::vector<std::uint64_t> lines_;
};

// The rows of a table for queries by position.
class QueryRows {
public:
    // For the queries of a pairing, of lists or of a pool.
    template <class Queries>
    QueryRows(std::shared_ptr<const QueryTable> table, const Queries& queries, std::size_t count, int threads)
        : table_(std::move(table)), rows_(count) {
        parallel_blocks(count, 4096, threads, nullptr, [&](std::size_t first, std::size_t last, int) {
            std::string_view ids[QueryTable::together];
            for (std::size_t i = first; i < last; i += QueryTable::together) {
                const std::size_t some = std::min(QueryTable::together, last - i);
                for (std::size_t j = 0; j < some; ++j) ids[j] = queries.query(i + j);
                // Mostly both have the same order: the rows behind the last one are looked at first.
                const std::size_t next = i == first ? i : std::size_t{rows_[i - 1]} + 1;
                if (!follow(ids, some, next, &rows_[i])) table_->find(ids, some, &rows_[i]);
            }
        });
        without_row_ = static_cast<std::size_t>(std::count(rows_.begin(), rows_.end(), ByteIndex::none));
    }

    std::size_t size() const { return rows_.size(); }
    const QueryTable& table() const { return *table_; }
    // Queries that the table does not have.
    std::size_t without_row() const { return without_row_; }
    // Rows of the table for other queries.
    std::size_t unused() const { return table_->rows() - (rows_.size() - without_row_); }
    // The cell of a query; empty where it has no row, and where it is blank. Best asked for position by position.
    std::string_view cell(std::size_t position, std::size_t column, std::string& room) const;
    // The weights in a column by position, `missing` where there is none; returns how many that are.
    std::size_t weights(std::size_t column, double missing, double* values, int threads) const;
    // Numbers the different cells of a column in the order in which they first appear, and writes the number of each
    // query by position; -1 where there is none. Returns the cells.
    std::vector<std::string> segments(std::size_t column, std::int32_t* codes, int threads) const;

private:
    // Whether the rows from `next` on are those of these queries; if so, writes their numbers.
    bool follow(const std::string_view* ids, std::size_t count, std::size_t next, std::uint32_t* rows) const;
    // Asks for the rows that come soon, which may be anywhere.
    void prefetch(std::size_t position) const {
        constexpr std::size_t row = 24, cells = 12;  // positions ahead
        if (position + row >= size()) return;
        if (rows_[position + row] != ByteIndex::none) table_->prefetch_row(rows_[position + row]);
        if (rows_[position + cells] != ByteIndex::none) table_->prefetch_cells(rows_[position + cells]);
    }

    std::shared_ptr<const QueryTable> table_;
    std::vector<std::uint32_t> rows_;  // by position; ByteIndex::none where there is none
    std::size_t without_row_ = 0;
};

}  // namespace medir
