#include "tables/arrow_table.hpp"

#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

namespace medir {

// Releases a stream at the end of a scope.
class ArrowTable::Stream {
public:
    explicit Stream(ArrowArrayStream& stream) : stream_(std::exchange(stream, {})) {}
    Stream(const Stream&) = delete;
    ~Stream() {
        if (stream_.release != nullptr) stream_.release(&stream_);
    }
    ArrowArrayStream* get() { return &stream_; }
    // What the producer says that is wrong.
    InputError error(const std::string& name, int code) {
        if (code == ENOMEM) throw std::bad_alloc();
        const char* message = stream_.get_last_error(&stream_);
        const std::string problem = message == nullptr ? std::generic_category().message(code) : message;
        return InputError(name, 0, "", "cannot be read: " + problem, "");
    }

private:
    ArrowArrayStream stream_;
};

namespace {

bool same_types(const ArrowSchema& one, const ArrowSchema& other) {
    if (std::strcmp(one.format, other.format) != 0 || one.n_children != other.n_children) return false;
    if ((one.dictionary == nullptr) != (other.dictionary == nullptr)) return false;
    if (one.dictionary != nullptr && !same_types(*one.dictionary, *other.dictionary)) return false;
    for (std::int64_t i = 0; i < one.n_children; ++i)
        if (!same_types(*one.children[i], *other.children[i])) return false;
    return true;
}

}  // namespace

ArrowTable::ArrowTable(std::string name, ArrowArrayStream& source) : name_(std::move(name)) {
    Stream stream(source);
    if (stream.get()->release == nullptr)
        throw InputError(name_, 0, "", "was read already", "Give a table, or a stream that nobody has read.");
    try {
        if (const int code = stream.get()->get_schema(stream.get(), &schema_)) throw stream.error(name_, code);
        check_schema();
        read(stream);
    } catch (...) {
        release();
        throw;
    }
}

void ArrowTable::add(ArrowArrayStream& source) {
    Stream stream(source);
    ArrowSchema schema{};
    if (const int code = stream.get()->get_schema(stream.get(), &schema)) throw stream.error(name_, code);
    const bool fits = same_types(schema, schema_);
    schema.release(&schema);
    if (!fits)
        throw InputError(name_, 0, "", "has parts with other columns than the first",
                         "Give parts of the same columns.");
    read(stream);
}

void ArrowTable::read(Stream& stream) {
    while (true) {
        ArrowArray batch{};
        if (const int code = stream.get()->get_next(stream.get(), &batch)) throw stream.error(name_, code);
        if (batch.release == nullptr) break;
        add(batch);
    }
}

ArrowTable::ArrowTable(std::string name, ArrowSchema& schema, ArrowArray& array)
    : name_(std::move(name)), schema_(std::exchange(schema, {})) {
    try {
        add(std::exchange(array, {}));
        check_schema();
    } catch (...) {
        release();
        throw;
    }
}

ArrowTable::~ArrowTable() { release(); }

void ArrowTable::release_batches() {
    for (ArrowArray& batch : batches_)
        if (batch.release != nullptr) batch.release(&batch);
    batches_.clear();
    starts_.clear();
}

void ArrowTable::release() {
    release_batches();
    if (schema_.release != nullptr) schema_.release(&schema_);
}

void ArrowTable::check_schema() {
    if (std::string_view(schema_.format) != "+s")
        throw InputError(name_, 0, "", "is a column of " + ArrowType(schema_).name + " and no table",
                         "Give a table with a column of queries and one of documents.");
    for (std::int64_t i = 0; i < schema_.n_children; ++i) types_.emplace_back(*schema_.children[i]);
}

// Takes over a batch, and releases it where there is no room for it.
void ArrowTable::add(ArrowArray batch) {
    try {
        starts_.push_back(rows_);
        batches_.push_back(batch);
    } catch (...) {
        starts_.resize(batches_.size());
        if (batch.release != nullptr) batch.release(&batch);
        throw;
    }
    rows_ += static_cast<std::size_t>(batch.length);
}

std::string ArrowTable::column_name(std::size_t column) const {
    const char* name = schema_.children[column]->name;
    return name == nullptr ? "" : name;
}

ArrowType ArrowTable::element_type(std::size_t column) const {
    const ArrowSchema& schema = *schema_.children[column];
    return types_[column].is_list() && schema.n_children == 1 ? ArrowType(*schema.children[0]) : types_[column];
}

ArrowColumn ArrowTable::part(std::size_t column, std::size_t batch) const {
    const ArrowArray& rows = batches_[batch];
    return ArrowColumn(*schema_.children[column], *rows.children[column], static_cast<std::size_t>(rows.offset),
                       static_cast<std::size_t>(rows.length));
}

InputError ArrowTable::error(std::size_t row, std::string problem, std::string remedy) const {
    return InputError(name_, 0, "row " + std::to_string(row + 1), std::move(problem), std::move(remedy));
}

InputError ArrowTable::null_error(std::size_t row, std::size_t column) const {
    return error(row, "the column '" + column_name(column) + "' has a null", "Fill it in, or remove the row.");
}

void ArrowTable::require(std::size_t column, bool holds, const char* expected) const {
    if (holds) return;
    throw InputError(
        name_, 0, "",
        "the column '" + column_name(column) + "' holds " + type(column).name + " where " + expected + " expected",
        "Convert the column, or name another one: columns={\"query_id\": ..., \"doc_id\": ...} "
        "(--columns query_id=...,doc_id=...).");
}

}  // namespace medir
