#include "tables/table_rows.hpp"

#include <algorithm>
#include <string>

#include "base/parallel.hpp"

namespace medir {

namespace {

constexpr std::size_t rows_together = 1 << 16;  // of a piece

}  // namespace

TableRows::TableRows(std::shared_ptr<const ArrowTable> table, const TableColumns& columns, Values values)
    : table_(std::move(table)),
      columns_(columns),
      values_(values),
      has_lists_(table_->type(columns.document).is_list()),
      has_numbers_(table_->element_type(columns.document).kind == ColumnKind::whole) {
    check_types();
}

void TableRows::check_types() const {
    const auto type = [&](std::size_t column) -> const ArrowType& { return table_->type(column); };
    table_->require(columns_.query, type(columns_.query).is_id(), "text or whole numbers were");
    table_->require(columns_.document, has_lists_ || type(columns_.document).is_id(),
                    "text, whole numbers or lists of them were");
    if (columns_.value) {
        const ArrowType& values = type(*columns_.value);
        const bool fits =
            has_lists_ ? values.is_list() : values.is_number() || (values_ == Values::grades && values.is_text());
        table_->require(*columns_.value, fits, has_lists_ ? "lists of numbers were" : "numbers were");
    }
    if (columns_.intent)
        table_->require(*columns_.intent, type(*columns_.intent).is_id(), "text or whole numbers were");
}

void TableRows::take_batches(int threads) {
    batches_.clear();
    batches_.resize(table_->batches());
    parallel_blocks(batches_.size(), 1, threads, nullptr, [&](std::size_t b, std::size_t, int) {
        const auto part = [&](std::optional<std::size_t> column) {
            return column ? std::optional(table_->part(*column, b)) : std::nullopt;
        };
        batches_[b] =
            std::make_unique<const Batch>(Batch{table_->part(columns_.query, b), table_->part(columns_.document, b),
                                                part(columns_.value), part(columns_.intent)});
    });
    if (has_lists_ && !batches_.empty())
        table_->require(columns_.document, table_->element_type(columns_.document).is_id(), "lists of ids were");
}

std::vector<TableRows::Piece> TableRows::pieces() const {
    std::vector<Piece> pieces;
    for (std::size_t b = 0; b < batches_.size(); ++b)
        for (std::size_t first = 0; first < batches_[b]->query.size(); first += rows_together)
            pieces.push_back({b, first, std::min(batches_[b]->query.size(), first + rows_together)});
    return pieces;
}

void TableRows::find_blocks(const Piece& piece, std::vector<RowBlock>& blocks) const {
    check_rows(piece);
    const auto [batch, first, last] = piece;
    const ArrowColumn& query = batches_[batch]->query;
    const std::size_t before = table_->rows_before(batch);
    for (std::size_t row = first; row < last; ++row) {
        if (has_lists_) {
            blocks.push_back(list_of(batch, row));
        } else {
            if (row > first && query.same_id(row, row - 1)) continue;
            if (row > first) blocks.back().last = row;
            blocks.push_back({static_cast<std::uint32_t>(batch), RowBlock::none, before + row, row, last, row});
        }
        blocks.back().hash = query.entry(row, 0).text_hash();
    }
}

RowBlock TableRows::list_of(std::size_t number, std::size_t row) const {
    const Batch& batch = *batches_[number];
    const auto [first, last] = batch.document.list(row);
    const auto values = batch.value ? batch.value->list(row) : ArrowColumn::Range{first, last};
    if (values.last - values.first != last - first)
        throw table_->error(table_->rows_before(number) + row,
                            "there are " + std::to_string(last - first) + " documents and " +
                                std::to_string(values.last - values.first) + " values",
                            "Give one value per document.");
    return {static_cast<std::uint32_t>(number),
            RowBlock::none,
            table_->rows_before(number) + row,
            first,
            last,
            values.first};
}

void TableRows::check_rows(const Piece& piece) const {
    const auto [number, first, last] = piece;
    const Batch& batch = *batches_[number];
    const std::size_t before = table_->rows_before(number);
    const auto check = [&, first = first, last = last](const ArrowColumn& column, std::size_t which) {
        const std::size_t row = column.first_null(first, last);
        if (row < last) throw table_->null_error(before + row, which);
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

void TableRows::check_elements(const ArrowColumn& column, std::size_t which, std::size_t batch, std::size_t row) const {
    const auto [first, last] = column.list(row);
    if (column.elements().first_null(first, last) < last)
        throw table_->null_error(table_->rows_before(batch) + row, which);
}

void TableRows::pack(const RowBlock& block, PackedWriter& rows) const {
    const Batch& batch = *batches_[block.batch];
    const auto pack_text = [&](const ArrowColumn& column, std::size_t row) {
        if (column.type().is_text()) return rows.text(column.text(row));
        std::string digits = column.id(row);
        digits.reserve(digits.size() + sizeof(std::uint64_t));
        rows.text(digits);
    };
    const std::size_t row = row_in_batch(block);
    pack_text(batch.query, row);
    const ArrowColumn& documents = has_lists_ ? batch.document.elements() : batch.document;
    const ArrowColumn* const values = !batch.value ? nullptr : has_lists_ ? &batch.value->elements() : &*batch.value;
    for (std::uint64_t i = 0; i < block.size(); ++i) {
        if (has_numbers_)
            rows.number(documents.entry(block.first + i, 0));
        else
            rows.text(documents.text(block.first + i));
        if (values != nullptr) {
            const double number = values->number(block.value + i);
            if (values_ == Values::scores)
                rows.value(static_cast<float>(number));
            else
                rows.value(number);
        }
        if (batch.intent) pack_text(*batch.intent, has_lists_ ? row : row + i);
    }
}

}  // namespace medir
