// Batches of random columns, handed over as a stream and read as any reader of Arrow may: columns are taken out of
// their batch and outlive it, and streams are dropped half-way. Built with sanitizers, which find what is freed twice
// or never.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/arrow_columns.hpp"

using namespace medir;

namespace {

void check(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "wrong: %s\n", what);
    std::abort();
}

using Texts = std::vector<std::optional<std::string>>;

struct Expected {
    std::vector<double> numbers;
    Texts texts;
    std::vector<std::int32_t> codes;
};

class Fuzzer {
public:
    explicit Fuzzer(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

    Expected add_batch(std::vector<ArrowBatch>& batches) {
        const std::size_t rows = below(20);
        Expected expected;
        ArrowTexts texts("texts");
        while (expected.texts.size() < rows) {
            std::optional<std::string> text;
            if (below(4) > 0) text = std::string(below(9), static_cast<char>('a' + below(26)));
            const std::size_t times = 1 + below(rows - expected.texts.size());
            texts.add(text, times);
            for (std::size_t i = 0; i < times; ++i) expected.texts.push_back(text);
        }
        for (std::size_t i = 0; i < rows; ++i) {
            const bool is_missing = below(3) == 0;
            expected.numbers.push_back(is_missing ? std::nan("") : static_cast<double>(below(100)));
            expected.codes.push_back(static_cast<std::int32_t>(below(2)));
        }
        ArrowBatch batch(rows);
        batch.add(arrow_floats("numbers", expected.numbers.data(), rows));
        batch.add(std::move(texts).take());
        batch.add(arrow_codes("codes", expected.codes.data(), rows, {"zero", "one"}));
        batches.push_back(batch);
        return expected;
    }

private:
    std::mt19937 random_;
};

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
        check(is_present(column, row) == known, "a missing number");
        if (known) check(values[row] == expected.numbers[row], "a number");
        missing += !known;
    }
    check(column.null_count == missing, "how many numbers are missing");
}

void check_texts(const ArrowArray& column, const Expected& expected) {
    for (std::size_t row = 0; row < expected.texts.size(); ++row) {
        check(is_present(column, row) == expected.texts[row].has_value(), "a missing text");
        check(text_at(column, row) == expected.texts[row].value_or(""), "a text");
    }
}

void check_codes(const ArrowArray& column, const Expected& expected) {
    const auto* values = static_cast<const std::int32_t*>(column.buffers[1]);
    for (std::size_t row = 0; row < expected.codes.size(); ++row) check(values[row] == expected.codes[row], "a code");
    check(text_at(*column.dictionary, 0) == "zero" && text_at(*column.dictionary, 1) == "one", "the labels");
}

// A column as a reader takes it out of its batch.
ArrowArray taken(ArrowArray& column) {
    const ArrowArray moved = column;
    column.release = nullptr;
    return moved;
}

void read_batch(Fuzzer& fuzzer, ArrowArray& batch, const Expected& expected) {
    check(batch.n_children == 3, "columns");
    check(batch.length == static_cast<std::int64_t>(expected.numbers.size()), "rows");
    std::vector<ArrowArray> columns;
    std::vector<bool> outlive;
    for (std::int64_t i = 0; i < 3; ++i) {
        outlive.push_back(fuzzer.below(2) == 0);
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
    check(stream.get_schema(&stream, &schema) == 0, "the schema");
    check(std::strcmp(schema.format, "+s") == 0 && schema.n_children == 3, "the columns of the schema");
    check(std::strcmp(schema.children[1]->name, "texts") == 0, "a name");
    check(std::strcmp(schema.children[2]->dictionary->format, "u") == 0, "the type of labels");
    schema.release(&schema);
    check(schema.release == nullptr, "a schema that is released");
}

void try_one(Fuzzer& fuzzer) {
    std::vector<ArrowBatch> batches;
    std::vector<Expected> expected;
    const std::size_t count = 1 + fuzzer.below(4);
    while (expected.size() < count) expected.push_back(fuzzer.add_batch(batches));
    ArrowArrayStream stream;
    export_stream(std::move(batches), &stream);
    if (fuzzer.below(2) == 0) read_schema(stream);
    const std::size_t wanted = fuzzer.below(count + 2);
    for (std::size_t i = 0; i < wanted; ++i) {
        ArrowArray batch;
        check(stream.get_next(&stream, &batch) == 0, "a batch");
        check((batch.release == nullptr) == (i >= count), "the end");
        if (batch.release != nullptr) read_batch(fuzzer, batch, expected[i]);
    }
    stream.release(&stream);
    check(stream.release == nullptr, "a stream that is released");
}

}  // namespace

int main(int argc, char** argv) {
    const int streams = argc > 1 ? std::atoi(argv[1]) : 1000;
    Fuzzer fuzzer(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1);
    for (int i = 0; i < streams; ++i) try_one(fuzzer);
    std::printf("%d streams\n", streams);
}
