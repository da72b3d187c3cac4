// Runs and judgments that are tables: one row per result, or one row per query with a list of results.
//
// The constructor finds the rows of each query, and read() makes entries of them. The ids of a table that somebody
// holds stay where it has them, so that memory follows the number of queries. Of a table that comes batch by batch, the
// rows are packed, and each batch goes back before the next one comes. Rows that were packed and put aside before
// (PackedRanges) are taken as they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lists/columns.hpp"
#include "lists/lists.hpp"
#include "tables/arrow_table.hpp"
#include "tables/packed_rows.hpp"
#include "tables/table_rows.hpp"

namespace medir {

class TableLists : public Lists {
public:
    TableLists(std::shared_ptr<const ArrowTable> table, const TableColumns& columns, Values values, Order order,
               int threads);
    // Adds the next batches to a table; false where there are no more.
    using Next = std::function<bool(ArrowTable&)>;
    TableLists(std::shared_ptr<ArrowTable> table, const Next& next, const TableColumns& columns, Values values,
               Order order, int threads);
    // Of rows that were put aside; the table says what columns they had.
    TableLists(std::shared_ptr<const ArrowTable> table, std::shared_ptr<const PackedBytes> rows,
               const TableColumns& columns, Values values, Order order);

    std::size_t queries() const override { return queries_.size(); }
    std::string_view query(std::size_t number) const override { return queries_[number]; }
    void read(std::size_t query, std::vector<Entry>& entries) const override;
    void prefetch_list(std::size_t query) const override;
    void prefetch_entries(std::size_t query) const override;
    bool has_numbers() const override { return rows_.has_numbers(); }
    bool tied(const Entry& one, const Entry& other) const override {
        return order_ != Order::file && one.value == other.value;
    }
    std::string_view intent(std::size_t query, const Entry& entry, std::size_t position) const override;
    InputError error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const override;

private:
    static constexpr std::uint32_t none = RowBlock::none;
    using Blocks = std::vector<std::vector<RowBlock>>;  // by pieces of the table

    TableLists(std::shared_ptr<const ArrowTable> table, const TableColumns& columns, Values values, Order order);
    // Of all batches; packs their rows where there are writers, one per thread.
    using Writers = std::vector<PackedWriter>;
    void find_blocks(Blocks& found, int threads, Writers* writers);
    void format_intents();
    void index_queries(Blocks& found);
    Entry query_entry(const RowBlock& block) const;
    double value(const TableRows::Batch& batch, const RowBlock& block, std::uint64_t position) const;
    double value(double number, const RowBlock& block, std::uint64_t position) const;
    // What an entry has beside its value.
    struct Id {
        const char* data;
        std::uint32_t size, hash;
    };
    Id packed_id(PackedReader& rows) const;
    double packed_value(PackedReader& rows) const;
    InputError value_error(const RowBlock& block, std::uint64_t position) const;
    std::size_t row_of(const RowBlock& block, std::uint64_t position) const;  // of the whole table
    template <class Visit>
    void for_each_block(std::size_t query, Visit visit) const {
        for (std::uint32_t b = first_blocks_[query]; b != none; b = blocks_[b].next) visit(blocks_[b]);
    }
    // visit(entry, position) for all of a block.
    template <class Visit>
    void for_each_entry(const RowBlock& block, Visit visit) const;

    TableRows rows_;
    Order order_;
    std::vector<std::shared_ptr<const PackedBytes>> packed_;
    std::vector<RowBlock> blocks_;
    std::vector<std::uint32_t> first_blocks_;  // by query
    Strings queries_;
    Strings intents_;  // by row, where the table has them as numbers
};

}  // namespace medir
