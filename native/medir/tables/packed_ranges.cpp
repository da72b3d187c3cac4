#include "tables/packed_ranges.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

namespace medir {

PackedRanges::PackedRanges(std::shared_ptr<ArrowTable> table, const TableColumns& columns, Values values,
                           Strings bounds)
    : table_(std::move(table)), rows_(table_, columns, values), bounds_(std::move(bounds)) {
    pack();
}

void PackedRanges::add(ArrowArrayStream& stream) {
    table_->add(stream);
    pack();
}

void PackedRanges::pack() {
    rows_.take_batches(1);
    std::vector<RowBlock> found;
    for (const TableRows::Piece& piece : rows_.pieces()) {
        found.clear();
        rows_.find_blocks(piece, found);
        for (const RowBlock& block : found) {
            const std::size_t start = packed_.size();
            Header header{0, block.size(), block.hash};
            packed_.value(header);
            const std::size_t query = packed_.size();
            rows_.pack(block, packed_);
            header.bytes = packed_.size() - query;
            packed_.overwrite(start, header);
            blocks_.push_back({start, range_of(PackedReader(packed_.data() + query).text())});
        }
    }
    rows_.drop_batches();
    table_->release_batches();
}

std::size_t PackedRanges::range_of(std::string_view query) const {
    std::size_t low = 0, high = bounds_.size();
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (query < bounds_[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

std::vector<std::uint64_t> PackedRanges::take(char* target) {
    std::vector<std::uint64_t> ends(bounds_.size() + 1, 0);
    const auto end_of = [&](std::size_t b) { return b + 1 < blocks_.size() ? blocks_[b + 1].start : packed_.size(); };
    for (std::size_t b = 0; b < blocks_.size(); ++b) ends[blocks_[b].range] += end_of(b) - blocks_[b].start;
    std::uint64_t before = 0;
    for (std::uint64_t& end : ends) end = std::exchange(before, before + end);  // where it begins, at first
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const auto [start, range] = blocks_[b];
        const std::size_t size = end_of(b) - start;
        std::memcpy(target + ends[range], packed_.data() + start, size);
        ends[range] += size;
    }
    blocks_.clear();
    packed_.clear();
    return ends;
}

std::vector<RowBlock> PackedRanges::blocks(std::string_view packed) {
    std::vector<RowBlock> blocks;
    while (!packed.empty()) {
        if (packed.size() < sizeof(Header)) throw std::invalid_argument("packed rows that end in the middle");
        const auto header = PackedReader(packed.data()).value<Header>();
        packed.remove_prefix(sizeof(Header));
        if (packed.size() < header.bytes) throw std::invalid_argument("packed rows that end in the middle");
        blocks.push_back(
            {0, RowBlock::none, 0, 0, header.rows, 0, static_cast<std::uint32_t>(header.hash), packed.data()});
        packed.remove_prefix(header.bytes);
    }
    return blocks;
}

}  // namespace medir
