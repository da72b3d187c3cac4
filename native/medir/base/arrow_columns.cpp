#include "base/arrow_columns.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/fields.hpp"

namespace medir {

namespace {

constexpr std::int64_t nullable = 2;  // a flag of the specification

template <class Value>
BatchColumn numbers(std::string name, const char* format, const Value* values, std::size_t rows) {
    BatchColumn column;
    column.name = std::move(name);
    column.format = format;
    column.rows = rows;
    column.values.resize(rows * sizeof(Value));
    if (rows > 0) std::memcpy(column.values.data(), values, rows * sizeof(Value));
    return column;
}

void miss_some(BatchColumn& column, const bool* missing) {
    for (std::size_t row = 0; missing != nullptr && row < column.rows; ++row)
        if (missing[row]) column.miss(row);
}

// ---- Schemas

struct HeldSchema {
    std::string name;
    std::vector<ArrowSchema> children;
    std::vector<ArrowSchema*> pointers;
    std::unique_ptr<ArrowSchema> dictionary;

    ~HeldSchema() {
        for (ArrowSchema& child : children)
            if (child.release != nullptr) child.release(&child);
        if (dictionary && dictionary->release != nullptr) dictionary->release(dictionary.get());
    }
};

void release_schema(ArrowSchema* schema) {
    delete static_cast<HeldSchema*>(schema->private_data);
    schema->release = nullptr;
}

void hand_over(std::unique_ptr<HeldSchema> held, const char* format, ArrowSchema* schema) {
    for (ArrowSchema& child : held->children) held->pointers.push_back(&child);
    *schema = {};
    schema->format = format;
    schema->name = held->name.c_str();
    schema->flags = nullable;
    schema->n_children = static_cast<std::int64_t>(held->children.size());
    schema->children = held->pointers.data();
    schema->dictionary = held->dictionary.get();
    schema->release = release_schema;
    schema->private_data = held.release();
}

void export_schema(const BatchColumn& column, ArrowSchema* schema) {
    auto held = std::make_unique<HeldSchema>();
    held->name = column.name;
    if (column.labels) {
        held->dictionary = std::make_unique<ArrowSchema>();
        export_schema(*column.labels, held->dictionary.get());
    }
    hand_over(std::move(held), column.format, schema);
}

void export_schema(const ArrowBatch& batch, ArrowSchema* schema) {
    auto held = std::make_unique<HeldSchema>();
    held->children.resize(batch.columns().size());
    for (std::size_t i = 0; i < held->children.size(); ++i) export_schema(*batch.columns()[i], &held->children[i]);
    hand_over(std::move(held), "+s", schema);
    schema->flags = 0;  // a row is never missing
}

// ---- Arrays

struct HeldArray {
    std::shared_ptr<const BatchColumn> column;
    std::vector<const void*> buffers;
    std::vector<ArrowArray> children;
    std::vector<ArrowArray*> pointers;
    std::unique_ptr<ArrowArray> dictionary;

    ~HeldArray() {
        for (ArrowArray& child : children)
            if (child.release != nullptr) child.release(&child);
        if (dictionary && dictionary->release != nullptr) dictionary->release(dictionary.get());
    }
};

void release_array(ArrowArray* array) {
    delete static_cast<HeldArray*>(array->private_data);
    array->release = nullptr;
}

void hand_over(std::unique_ptr<HeldArray> held, std::size_t rows, std::size_t missing, ArrowArray* array) {
    for (ArrowArray& child : held->children) held->pointers.push_back(&child);
    *array = {};
    array->length = static_cast<std::int64_t>(rows);
    array->null_count = static_cast<std::int64_t>(missing);
    array->n_buffers = static_cast<std::int64_t>(held->buffers.size());
    array->n_children = static_cast<std::int64_t>(held->children.size());
    array->buffers = held->buffers.data();
    array->children = held->pointers.data();
    array->dictionary = held->dictionary.get();
    array->release = release_array;
    array->private_data = held.release();
}

void export_array(std::shared_ptr<const BatchColumn> column, ArrowArray* array) {
    static constexpr std::uint64_t nothing = 0;  // readers want an address for an empty buffer too
    const auto address = [](const auto& buffer) -> const void* {
        return buffer.empty() ? static_cast<const void*>(&nothing) : buffer.data();
    };
    auto held = std::make_unique<HeldArray>();
    held->buffers.push_back(column->missing > 0 ? column->present.data() : nullptr);
    if (!column->ends.empty()) held->buffers.push_back(column->ends.data());
    held->buffers.push_back(address(column->values));
    if (column->labels) {
        held->dictionary = std::make_unique<ArrowArray>();
        export_array(column->labels, held->dictionary.get());
    }
    const std::size_t rows = column->rows, missing = column->missing;
    held->column = std::move(column);
    hand_over(std::move(held), rows, missing, array);
}

void export_array(const ArrowBatch& batch, ArrowArray* array) {
    auto held = std::make_unique<HeldArray>();
    held->buffers.push_back(nullptr);
    held->children.resize(batch.columns().size());
    for (std::size_t i = 0; i < held->children.size(); ++i) export_array(batch.columns()[i], &held->children[i]);
    hand_over(std::move(held), batch.rows(), 0, array);
}

// ---- The stream

struct HeldStream {
    std::vector<ArrowBatch> batches;
    std::size_t next = 0;
};

HeldStream& held_by(ArrowArrayStream* stream) { return *static_cast<HeldStream*>(stream->private_data); }

int next_schema(ArrowArrayStream* stream, ArrowSchema* schema) {
    try {
        export_schema(held_by(stream).batches.front(), schema);
    } catch (const std::bad_alloc&) {
        return ENOMEM;
    }
    return 0;
}

int next_array(ArrowArrayStream* stream, ArrowArray* array) {
    HeldStream& held = held_by(stream);
    *array = {};
    if (held.next == held.batches.size()) return 0;
    try {
        export_array(held.batches[held.next], array);
    } catch (const std::bad_alloc&) {
        return ENOMEM;
    }
    ++held.next;
    return 0;
}

const char* last_error(ArrowArrayStream*) { return nullptr; }

void release_stream(ArrowArrayStream* stream) {
    delete &held_by(stream);
    stream->release = nullptr;
}

}  // namespace

void BatchColumn::miss(std::size_t row) {
    if (present.empty()) present.assign((rows + 7) / 8, 0xff);
    present[row / 8] = static_cast<std::uint8_t>(present[row / 8] & ~(1u << row % 8));
    ++missing;
}

ArrowTexts::ArrowTexts(std::string name) {
    column_.name = std::move(name);
    column_.format = "u";
    column_.ends.push_back(0);
}

void ArrowTexts::add(std::optional<std::string_view> text, std::size_t times) {
    room_.clear();
    if (text) append_text(room_, *text);
    for (std::size_t i = 0; i < times; ++i) {
        if (!text) missing_.push_back(column_.ends.size() - 1);
        append(room_);
    }
}

void ArrowTexts::append(std::string_view bytes) {
    constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
    if (bytes.size() > most - column_.values.size())
        throw std::length_error("the texts of " + column_.name + " are too long for a batch of Arrow");
    column_.values.insert(column_.values.end(), bytes.begin(), bytes.end());
    column_.ends.push_back(static_cast<std::int32_t>(column_.values.size()));
}

BatchColumn ArrowTexts::take() && {
    column_.rows = column_.ends.size() - 1;
    for (const std::size_t row : missing_) column_.miss(row);
    return std::move(column_);
}

BatchColumn arrow_floats(std::string name, const double* values, std::size_t rows) {
    BatchColumn column = numbers(std::move(name), "g", values, rows);
    for (std::size_t row = 0; row < rows; ++row)
        if (std::isnan(values[row])) column.miss(row);
    return column;
}

BatchColumn arrow_integers(std::string name, const std::int64_t* values, const bool* missing, std::size_t rows) {
    BatchColumn column = numbers(std::move(name), "l", values, rows);
    miss_some(column, missing);
    return column;
}

BatchColumn arrow_flags(std::string name, const bool* values, const bool* missing, std::size_t rows) {
    std::vector<char> bits((rows + 7) / 8, 0);
    for (std::size_t row = 0; row < rows; ++row)
        if (values[row]) bits[row / 8] = static_cast<char>(bits[row / 8] | 1 << row % 8);
    BatchColumn column;
    column.name = std::move(name);
    column.format = "b";
    column.rows = rows;
    column.values = std::move(bits);
    miss_some(column, missing);
    return column;
}

BatchColumn arrow_codes(std::string name, const std::int32_t* values, std::size_t rows,
                        const std::vector<std::string_view>& labels) {
    for (std::size_t row = 0; row < rows; ++row)
        if (values[row] < 0 || static_cast<std::size_t>(values[row]) >= labels.size())
            throw std::invalid_argument("a code of " + name + " has no label");
    BatchColumn column = numbers(std::move(name), "i", values, rows);
    ArrowTexts texts("");
    for (const std::string_view label : labels) texts.add(label);
    column.labels = std::make_shared<BatchColumn>(std::move(texts).take());
    return column;
}

void ArrowBatch::add(BatchColumn column) {
    if (column.rows != rows_)
        throw std::invalid_argument("the column " + column.name + " must have " + std::to_string(rows_) +
                                    " rows, not " + std::to_string(column.rows));
    columns_.push_back(std::make_shared<BatchColumn>(std::move(column)));
}

bool ArrowBatch::is_like(const ArrowBatch& other) const {
    if (columns_.size() != other.columns_.size()) return false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const BatchColumn &one = *columns_[i], &two = *other.columns_[i];
        if (one.name != two.name || std::strcmp(one.format, two.format) != 0 || !one.labels != !two.labels)
            return false;
    }
    return true;
}

void export_stream(std::vector<ArrowBatch> batches, ArrowArrayStream* stream) {
    if (batches.empty()) throw std::invalid_argument("a stream needs a batch, which may be empty");
    for (const ArrowBatch& batch : batches)
        if (!batch.is_like(batches.front())) throw std::invalid_argument("all batches have the same columns");
    auto held = std::make_unique<HeldStream>();
    held->batches = std::move(batches);
    *stream = {next_schema, next_array, last_error, release_stream, held.release()};
}

}  // namespace medir
