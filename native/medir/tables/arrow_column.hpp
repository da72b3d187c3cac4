// A column of a batch of Arrow, read where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/arrow.hpp"
#include "lists/entry.hpp"

namespace medir {

enum class ColumnKind : std::uint8_t {
    text,        // offsets of 32 bits
    large_text,  // offsets of 64 bits
    text_view,
    fixed_text,  // as many bytes in every row
    whole,
    half,
    single,
    real,
    decimal,
    boolean,
    list,
    large_list,
    list_view,
    large_list_view,
    fixed_list,
    nothing,  // a column of nulls
    unknown
};

constexpr std::size_t size_of(NumberKind kind) { return std::size_t{1} << (static_cast<std::size_t>(kind) / 2); }

class ArrowType {
public:
    explicit ArrowType(const ArrowSchema& schema);

    ColumnKind kind = ColumnKind::unknown;
    NumberKind number = NumberKind::i64;  // of whole numbers, and of the codes of a dictionary
    bool encoded = false;                 // by a dictionary, of whose values `kind` speaks
    std::size_t width = 0;                // of fixed lists and texts: elements; of decimals: bytes
    int scale = 0;                        // of decimals: digits behind the point
    std::string name;                     // for people

    bool is_text() const { return kind <= ColumnKind::fixed_text; }
    bool is_number() const { return kind >= ColumnKind::whole && kind <= ColumnKind::boolean; }
    bool is_list() const { return kind >= ColumnKind::list && kind <= ColumnKind::fixed_list; }
    bool is_id() const { return is_text() || kind == ColumnKind::whole; }
};

class ArrowColumn {
public:
    // `skipped` rows of the array come before the first, as in the struct that it is a child of.
    ArrowColumn(const ArrowSchema& schema, const ArrowArray& array, std::size_t skipped, std::size_t rows);

    const ArrowType& type() const { return type_; }
    std::size_t size() const { return size_; }
    bool is_null(std::size_t row) const;
    // The first null of some rows; `last` where there is none.
    std::size_t first_null(std::size_t first, std::size_t last) const;

    // Of texts. At least seven bytes behind can be read.
    std::string_view text(std::size_t row) const;
    // Where a whole number is.
    const char* whole(std::size_t row) const { return values_ + row * number_size_; }
    // Of numbers, and of texts that are one; NaN for others.
    double number(std::size_t row) const;
    // Of texts and whole numbers: the id in a row, and a value beside it.
    Entry entry(std::size_t row, double value) const {
        if (dictionary_ != nullptr) return dictionary_->entry(code(row), value);
        if (type_.kind == ColumnKind::whole) return Entry::number(whole(row), type_.number, value);
        const std::string_view id = text(row);
        return {id.data(), value, static_cast<std::uint32_t>(id.size()), hash_bytes(id)};
    }
    std::string id(std::size_t row) const { return entry(row, 0).document(); }
    // Whether two rows have the same id; they may have where this is false.
    bool same_id(std::size_t row, std::size_t other) const {
        if (number_size_ != sizeof(std::uint32_t)) return same_text_or_number(row, other);
        std::uint32_t one, two;  // codes of a dictionary, mostly
        std::memcpy(&one, whole(row), sizeof one);
        std::memcpy(&two, whole(other), sizeof two);
        return one == two;
    }

    struct Range {
        std::size_t first, last;
    };
    // Of lists: which elements of `elements()` a row holds.
    Range list(std::size_t row) const;
    const ArrowColumn& elements() const { return *elements_; }

private:
    bool same_text_or_number(std::size_t row, std::size_t other) const;
    std::size_t code(std::size_t row) const;
    std::string_view view(std::size_t row) const;
    double decimal(std::size_t row) const;
    void keep_tail(std::size_t rows);
    void keep_tail_of_views(std::size_t buffers);
    std::string_view long_text(std::string_view text) const;
    template <class Offset>
    Offset offset(std::size_t row) const;

    ArrowType type_;
    std::size_t size_;
    const std::uint8_t* valid_ = nullptr;
    std::size_t first_ = 0;           // rows of the array before the first of this column
    const char* values_ = nullptr;    // what each row has: a number, or where its text or list begins
    const char* bytes_ = nullptr;     // of texts
    const char* sizes_ = nullptr;     // of list views, and of the buffers of text views
    const void** buffers_ = nullptr;  // of text views, from the third on
    std::size_t number_size_ = 0;
    // Texts so near to the end of their memory that a word cannot be read there, copied.
    std::size_t tail_ = 0;  // the first row of them
    std::uint64_t tail_offset_ = 0;
    std::vector<char> tail_bytes_;
    std::vector<std::vector<char>> view_tails_;  // the ends of the buffers of text views
    // Long texts at the end of a buffer, by where they are there.
    struct LongTexts {
        std::mutex guard;
        std::map<const char*, std::string> by_place;
    };
    std::unique_ptr<LongTexts> long_texts_ = std::make_unique<LongTexts>();
    std::unique_ptr<ArrowColumn> dictionary_, elements_;
};

}  // namespace medir
