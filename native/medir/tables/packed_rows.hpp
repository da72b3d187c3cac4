// Rows in as few bytes as they need, one behind the other: what is kept of a batch whose memory its producer gets back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "lists/entry.hpp"
#include "tables/arrow_column.hpp"

namespace medir {

// Room for packed rows, with bytes behind it that can be read.
class PackedBytes {
public:
    explicit PackedBytes(std::size_t size) : bytes_(new char[size + margin]), size_(size) {
        std::memset(bytes_.get() + size, 0, margin);
    }

    char* data() { return bytes_.get(); }
    const char* data() const { return bytes_.get(); }
    std::size_t size() const { return size_; }

private:
    static constexpr std::size_t margin = 7;

    std::unique_ptr<char[]> bytes_;
    std::size_t size_;
};

// Of an entry whose id is a number.
inline NumberKind number_kind(const Entry& entry) { return static_cast<NumberKind>(entry.size - Entry::numbers); }

class PackedWriter {
public:
    void clear() { size_ = 0; }
    std::size_t size() const { return size_; }
    const char* data() const { return bytes_.data(); }

    // Of a text behind which seven bytes can be read.
    void text(std::string_view bytes) {
        make_room(bytes.size());
        std::size_t rest = bytes.size();
        for (; rest >= 0x80; rest >>= 7) bytes_[size_++] = static_cast<char>(rest | 0x80);
        bytes_[size_++] = static_cast<char>(rest);
        for (std::size_t i = 0; i < bytes.size(); i += 8) std::memcpy(&bytes_[size_ + i], bytes.data() + i, 8);
        size_ += bytes.size();
    }
    void number(const Entry& entry) {
        make_room(0);
        const NumberKind kind = number_kind(entry);
        bytes_[size_++] = static_cast<char>(kind);
        std::memcpy(&bytes_[size_], entry.data, size_of(kind));
        size_ += size_of(kind);
    }
    template <class Value>
    void value(Value value) {
        make_room(0);
        std::memcpy(&bytes_[size_], &value, sizeof value);
        size_ += sizeof value;
    }

    // Writes a value again that was written before.
    template <class Value>
    void overwrite(std::size_t at, Value value) {
        std::memcpy(&bytes_[at], &value, sizeof value);
    }

    // All that was written.
    PackedBytes copy() const {
        PackedBytes copied(size_);
        if (size_ > 0) std::memcpy(copied.data(), bytes_.data(), size_);
        return copied;
    }

private:
    static constexpr std::size_t most_around = 32;  // bytes: a size, a number, and what a word is too long

    void make_room(std::size_t bytes) {
        if (bytes_.size() - size_ < bytes + most_around) [[unlikely]]
            bytes_.resize(2 * bytes_.size() + bytes + most_around);
    }

    std::vector<char> bytes_;
    std::size_t size_ = 0;
};

// Reads what a writer wrote, in the same order.
class PackedReader {
public:
    explicit PackedReader(const char* at) : at_(at) {}

    std::string_view text() {
        std::size_t size = 0;
        int shift = 0;
        for (; (*at_ & 0x80) != 0; shift += 7) size |= static_cast<std::size_t>(*at_++ & 0x7f) << shift;
        size |= static_cast<std::size_t>(*at_++) << shift;
        const char* const begin = at_;
        at_ += size;
        return {begin, size};
    }
    Entry number() {
        const auto kind = static_cast<NumberKind>(*at_++);
        const char* const begin = at_;
        at_ += size_of(kind);
        return Entry::number(begin, kind, 0);
    }
    template <class Value>
    Value value() {
        Value value;
        std::memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }

private:
    const char* at_;
};

}  // namespace medir
