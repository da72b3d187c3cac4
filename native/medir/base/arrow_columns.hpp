// Columns for those who read Arrow: batches of rows, handed over as a C stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arrow.hpp"

namespace medir {

// One column of a batch, its memory laid out as Arrow has it.
struct BatchColumn {
    std::string name;
    const char* format = "";  // of the specification
    std::size_t rows = 0, missing = 0;
    std::vector<std::uint8_t> present;          // a bit per row; empty where nothing is missing
    std::vector<char> values;                   // numbers, bits, or the bytes of texts
    std::vector<std::int32_t> ends;             // of texts: 0, then where each ends
    std::shared_ptr<const BatchColumn> labels;  // of codes

    void miss(std::size_t row);
};

// Texts one after the other. Bytes that are no UTF-8 become escapes, as in JSON.
class ArrowTexts {
public:
    explicit ArrowTexts(std::string name);

    // A text for so many rows; none where it is missing.
    void add(std::optional<std::string_view> text, std::size_t times = 1);
    BatchColumn take() &&;

private:
    void append(std::string_view bytes);

    BatchColumn column_;
    std::vector<std::size_t> missing_;
    std::string room_;
};

BatchColumn arrow_floats(std::string name, const double* values, std::size_t rows);  // NaN is missing
// `missing` says which rows have no value; null where all have one.
BatchColumn arrow_integers(std::string name, const std::int64_t* values, const bool* missing, std::size_t rows);
BatchColumn arrow_flags(std::string name, const bool* values, const bool* missing, std::size_t rows);
// Numbers of labels, each of which is written once.
BatchColumn arrow_codes(std::string name, const std::int32_t* values, std::size_t rows,
                        const std::vector<std::string_view>& labels);

// Rows of a table, column by column. Copies share their columns.
class ArrowBatch {
public:
    explicit ArrowBatch(std::size_t rows) : rows_(rows) {}

    std::size_t rows() const { return rows_; }
    const std::vector<std::shared_ptr<const BatchColumn>>& columns() const { return columns_; }
    void add(BatchColumn column);
    bool is_like(const ArrowBatch& other) const;  // the same names and types

private:
    std::size_t rows_;
    std::vector<std::shared_ptr<const BatchColumn>> columns_;
};

// Batches, at least one, as a stream that its reader releases.
void export_stream(std::vector<ArrowBatch> batches, ArrowArrayStream* stream);

}  // namespace medir
