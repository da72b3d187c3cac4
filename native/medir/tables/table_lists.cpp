#include "tables/table_lists.hpp"

#include <cmath>

#include "base/parallel.hpp"
#include "tables/packed_ranges.hpp"

namespace medir {

namespace {

constexpr std::size_t ahead = 16;  // blocks whose memory is asked for
constexpr std::size_t lines_ahead = 4;

}  // namespace

TableLists::TableLists(std::shared_ptr<const ArrowTable> table, const TableColumns& columns, Values values, Order order)
    : rows_(std::move(table), columns, values), order_(order), queries_({}, {}), intents_({}, {}) {}

TableLists::TableLists(std::shared_ptr<const ArrowTable> table, const TableColumns& columns, Values values, Order order,
                       int threads)
    : TableLists(std::move(table), columns, values, order) {
    Blocks found;
    rows_.take_batches(threads);
    format_intents();
    find_blocks(found, threads, nullptr);
    index_queries(found);
}

TableLists::TableLists(std::shared_ptr<ArrowTable> table, const Next& next, const TableColumns& columns, Values values,
                       Order order, int threads)
    : TableLists(table, columns, values, order) {
    Blocks found;
    Writers writers(static_cast<std::size_t>(threads));
    do {
        rows_.take_batches(threads);
        find_blocks(found, threads, &writers);
        rows_.drop_batches();
        table->release_batches();
    } while (next(*table));
    index_queries(found);
}

TableLists::TableLists(std::shared_ptr<const ArrowTable> table, std::shared_ptr<const PackedBytes> rows,
                       const TableColumns& columns, Values values, Order order)
    : TableLists(std::move(table), columns, values, order) {
    Blocks found{PackedRanges::blocks({rows->data(), rows->size()})};
    packed_.push_back(std::move(rows));
    index_queries(found);
}

void TableLists::find_blocks(Blocks& found, int threads, Writers* writers) {
    const auto pieces = rows_.pieces();
    const std::size_t before = found.size();
    found.resize(before + pieces.size());
    if (writers != nullptr) packed_.resize(found.size());
    parallel_blocks(pieces.size(), 1, threads, nullptr, [&](std::size_t i, std::size_t, int thread) {
        auto& blocks = found[before + i];
        rows_.find_blocks(pieces[i], blocks);
        if (writers == nullptr) return;
        PackedWriter& written = (*writers)[static_cast<std::size_t>(thread)];
        std::vector<std::size_t> starts;
        starts.reserve(blocks.size());
        written.clear();
        for (const RowBlock& block : blocks) {
            starts.push_back(written.size());
            rows_.pack(block, written);
        }
        packed_[before + i] = std::make_shared<const PackedBytes>(written.copy());
        for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b].packed = packed_[before + i]->data() + starts[b];
    });
}

void TableLists::format_intents() {
    if (!rows_.columns().intent || rows_.table().type(*rows_.columns().intent).is_text()) return;
    std::string digits;
    std::vector<std::uint64_t> ends;
    for (std::size_t b = 0; b < rows_.batches(); ++b) {
        const ArrowColumn& intents = *rows_.batch(b).intent;
        for (std::size_t row = 0; row < intents.size(); ++row) {
            digits += intents.id(row);
            ends.push_back(digits.size());
        }
    }
    intents_ = Strings(digits, std::move(ends));
}

Entry TableLists::query_entry(const RowBlock& block) const {
    if (block.packed == nullptr) return rows_.batch(block.batch).query.entry(rows_.row_in_batch(block), 0);
    const std::string_view id = PackedReader(block.packed).text();
    return {id.data(), 0, static_cast<std::uint32_t>(id.size()), block.hash};
}

void TableLists::index_queries(Blocks& found) {
    std::size_t count = 0;
    for (const auto& piece : found) count += piece.size();
    blocks_.reserve(count);
    index_.reset(count);
    std::vector<std::uint32_t> last_blocks;
    std::vector<std::uint64_t> ends;
    std::vector<std::size_t> lengths;
    std::string ids;
    const auto id_of = [&](std::uint32_t number) {
        const std::uint64_t begin = number == 0 ? 0 : ends[number - 1];
        return std::string_view(ids.data() + begin, ends[number] - begin);
    };
    for (auto& piece : found) {
        for (std::size_t b = 0; b < piece.size(); ++b) {
            const RowBlock& block = piece[b];
            if (b + ahead < piece.size()) {
                index_.prefetch(piece[b + ahead].hash);
                prefetch(piece[b + ahead].packed);
            }
            const Entry entry = query_entry(block);
            const std::string digits = entry.is_number() ? entry.document() : std::string();
            const std::string_view id = entry.is_number() ? digits : entry.bytes();
            const auto next = static_cast<std::uint32_t>(blocks_.size());
            const std::uint32_t known = index_.find_or_add(block.hash, static_cast<std::uint32_t>(ends.size()),
                                                           [&](std::uint32_t other) { return id_of(other) == id; });
            const std::size_t length = block.size();
            if (known == none) {
                ids.append(id);
                ends.push_back(ids.size());
                first_blocks_.push_back(next);
                last_blocks.push_back(next);
                lengths.push_back(length);
            } else {
                if (rows_.has_lists())
                    throw rows_.table().error(block.row, "query '" + std::string(id) + "' has a second row",
                                              "A table with lists has one row per query.");
                blocks_[last_blocks[known]].next = next;
                last_blocks[known] = next;
                lengths[known] += length;
            }
            blocks_.push_back(block);
        }
        std::vector<RowBlock>().swap(piece);
    }
    queries_ = Strings(ids, std::move(ends));
    for (const std::size_t length : lengths) lengths_.add(length);
}

// Of rows in the memory of a table, which stand in the order of the queries, nobody needs to ask.
void TableLists::prefetch_list(std::size_t query) const {
    if (!packed_.empty()) prefetch(&blocks_[first_blocks_[query]]);
}

void TableLists::prefetch_entries(std::size_t query) const {
    if (packed_.empty()) return;
    const char* const packed = blocks_[first_blocks_[query]].packed;
    for (std::size_t line = 0; line < lines_ahead; ++line) prefetch(packed + line * cache_line);
}

void TableLists::read(std::size_t query, std::vector<Entry>& entries) const {
    entries.clear();
    for_each_block(query, [&](const RowBlock& block) {
        for_each_entry(block, [&](const Entry& entry, std::uint64_t) { entries.push_back(entry); });
    });
    sort_entries(entries, order_);
}

template <class Visit>
void TableLists::for_each_entry(const RowBlock& block, Visit visit) const {
    const std::uint64_t count = block.size();
    if (block.packed != nullptr) {
        PackedReader rows(block.packed);
        rows.text();  // the query
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto [data, size, hash] = packed_id(rows);
            const double number = value(packed_value(rows), block, i);
            if (rows_.columns().intent) rows.text();
            visit(Entry{data, number, size, hash}, i);
        }
        return;
    }
    const TableRows::Batch& batch = rows_.batch(block.batch);
    const ArrowColumn& documents = rows_.has_lists() ? batch.document.elements() : batch.document;
    for (std::uint64_t i = 0; i < count; ++i) visit(documents.entry(block.first + i, value(batch, block, i)), i);
}

TableLists::Id TableLists::packed_id(PackedReader& rows) const {
    if (rows_.has_numbers()) {
        const Entry number = rows.number();
        return {number.data, number.size, number.hash};
    }
    const std::string_view id = rows.text();
    return {id.data(), static_cast<std::uint32_t>(id.size()), hash_bytes(id)};
}

double TableLists::packed_value(PackedReader& rows) const {
    if (!rows_.columns().value) return 0;
    return rows_.values() == Values::scores ? static_cast<double>(rows.value<float>()) : rows.value<double>();
}

double TableLists::value(const TableRows::Batch& batch, const RowBlock& block, std::uint64_t position) const {
    if (!batch.value) return 0;
    const ArrowColumn& values = rows_.has_lists() ? batch.value->elements() : *batch.value;
    return value(values.number(block.value + position), block, position);
}

double TableLists::value(double number, const RowBlock& block, std::uint64_t position) const {
    if (std::isnan(number)) throw value_error(block, position);
    // Scores in single precision, as trec_eval has them.
    return rows_.values() == Values::scores ? static_cast<double>(static_cast<float>(number)) : number;
}

InputError TableLists::value_error(const RowBlock& block, std::uint64_t position) const {
    const std::string column = "the " + rows_.table().column_name(*rows_.columns().value);
    if (rows_.values() == Values::grades)
        return rows_.table().error(row_of(block, position), column + " is not a number", "Grades are 0, 1, 2, ...");
    return rows_.table().error(row_of(block, position), column + " is NaN, which has no place in an order",
                               "Fix it, or choose order=\"file\" (--order file) to take the rows as they come.");
}

std::size_t TableLists::row_of(const RowBlock& block, std::uint64_t position) const {
    return block.row + (rows_.has_lists() ? 0 : position);
}

std::string_view TableLists::intent(std::size_t query, const Entry& entry, std::size_t position) const {
    if (!rows_.columns().intent) return {};
    if (!packed_.empty()) {  // behind the document and its value
        PackedReader rows(entry.data + (entry.is_number() ? size_of(number_kind(entry)) : entry.size));
        packed_value(rows);
        return rows.text();
    }
    std::string_view found;
    for_each_block(query, [&](const RowBlock& block) {
        const std::uint64_t count = block.size();
        if (position < count)
            found = intents_.size() > 0 ? intents_[block.row + position]
                                        : rows_.batch(block.batch).intent->text(block.first + position);
        position = position < count ? static_cast<std::size_t>(-1) : position - count;
    });
    return found;
}

InputError TableLists::error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const {
    const std::string text = "query " + std::string(queries_[query]) + ", document " + entry.document();
    std::string row;
    for_each_block(query, [&](const RowBlock& block) {
        if (rows_.has_lists()) return;
        for_each_entry(block, [&](const Entry& other, std::uint64_t i) {
            if (row.empty() && other.data == entry.data && other.value == entry.value)
                row = "row " + std::to_string(row_of(block, i) + 1) + ": ";
        });
    });
    return InputError(rows_.table().name(), 0, row + text, std::move(problem), std::move(remedy));
}

}  // namespace medir
