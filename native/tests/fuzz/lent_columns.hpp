// Columns of Arrow as another library lends them: each buffer has exactly the bytes that it needs, so that a sanitizer
// sees every byte read behind it, and everything that is handed over must be released, once.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/arrow.hpp"
#include "harness.hpp"

namespace medir::fuzz {

struct LentColumn {
    std::string format, name;
    std::int64_t length = 0, missing = 0, offset = 0;
    std::vector<std::unique_ptr<char[]>> buffers;  // a null pointer for one that is not there
    std::vector<std::shared_ptr<LentColumn>> children;
    std::shared_ptr<LentColumn> dictionary;

    template <class Value>
    void add(const std::vector<Value>& values) {
        const std::size_t size = values.size() * sizeof(Value);
        auto& buffer = buffers.emplace_back(size == 0 ? nullptr : new char[size]);
        if (size > 0) std::memcpy(buffer.get(), values.data(), size);
    }
    void add_nothing() { buffers.emplace_back(); }

    inline static long lent = 0;  // what is not released yet
};

// What a structure that is handed over holds on to.
template <class Struct>
struct Loan {
    std::shared_ptr<LentColumn> column;
    std::vector<Struct> children;
    std::vector<Struct*> pointers;
    std::vector<const void*> buffers;
    Struct dictionary{};

    static void release(Struct* lent) {
        std::unique_ptr<Loan> loan(static_cast<Loan*>(lent->private_data));
        for (Struct& child : loan->children)
            if (child.release != nullptr) child.release(&child);
        if (loan->dictionary.release != nullptr) loan->dictionary.release(&loan->dictionary);
        lent->release = nullptr;
        --LentColumn::lent;
    }
};

template <class Struct>
Struct lend(const std::shared_ptr<LentColumn>& column) {
    auto loan = std::make_unique<Loan<Struct>>();
    loan->column = column;
    for (const auto& child : column->children) loan->children.push_back(lend<Struct>(child));
    for (Struct& child : loan->children) loan->pointers.push_back(&child);
    Struct lent{};
    lent.n_children = static_cast<std::int64_t>(loan->children.size());
    lent.children = loan->pointers.data();
    if (column->dictionary) {
        loan->dictionary = lend<Struct>(column->dictionary);
        lent.dictionary = &loan->dictionary;
    }
    if constexpr (std::is_same_v<Struct, ArrowSchema>) {
        lent.format = column->format.c_str();
        lent.name = column->name.c_str();
    } else {
        for (const auto& buffer : column->buffers) loan->buffers.push_back(buffer.get());
        lent.length = column->length;
        lent.null_count = column->missing;
        lent.offset = column->offset;
        lent.n_buffers = static_cast<std::int64_t>(loan->buffers.size());
        lent.buffers = loan->buffers.data();
    }
    lent.release = Loan<Struct>::release;
    lent.private_data = loan.release();
    ++LentColumn::lent;
    return lent;
}

// A stream of batches, which all have the columns of the first; it may fail before its end.
struct LentStream {
    std::vector<std::shared_ptr<LentColumn>> batches;
    std::size_t next = 0, fails_at;

    static ArrowArrayStream lend_all(std::vector<std::shared_ptr<LentColumn>> batches, std::size_t fails_at) {
        ++LentColumn::lent;
        return {get_schema, get_next, get_last_error, release, new LentStream{std::move(batches), 0, fails_at}};
    }

private:
    static LentStream& self(ArrowArrayStream* stream) { return *static_cast<LentStream*>(stream->private_data); }
    static int get_schema(ArrowArrayStream* stream, ArrowSchema* schema) {
        *schema = lend<ArrowSchema>(self(stream).batches.front());
        return 0;
    }
    static int get_next(ArrowArrayStream* stream, ArrowArray* array) {
        LentStream& all = self(stream);
        *array = {};
        if (all.next == all.fails_at) return 5;
        if (all.next < all.batches.size()) *array = lend<ArrowArray>(all.batches[all.next++]);
        return 0;
    }
    static const char* get_last_error(ArrowArrayStream*) { return nullptr; }
    static void release(ArrowArrayStream* stream) {
        delete &self(stream);
        stream->release = nullptr;
        --LentColumn::lent;
    }
};

}  // namespace medir::fuzz
