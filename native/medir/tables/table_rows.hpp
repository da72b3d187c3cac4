// Rows of a table, batch by batch: their columns, whether anything is missing there, and which rows belong together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/index.hpp"
#include "lists/lists.hpp"
#include "tables/arrow_table.hpp"
#include "tables/packed_rows.hpp"

namespace medir {

// Which columns of a table hold what, by number.
struct TableColumns {
    std::size_t query, document;
    std::optional<std::size_t> value, intent;
};

// Rows that stand together and have the same query.
struct RowBlock {
    static constexpr std::uint32_t none = ByteIndex::none;

    std::uint32_t batch, next;     // `none` for the last block of a query
    std::uint64_t row;             // of the first one, in the whole table
    std::uint64_t first, last;     // documents, by their numbers in the column of the batch
    std::uint64_t value;           // the number of the first value
    std::uint32_t hash = 0;        // of the query
    const char* packed = nullptr;  // the query and its rows, where they are packed

    std::uint64_t size() const { return last - first; }
};

class TableRows {
public:
    // The columns of one batch.
    struct Batch {
        ArrowColumn query, document;
        std::optional<ArrowColumn> value, intent;
    };
    // Rows of a batch that one thread looks at.
    struct Piece {
        std::size_t batch, first, last;
    };

    TableRows(std::shared_ptr<const ArrowTable> table, const TableColumns& columns, Values values);

    const ArrowTable& table() const { return *table_; }
    const TableColumns& columns() const { return columns_; }
    Values values() const { return values_; }
    // One row per query, with lists.
    bool has_lists() const { return has_lists_; }
    // Whether ids of documents are numbers.
    bool has_numbers() const { return has_numbers_; }

    // Takes the batches that the table holds in place of those before them.
    void take_batches(int threads);
    void drop_batches() { batches_.clear(); }
    std::size_t batches() const { return batches_.size(); }
    const Batch& batch(std::size_t number) const { return *batches_[number]; }
    // The row of a block in its batch.
    std::size_t row_in_batch(const RowBlock& block) const { return block.row - table_->rows_before(block.batch); }

    std::vector<Piece> pieces() const;
    // The blocks of some rows, in which nothing is missing.
    void find_blocks(const Piece& piece, std::vector<RowBlock>& blocks) const;
    // Writes the query of a block, and its rows.
    void pack(const RowBlock& block, PackedWriter& rows) const;

private:
    void check_types() const;
    void check_rows(const Piece& piece) const;
    void check_elements(const ArrowColumn& column, std::size_t number, std::size_t batch, std::size_t row) const;
    RowBlock list_of(std::size_t batch, std::size_t row) const;

    std::shared_ptr<const ArrowTable> table_;
    TableColumns columns_;
    Values values_;
    bool has_lists_, has_numbers_;
    std::vector<std::unique_ptr<const Batch>> batches_;
};

}  // namespace medir
