#include "lists/query_table.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "base/tokens.hpp"
#include "lists/numbered_texts.hpp"

namespace medir {

namespace {

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

// A finite number of 0 or more, or NaN.
double weight_of(std::string_view text) {
    const char *first = text.data(), *last = first + text.size();
    const bool goes_on = (*last >= '0' && *last <= '9') || *last == '.';  // with the next cell of a column in memory
    double value = 0;
    const bool number = (!goes_on && plain_decimal(first, last, &value)) || any_number(first, last, &value);
    return number && std::isfinite(value) && value >= 0 ? value + 0.0 : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

InputError QueryTable::without_id(std::size_t row) const {
    return error(row, "the query id is empty", "Add the id of the query, or remove the row.");
}

InputError QueryTable::twice(std::size_t row, std::size_t other) const {
    const std::string_view id = query(row);
    return error(row,
                 "query " + quoted(id.data(), id.data() + id.size()) + " has two rows; the other is " + place(other),
                 "Remove one of them: a query has one row.");
}

void QueryTable::index_queries(bool ascending) {
    ascending_ = ascending;
    if (!ascending) return index_when_needed();
    if (rows() > 0 && query(0).empty()) throw without_id(0);
}

void QueryTable::fill_index() const {
    constexpr std::size_t ahead = 16;
    index_.reset(rows());
    for (std::size_t row = 0; row < rows(); ++row) {
        if (query(row).empty()) throw without_id(row);
        if (row + ahead < rows()) index_.prefetch(hash(row + ahead));
        const auto other = index_.find_or_add(hash(row), static_cast<std::uint32_t>(row),
                                              [&](std::uint32_t known) { return query(known) == query(row); });
        if (other != ByteIndex::none) throw twice(row, other);
    }
}

std::uint32_t QueryTable::find_ascending(std::string_view id) const {
    std::size_t first = 0, last = rows();
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (query(middle) < id)
            first = middle + 1;
        else
            last = middle;
    }
    return first < rows() && query(first) == id ? static_cast<std::uint32_t>(first) : ByteIndex::none;
}

void QueryTable::find(const std::string_view* ids, std::size_t count, std::uint32_t* rows) const {
    index_when_needed();
    std::uint32_t hashes[together];
    for (std::size_t i = 0; i < count; ++i) index_.prefetch(hashes[i] = hash_bytes(ids[i]));
    for (std::size_t i = 0; i < count; ++i) {
        rows[i] = index_.find(hashes[i], [](std::uint32_t) { return true; });
        if (rows[i] != ByteIndex::none) prefetch_row(rows[i]);
    }
    for (std::size_t i = 0; i < count; ++i)
        if (rows[i] != ByteIndex::none) prefetch_cells(rows[i]);
    for (std::size_t i = 0; i < count; ++i)  // a row with the same hash may be that of another query
        if (rows[i] != ByteIndex::none && query(rows[i]) != ids[i]) rows[i] = find(ids[i]);
}

ColumnTable::ColumnTable(std::string name, Strings queries, std::vector<std::string> names,
                         std::vector<Strings> columns, std::vector<std::uint64_t> lines)
    : name_(std::move(name)), queries_(std::move(queries)), cells_(std::move(columns)), lines_(std::move(lines)) {
    columns_ = std::move(names);
    index_queries(false);
}

std::string ColumnTable::place(std::size_t row) const {
    return lines_.empty() ? "in row " + std::to_string(row + 1) : "in line " + std::to_string(lines_[row]);
}

InputError ColumnTable::error(std::size_t row, std::string problem, std::string remedy) const {
    const std::string number = lines_.empty() ? "row " + std::to_string(row + 1) + ", " : "";
    std::string text = (number + "query ").append(query(row));
    return InputError(name_, lines_.empty() ? 0 : lines_[row], std::move(text), std::move(problem), std::move(remedy));
}

bool QueryRows::follow(const std::string_view* ids, std::size_t count, std::size_t next, std::uint32_t* rows) const {
    if (next + count > table_->rows()) return false;
    for (std::size_t i = 0; i < count; ++i) {
        if (table_->query(next + i) != ids[i]) return false;
        rows[i] = static_cast<std::uint32_t>(next + i);
    }
    return true;
}

std::string_view QueryRows::cell(std::size_t position, std::size_t column, std::string& room) const {
    const std::uint32_t row = rows_[position];
    prefetch(position);
    if (row == ByteIndex::none) return {};
    const std::string_view text = table_->cell(row, column, room);
    return without_blanks(text).empty() ? std::string_view{} : text;
}

std::size_t QueryRows::weights(std::size_t column, double missing, double* values, int threads) const {
    std::atomic<std::size_t> without{0};
    std::atomic<std::uint32_t> wrong{ByteIndex::none};  // the first row of all that are
    parallel_blocks(size(), 4096, threads, nullptr, [&](std::size_t first, std::size_t last, int) {
        std::string room;
        std::size_t empty = 0;
        for (std::size_t i = first; i < last; ++i) {
            const std::string_view text = without_blanks(cell(i, column, room));
            values[i] = text.empty() ? missing : weight_of(text);
            empty += text.empty();
            if (text.empty() || !std::isnan(values[i])) continue;
            std::uint32_t known = wrong;
            while (rows_[i] < known && !wrong.compare_exchange_weak(known, rows_[i])) continue;
        }
        without += empty;
    });
    table_->check_source();
    if (wrong == ByteIndex::none) return without;
    std::string room;
    const std::string_view text = table_->cell(wrong, column, room);
    throw table_->error(
        wrong, "the weight " + quoted(text.data(), text.data() + text.size()) + " is not a finite number of 0 or more",
        "Fix column '" + table_->columns()[column] + "', or leave the field empty for a query without a weight.");
}

std::vector<std::string> QueryRows::segments(std::size_t column, std::int32_t* codes, int threads) const {
    const std::size_t block = std::max<std::size_t>((size() + threads - 1) / threads, 4096);
    std::vector<NumberedTexts> parts((size() + block - 1) / block);
    parallel_blocks(size(), block, threads, nullptr, [&](std::size_t first, std::size_t last, int) {
        std::string room;
        NumberedTexts& labels = parts[first / block];
        for (std::size_t i = first; i < last; ++i) {
            const std::string_view text = cell(i, column, room);
            codes[i] = text.empty() ? -1 : static_cast<std::int32_t>(labels.number(text));
        }
    });
    NumberedTexts all;
    std::vector<std::vector<std::int32_t>> numbers(parts.size());
    for (std::size_t part = 0; part < parts.size(); ++part) {
        std::string padded;
        for (const std::string& label : std::move(parts[part]).texts()) {
            padded.assign(label).append(8, '\0');
            numbers[part].push_back(static_cast<std::int32_t>(all.number({padded.data(), label.size()})));
        }
    }
    parallel_blocks(size(), block, threads, nullptr, [&](std::size_t first, std::size_t last, int) {
        for (std::size_t i = first; i < last; ++i)
            if (codes[i] >= 0) codes[i] = numbers[first / block][static_cast<std::size_t>(codes[i])];
    });
    table_->check_source();
    return std::move(all).texts();
}

}  // namespace medir
