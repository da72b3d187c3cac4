#include "tables/table_lists.hpp"

#include <cmath>

#include "base/parallel.hpp"

namespace medir {

namespace {

constexpr std::size_t ahead = 16;               // blocks whose memory is asked for
constexpr std::size_t rows_together = 1 << 16;  // that one thread looks at

}  // namespace

TableLists::TableLists(std::shared_ptr<const ArrowTable> table, const TableColumns& columns, Values values, Order order,
                       int threads)
    : table_(std::move(table)), columns_(columns), kind_(values), order_(order), queries_({}, {}), intents_({}, {}) {
    const ArrowType& documents = table_->type(columns.document);
    has_lists_ = documents.is_list();
    check_types();
    batches_.resize(table_->batches());
    parallel_blocks(batches_.size(), 1, threads, nullptr, [&](std::size_t b, std::size_t, int) {
        const auto part = [&](std::optional<std::size_t> column) {
            return column ? std::optional(table_->part(*column, b)) : std::nullopt;
        };
        batches_[b] =
            std::make_unique<const Batch>(Batch{table_->part(columns.query, b), table_->part(columns.document, b),
                                                part(columns.value), part(columns.intent)});
    });
    format_intents();
    const auto& ids = [&]() -> const ArrowType& {
        if (!has_lists_ || batches_.empty()) return documents;
        return batches_.front()->document.elements().type();
    }();
    if (has_lists_ && !batches_.empty()) table_->require(columns.document, ids.is_id(), "lists of ids were");
    has_numbers_ = ids.kind == ColumnKind::whole;

    struct Piece {
        std::size_t batch, first, last;
    };
    std::vector<Piece> pieces;
    for (std::size_t b = 0; b < batches_.size(); ++b)
        for (std::size_t first = 0; first < batches_[b]->query.size(); first += rows_together)
            pieces.push_back({b, first, std::min(batches_[b]->query.size(), first + rows_together)});
    std::vector<std::vector<Block>> found(pieces.size());
    parallel_blocks(pieces.size(), 1, threads, nullptr, [&](std::size_t i, std::size_t, int) {
        const auto [batch, first, last] = pieces[i];
        check_batch(batch, first, last);
        find_blocks(batch, first, last, found[i]);
    });
    index_queries(found);
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
    return {static_cast<std::uint32_t>(number), none, row, first, last, values.first};
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
            blocks.push_back({static_cast<std::uint32_t>(number), none, row, row, last, row});
        }
        blocks.back().hash = query.entry(row, 0).text_hash();
    }
}

void TableLists::index_queries(std::vector<std::vector<Block>>& found) {
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
            if (b + ahead < piece.size()) index_.prefetch(piece[b + ahead].hash);
            const Entry entry = batches_[block.batch]->query.entry(block.row, 0);
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
                    throw table_->error(table_->rows_before(block.batch) + block.row,
                                        "query '" + std::string(id) + "' has a second row",
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
        const Batch& batch = *batches_[block.batch];
        const ArrowColumn& documents = has_lists_ ? batch.document.elements() : batch.document;
        const std::uint64_t count = block.last - block.first;
        for (std::uint64_t i = 0; i < count; ++i)
            entries.push_back(documents.entry(block.first + i, value(batch, block, i)));
    });
    sort_entries(entries, order_);
}

double TableLists::value(const Batch& batch, const Block& block, std::uint64_t position) const {
    if (!batch.value) return 0;
    const ArrowColumn& values = has_lists_ ? batch.value->elements() : *batch.value;
    const double number = values.number(block.value + position);
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
    return table_->rows_before(block.batch) + block.row + (has_lists_ ? 0 : position);
}

std::string_view TableLists::intent(std::size_t query, const Entry&, std::size_t position) const {
    std::string_view found;
    for_each_block(query, [&](const Block& block) {
        const std::uint64_t count = block.last - block.first;
        const auto& column = batches_[block.batch]->intent;
        if (position < count && column)
            found = intents_.size() > 0 ? intents_[table_->rows_before(block.batch) + block.first + position]
                                        : column->text(block.first + position);
        position = position < count ? static_cast<std::size_t>(-1) : position - count;
    });
    return found;
}

InputError TableLists::error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const {
    const std::string text = "query " + std::string(queries_[query]) + ", document " + entry.document();
    std::string row;
    for_each_block(query, [&](const Block& block) {
        if (has_lists_) return;
        const Batch& batch = *batches_[block.batch];
        for (std::uint64_t i = 0; row.empty() && i < block.last - block.first; ++i) {
            const Entry other = batch.document.entry(block.first + i, value(batch, block, i));
            if (other.data == entry.data && other.value == entry.value)
                row = "row " + std::to_string(row_of(block, i) + 1) + ": ";
        }
    });
    return InputError(table_->name(), 0, row + text, std::move(problem), std::move(remedy));
}

}  // namespace medir
