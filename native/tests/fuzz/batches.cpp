// Batches that the core hands over, read as any reader of Arrow may: columns are taken out of their batch and outlive
// it, and streams are dropped half-way.
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "base/arrow_columns.hpp"
#include "harness.hpp"

namespace medir::fuzz {

namespace {

struct Expected {
    std::vector<double> numbers;
    std::vector<std::optional<std::string>> texts;
    std::vector<std::int32_t> codes;
};

Expected add_batch(std::vector<ArrowBatch>& batches, Choices& choices) {
    const std::size_t rows = choices.below(20);
    Expected expected;
    ArrowTexts texts("texts");
    while (expected.texts.size() < rows) {
        std::optional<std::string> text;
        if (choices.below(4) > 0) text = std::string(choices.below(9), static_cast<char>('a' + choices.below(26)));
        const std::size_t times = 1 + choices.below(rows - expected.texts.size());
        texts.add(text, times);
        for (std::size_t i = 0; i < times; ++i) expected.texts.push_back(text);
    }
    for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t choice = choices.byte();
        expected.numbers.push_back(choice % 3 == 0 ? std::nan("") : static_cast<double>(choice));
        expected.codes.push_back(static_cast<std::int32_t>(choice % 2));
    }
    ArrowBatch batch(rows);
    batch.add(arrow_floats("numbers", expected.numbers.data(), rows));
    batch.add(std::move(texts).take());
    batch.add(arrow_codes("codes", expected.codes.data(), rows, {"zero", "one"}));
    batches.push_back(batch);
    return expected;
}

bool is_present(const ArrowArray& column, std::size_t row) {
    const auto* bits = static_cast<const std::uint8_t*>(column.buffers[0]);
    return bits == nullptr || (bits[row / 8] >> row % 8 & 1) != 0;
}

std::string text_at(const ArrowArray& column, std::size_t row) {
    const auto* ends = static_cast<const std::int32_t*>(column.buffers[1]);
    const auto* bytes = static_cast<const char*>(column.buffers[2]);
    return {bytes + ends[row], bytes + ends[row + 1]};
}

void check_numbers(const ArrowArray& column, const Expected& expected) {
    const auto* values = static_cast<const double*>(column.buffers[1]);
    std::int64_t missing = 0;
    for (std::size_t row = 0; row < expected.numbers.size(); ++row) {
        const bool known = !std::isnan(expected.numbers[row]);
        require(is_present(column, row) == known, "a missing number");
        if (known) require(values[row] == expected.numbers[row], "a number");
        missing += !known;
    }
    require(column.null_count == missing, "how many numbers are missing");
}

void check_texts(const ArrowArray& column, const Expected& expected) {
    for (std::size_t row = 0; row < expected.texts.size(); ++row) {
        require(is_present(column, row) == expected.texts[row].has_value(), "a missing text");
        require(text_at(column, row) == expected.texts[row].value_or(""), "a text");
    }
}

void check_codes(const ArrowArray& column, const Expected& expected) {
    const auto* values = static_cast<const std::int32_t*>(column.buffers[1]);
    for (std::size_t row = 0; row < expected.codes.size(); ++row) require(values[row] == expected.codes[row], "a code");
    require(text_at(*column.dictionary, 0) == "zero" && text_at(*column.dictionary, 1) == "one", "the labels");
}

// A column as a reader takes it out of its batch.
ArrowArray taken(ArrowArray& column) {
    const ArrowArray moved = column;
    column.release = nullptr;
    return moved;
}

void read_batch(Choices& choices, ArrowArray& batch, const Expected& expected) {
    require(batch.n_children == 3, "columns");
    require(batch.length == static_cast<std::int64_t>(expected.numbers.size()), "rows");
    std::vector<ArrowArray> columns;
    std::vector<bool> outlive;
    for (std::int64_t i = 0; i < 3; ++i) {
        outlive.push_back(choices.flag());
        columns.push_back(outlive.back() ? taken(*batch.children[i]) : *batch.children[i]);
    }
    const bool early = outlive[0] && outlive[1] && outlive[2];
    if (early) batch.release(&batch);
    check_numbers(columns[0], expected);
    check_texts(columns[1], expected);
    check_codes(columns[2], expected);
    for (std::size_t i = 0; i < 3; ++i)
        if (outlive[i]) columns[i].release(&columns[i]);
    if (!early) batch.release(&batch);
}

void read_schema(ArrowArrayStream& stream) {
    ArrowSchema schema;
    require(stream.get_schema(&stream, &schema) == 0, "the schema");
    require(std::strcmp(schema.format, "+s") == 0 && schema.n_children == 3, "the columns of the schema");
    require(std::strcmp(schema.children[1]->name, "texts") == 0, "a name");
    require(std::strcmp(schema.children[2]->dictionary->format, "u") == 0, "the type of labels");
    schema.release(&schema);
    require(schema.release == nullptr, "a schema that is released");
}

}  // namespace

void try_input(std::string_view bytes) {
    Choices choices(bytes);
    std::vector<ArrowBatch> batches;
    std::vector<Expected> expected;
    const std::size_t count = 1 + choices.below(4);
    while (expected.size() < count) expected.push_back(add_batch(batches, choices));
    ArrowArrayStream stream;
    export_stream(std::move(batches), &stream);
    if (choices.flag()) read_schema(stream);
    const std::size_t wanted = choices.below(count + 2);
    for (std::size_t i = 0; i < wanted; ++i) {
        ArrowArray batch;
        require(stream.get_next(&stream, &batch) == 0, "a batch");
        require((batch.release == nullptr) == (i >= count), "the end");
        if (batch.release != nullptr) read_batch(choices, batch, expected[i]);
    }
    stream.release(&stream);
    require(stream.release == nullptr, "a stream that is released");
}

}  // namespace medir::fuzz
