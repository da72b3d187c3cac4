#include "tables/table_lists.hpp"

#include <cmath>

#include "base/parallel.hpp"

namespace medir {

namespace {

constexpr std::size_t ahead = 16;               // blocks whose memory is asked for
constexpr std::size_t rows_together = 1 << 16;  // that one thread looks at

}  // namespace

TableLists::TableLists(std::shared_ptr<const ArrowTable> table, const TableColumns& columns, Values values, Order order)
    : table_(std::move(table)),
      columns_(columns),
      kind_(values),
      order_(order),
      has_lists_(table_->type(columns.document).is_list()),
      has_numbers_(table_->type(columns.document).kind == ColumnKind::whole),
      queries_({}, {}),
      intents_({}, {}) {
    check_types();
}

TableLists::TableLists(std::shared_ptr<const ArrowTable> table, const TableColumns& columns, Values values, Order order,
                       int threads)
    : TableLists(std::move(table), columns, values, order) {
    Blocks found;
    take_batches(threads);
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
        take_batches(threads);
        find_blocks(found, threads, &writers);
        batches_.clear();
        table->release_batches();
    } while (next(*table));
    index_queries(found);
}

void TableLists::take_batches(int threads) {
    batches_.resize(table_->batches());
    parallel_blocks(batches_.size(), 1, threads, nullptr, [&](std::size_t b, std::size_t, int) {
        const auto part = [&](std::optional<std::size_t> column) {
            return column ? std::optional(table_->part(*column, b)) : std::nullopt;
        };
        batches_[b] =
            std::make_unique<const Batch>(Batch{table_->part(columns_.query, b), table_->part(columns_.document, b),
                                                part(columns_.value), part(columns_.intent)});
    });
    if (!has_lists_ || batches_.empty()) return;
    const ArrowType& ids = batches_.front()->document.elements().type();
    table_->require(columns_.document, ids.is_id(), "lists of ids were");
    has_numbers_ = ids.kind == ColumnKind::whole;
}

void TableLists::find_blocks(Blocks& found, int threads, Writers* writers) {
    struct Piece {
        std::size_t batch, first, last;
    };
    std::vector<Piece> pieces;
    for (std::size_t b = 0; b < batches_.size(); ++b)
        for (std::size_t first = 0; first < batches_[b]->query.size(); first += rows_together)
            pieces.push_back({b, first, std::min(batches_[b]->query.size(), first + rows_together)});
    const std::size_t before = found.size();
    found.resize(before + pieces.size());
    if (writers != nullptr) packed_.resize(found.size());
    parallel_blocks(pieces.size(), 1, threads, nullptr, [&](std::size_t i, std::size_t, int thread) {
        const auto [batch, first, last] = pieces[i];
        auto& blocks = found[before + i];
        check_batch(batch, first, last);
        find_blocks(batch, first, last, blocks);
        if (writers == nullptr) return;
        PackedWriter& rows = (*writers)[static_cast<std::size_t>(thread)];
        std::vector<std::size_t> starts;
        starts.reserve(blocks.size());
        rows.clear();
        for (const Block& block : blocks) {
            starts.push_back(rows.size());
            pack(block, rows);
        }
        packed_[before + i] = rows.copy();
        for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b].packed = packed_[before + i].get() + starts[b];
    });
}

void TableLists::pack(const Block& block, PackedWriter& rows) const {
    const Batch& batch = *batches_[block.batch];
    const auto pack_text = [&](const ArrowColumn& column, std::size_t row) {
        if (column.type().is_text()) return rows.text(column.text(row));
        std::string digits = column.id(row);
        digits.reserve(digits.size() + sizeof(std::uint64_t));
        rows.text(digits);
    };
    const std::size_t row = block.row - table_->rows_before(block.batch);
    pack_text(batch.query, row);
    const ArrowColumn& documents = has_lists_ ? batch.document.elements() : batch.document;
    const ArrowColumn* const values = !batch.value ? nullptr : has_lists_ ? &batch.value->elements() : &*batch.value;
    for (std::uint64_t i = 0; i < block.last - block.first; ++i) {
        if (has_numbers_)
            rows.number(documents.entry(block.first + i, 0));
        else
            rows.text(documents.text(block.first + i));
        if (values != nullptr) {
            const double number = values->number(block.value + i);
            if (kind_ == Values::scores)
                rows.value(static_cast<float>(number));
            else
                rows.value(number);
        }
        if (batch.intent) pack_text(*batch.intent, has_lists_ ? row : row + i);
    }
}

void TableLists::format_intents() {
    if (!columns_.intent || table_->type(*columns_.intent).is_text()) return;
    std::string digits;
    std::vector<std::uint64_t> ends;
    for (const auto& batch : batches_)
        for (std::size_t row = 0; row < batch->intent->size(); ++row) {
            digits += batch->intent->id(row);
            ends.push_back(digits.size());
        }
    intents_ = Strings(digits, std::move(ends));
}

void TableLists::check_types() const {
    const auto type = [&](std::size_t column) -> const ArrowType& { return table_->type(column); };
    table_->require(columns_.query, type(columns_.query).is_id(), "text or whole numbers were");
    table_->require(columns_.document, has_lists_ || type(columns_.document).is_id(),
                    "text, whole numbers or lists of them were");
    if (columns_.value) {
        const ArrowType& values = type(*columns_.value);
        const bool fits =
            has_lists_ ? values.is_list() : values.is_number() || (kind_ == Values::grades && values.is_text());
        table_->require(*columns_.value, fits, has_lists_ ? "lists of numbers were" : "numbers were");
    }
    if (columns_.intent)
        table_->require(*columns_.intent, type(*columns_.intent).is_id(), "text or whole numbers were");
}

void TableLists::check_batch(std::size_t number, std::size_t first, std::size_t last) const {
    const Batch& batch = *batches_[number];
    const auto check = [&](const ArrowColumn& column, std::size_t which) {
        const std::size_t row = column.first_null(first, last);
        if (row < last) throw table_->null_error(table_->rows_before(number) + row, which);
    };
    check(batch.query, columns_.query);
    check(batch.document, columns_.document);
    if (batch.value) check(*batch.value, *columns_.value);
    if (batch.intent) check(*batch.intent, *columns_.intent);
    if (!has_lists_) return;
    for (std::size_t row = first; row < last; ++row) {
        check_elements(batch.document, columns_.document, number, row);
        if (batch.value) check_elements(*batch.value, *columns_.value, number, row);
    }
}

void TableLists::check_elements(const ArrowColumn& column, std::size_t which, std::size_t batch,
                                std::size_t row) const {
    const auto [first, last] = column.list(row);
    if (column.elements().first_null(first, last) < last)
        throw table_->null_error(table_->rows_before(batch) + row, which);
}

TableLists::Block TableLists::list_of(std::size_t number, std::size_t row) const {
    const Batch& batch = *batches_[number];
    const auto [first, last] = batch.document.list(row);
    const auto values = batch.value ? batch.value->list(row) : ArrowColumn::Range{first, last};
    if (values.last - values.first != last - first)
        throw table_->error(table_->rows_before(number) + row,
                            "there are " + std::to_string(last - first) + " documents and " +
                                std::to_string(values.last - values.first) + " values",
                            "Give one value per document.");
    return {static_cast<std::uint32_t>(number), none, table_->rows_before(number) + row, first, last, values.first};
}

void TableLists::find_blocks(std::size_t number, std::size_t first, std::size_t last,
                             std::vector<Block>& blocks) const {
    const ArrowColumn& query = batches_[number]->query;
    for (std::size_t row = first; row < last; ++row) {
        if (has_lists_) {
            blocks.push_back(list_of(number, row));
        } else {
            if (row > first && query.same_id(row, row - 1)) continue;
            if (!blocks.empty()) blocks.back().last = row;
            blocks.push_back(
                {static_cast<std::uint32_t>(number), none, table_->rows_before(number) + row, row, last, row});
        }
        blocks.back().hash = query.entry(row, 0).text_hash();
    }
}

Entry TableLists::query_entry(const Block& block) const {
    if (block.packed == nullptr)
        return batches_[block.batch]->query.entry(block.row - table_->rows_before(block.batch), 0);
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
            const Block& block = piece[b];
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
            const std::size_t length = block.last - block.first;
            if (known == none) {
                ids.append(id);
                ends.push_back(ids.size());
                first_blocks_.push_back(next);
                last_blocks.push_back(next);
                lengths.push_back(length);
            } else {
                if (has_lists_)
                    throw table_->error(block.row, "query '" + std::string(id) + "' has a second row",
                                        "A table with lists has one row per query.");
                blocks_[last_blocks[known]].next = next;
                last_blocks[known] = next;
                lengths[known] += length;
            }
            blocks_.push_back(block);
        }
        std::vector<Block>().swap(piece);
    }
    queries_ = Strings(ids, std::move(ends));
    for (const std::size_t length : lengths) lengths_.add(length);
}

void TableLists::read(std::size_t query, std::vector<Entry>& entries) const {
    entries.clear();
    for_each_block(query, [&](const Block& block) {
        for_each_entry(block, [&](const Entry& entry, std::uint64_t) { entries.push_back(entry); });
    });
    sort_entries(entries, order_);
}

template <class Visit>
void TableLists::for_each_entry(const Block& block, Visit visit) const {
    const std::uint64_t count = block.last - block.first;
    if (block.packed != nullptr) {
        PackedReader rows(block.packed);
        rows.text();  // the query
        for (std::uint64_t i = 0; i < count; ++i) {
            const auto [data, size, hash] = packed_id(rows);
            const double number = value(packed_value(rows), block, i);
            if (columns_.intent) rows.text();
            visit(Entry{data, number, size, hash}, i);
        }
        return;
    }
    const Batch& batch = *batches_[block.batch];
    const ArrowColumn& documents = has_lists_ ? batch.document.elements() : batch.document;
    for (std::uint64_t i = 0; i < count; ++i) visit(documents.entry(block.first + i, value(batch, block, i)), i);
}

TableLists::Id TableLists::packed_id(PackedReader& rows) const {
    if (has_numbers_) {
        const Entry number = rows.number();
        return {number.data, number.size, number.hash};
    }
    const std::string_view id = rows.text();
    return {id.data(), static_cast<std::uint32_t>(id.size()), hash_bytes(id)};
}

double TableLists::packed_value(PackedReader& rows) const {
    if (!columns_.value) return 0;
    return kind_ == Values::scores ? static_cast<double>(rows.value<float>()) : rows.value<double>();
}

double TableLists::value(const Batch& batch, const Block& block, std::uint64_t position) const {
    if (!batch.value) return 0;
    const ArrowColumn& values = has_lists_ ? batch.value->elements() : *batch.value;
    return value(values.number(block.value + position), block, position);
}

double TableLists::value(double number, const Block& block, std::uint64_t position) const {
    if (std::isnan(number)) throw value_error(block, position);
    // Scores in single precision, as trec_eval has them.
    return kind_ == Values::scores ? static_cast<double>(static_cast<float>(number)) : number;
}

InputError TableLists::value_error(const Block& block, std::uint64_t position) const {
    const std::string column = "the " + table_->column_name(*columns_.value);
    if (kind_ == Values::grades)
        return table_->error(row_of(block, position), column + " is not a number", "Grades are 0, 1, 2, ...");
    return table_->error(row_of(block, position), column + " is NaN, which has no place in an order",
                         "Fix it, or choose order=\"file\" (--order file) to take the rows as they come.");
}

std::size_t TableLists::row_of(const Block& block, std::uint64_t position) const {
    return block.row + (has_lists_ ? 0 : position);
}

std::string_view TableLists::intent(std::size_t query, const Entry& entry, std::size_t position) const {
    if (!columns_.intent) return {};
    if (!packed_.empty()) {  // behind the document and its value
        PackedReader rows(entry.data + (entry.is_number() ? size_of(number_kind(entry)) : entry.size));
        packed_value(rows);
        return rows.text();
    }
    std::string_view found;
    for_each_block(query, [&](const Block& block) {
        const std::uint64_t count = block.last - block.first;
        if (position < count)
            found = intents_.size() > 0 ? intents_[block.row + position]
                                        : batches_[block.batch]->intent->text(block.first + position);
        position = position < count ? static_cast<std::size_t>(-1) : position - count;
    });
    return found;
}

InputError TableLists::error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const {
    const std::string text = "query " + std::string(queries_[query]) + ", document " + entry.document();
    std::string row;
    for_each_block(query, [&](const Block& block) {
        if (has_lists_) return;
        for_each_entry(block, [&](const Entry& other, std::uint64_t i) {
            if (row.empty() && other.data == entry.data && other.value == entry.value)
                row = "row " + std::to_string(row_of(block, i) + 1) + ": ";
        });
    });
    return InputError(table_->name(), 0, row + text, std::move(problem), std::move(remedy));
}

}  // namespace medir
