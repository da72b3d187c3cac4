// Rows of a table, packed and sorted into ranges of queries, for somebody who puts them aside until their range is
// wanted. Rows of the same query stay in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lists/columns.hpp"
#include "tables/table_rows.hpp"

namespace medir {

class PackedRanges {
public:
    // `bounds` are the first queries of all ranges but the first, in the order of their bytes. Takes what the table
    // holds.
    PackedRanges(std::shared_ptr<ArrowTable> table, const TableColumns& columns, Values values, Strings bounds);

    // Takes the rows of another stream, of the same columns.
    void add(ArrowArrayStream& stream);
    // Bytes that were packed and not yet taken.
    std::size_t size() const { return packed_.size(); }
    // Copies them to `target`, range by range, and forgets them. Returns where each range ends.
    std::vector<std::uint64_t> take(char* target);

    // The blocks of what was taken of a range, once or more often.
    static std::vector<RowBlock> blocks(std::string_view packed);

private:
    struct Block {
        std::size_t start, range;
    };
    // What stands before each block.
    struct Header {
        std::uint64_t bytes, rows, hash;
    };
    void pack();
    std::size_t range_of(std::string_view query) const;

    std::shared_ptr<ArrowTable> table_;
    TableRows rows_;
    Strings bounds_;
    PackedWriter packed_;
    std::vector<Block> blocks_;
};

}  // namespace medir
