// Runs and judgments that are tables: one row per result, or one row per query with a list of results.
//
// The constructor finds the rows of each query, and read() makes entries of them. The ids of a table that somebody
// holds stay where it has them, so that memory follows the number of queries. Of a table that comes batch by batch, the
// rows are packed, and each batch goes back before the next one comes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lists/columns.hpp"
#include "lists/lists.hpp"
#include "tables/arrow_table.hpp"
#include "tables/packed_rows.hpp"

namespace medir {

// Which columns of a table hold what, by number.
struct TableColumns {
    std::size_t query, document;
    std::optional<std::size_t> value, intent;
};

class TableLists : public Lists {
public:
    TableLists(std::shared_ptr<const ArrowTable> table, const TableColumns& columns, Values values, Order order,
               int threads);
    // Adds the next batches to a table; false where there are no more.
    using Next = std::function<bool(ArrowTable&)>;
    TableLists(std::shared_ptr<ArrowTable> table, const Next& next, const TableColumns& columns, Values values,
               Order order, int threads);

    std::size_t queries() const override { return queries_.size(); }
    std::string_view query(std::size_t number) const override { return queries_[number]; }
    void read(std::size_t query, std::vector<Entry>& entries) const override;
    bool has_numbers() const override { return has_numbers_; }
    bool tied(const Entry& one, const Entry& other) const override {
        return order_ != Order::file && one.value == other.value;
    }
    std::string_view intent(std::size_t query, const Entry& entry, std::size_t position) const override;
    InputError error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const override;

private:
    // Rows that stand together and have the same query.
    struct Block {
        std::uint32_t batch, next;     // `none` for the last block of a query
        std::uint64_t row;             // of the first one, in the whole table
        std::uint64_t first, last;     // documents, by their numbers in the column of the batch
        std::uint64_t value;           // the number of the first value
        std::uint32_t hash = 0;        // of the query
        const char* packed = nullptr;  // the query and its rows, where they are packed
    };
    static constexpr std::uint32_t none = ByteIndex::none;
    using Blocks = std::vector<std::vector<Block>>;  // by pieces of the table

    // The columns of one batch.
    struct Batch {
        ArrowColumn query, document;
        std::optional<ArrowColumn> value, intent;
    };
    TableLists(std::shared_ptr<const ArrowTable> table, const TableColumns& columns, Values values, Order order);
    void check_types() const;
    void take_batches(int threads);
    // Of all batches; packs their rows where there are writers, one per thread.
    using Writers = std::vector<PackedWriter>;
    void find_blocks(Blocks& found, int threads, Writers* writers);
    void format_intents();
    void check_batch(std::size_t batch, std::size_t first, std::size_t last) const;
    void check_elements(const ArrowColumn& column, std::size_t number, std::size_t batch, std::size_t row) const;
    void find_blocks(std::size_t batch, std::size_t first, std::size_t last, std::vector<Block>& blocks) const;
    Block list_of(std::size_t batch, std::size_t row) const;
    void pack(const Block& block, PackedWriter& rows) const;
    void index_queries(Blocks& found);
    Entry query_entry(const Block& block) const;
    double value(const Batch& batch, const Block& block, std::uint64_t position) const;
    double value(double number, const Block& block, std::uint64_t position) const;
    // What an entry has beside its value.
    struct Id {
        const char* data;
        std::uint32_t size, hash;
    };
    Id packed_id(PackedReader& rows) const;
    double packed_value(PackedReader& rows) const;
    InputError value_error(const Block& block, std::uint64_t position) const;
    std::size_t row_of(const Block& block, std::uint64_t position) const;  // of the whole table
    template <class Visit>
    void for_each_block(std::size_t query, Visit visit) const {
        for (std::uint32_t b = first_blocks_[query]; b != none; b = blocks_[b].next) visit(blocks_[b]);
    }
    // visit(entry, position) for all of a block.
    template <class Visit>
    void for_each_entry(const Block& block, Visit visit) const;

    std::shared_ptr<const ArrowTable> table_;
    TableColumns columns_;
    Values kind_;
    Order order_;
    bool has_lists_, has_numbers_;
    std::vector<std::unique_ptr<const Batch>> batches_;
    std::vector<std::unique_ptr<char[]>> packed_;
    std::vector<Block> blocks_;
    std::vector<std::uint32_t> first_blocks_;  // by query
    Strings queries_;
    Strings intents_;  // by row, where the table has them as numbers
};

}  // namespace medir
