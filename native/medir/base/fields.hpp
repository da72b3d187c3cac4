// Rows as text: their fields, and how many threads write them in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "platform/portable.hpp"

namespace medir {

enum class RowFormat { csv, tsv, jsonl };

// How rows are written. For spreadsheets, delimited texts that these would run as formulas are marked as texts.
struct RowLayout {
    RowFormat format;
    bool spreadsheet = false;

    bool is_json() const { return format == RowFormat::jsonl; }
    char delimiter() const { return format == RowFormat::tsv ? '\t' : ','; }
};

// The shortest digits that read back as the same number. Neighbours are often equal, or zero: the last text of another
// number is kept.
class Number {
public:
    static constexpr std::size_t room = 32;  // bytes that can be read from where a text begins

    std::string_view text(double value) {
        if (value == 0) return {zero_, 1};
        if (value != value_) {
            value_ = value;
            size_ = static_cast<std::size_t>(to_chars(digits_, digits_ + sizeof digits_, value).ptr - digits_);
        }
        return {digits_, size_};
    }

private:
    double value_ = 0;
    std::size_t size_ = 0;
    char digits_[room] = {};
    static constexpr char zero_[room] = "0";
};

// Text that grows at its end. Where there is room, short fields are put one behind the other without asking again.
class GrowingText {
public:
    void clear() { size_ = 0; }
    operator std::string_view() const { return {bytes_.get(), size_}; }
    // The end, behind which so many bytes can be written.
    char* end(std::size_t room) {
        if (capacity_ - size_ < room) grow(room);
        return bytes_.get() + size_;
    }
    void end_at(const char* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }

private:
    void grow(std::size_t room);

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0, capacity_ = 0;
};

// Whether a text stands in delimited text as it is.
bool is_plain_field(std::string_view text, const RowLayout& layout);
// Quoted as RFC 4180 has it, where the text would otherwise be taken apart. A formula gets quotes and an apostrophe.
void append_field(std::string& out, std::string_view text, const RowLayout& layout);
// JSON is UTF-8: a byte that is not becomes the text \xNN, as Python's backslashreplace shows it.
void append_json(std::string& out, std::string_view text);
// The same escapes, in text without quotes.
void append_text(std::string& out, std::string_view text);

using Sink = std::function<void(std::string_view)>;

// Calls append(row, text) for every row and hands the text to `sink` piece by piece, in order.
template <class Text = std::string, class Append>
void write_in_order(std::size_t rows, int threads, const Sink& sink, Append append) {
    std::mutex guard;
    std::condition_variable turn;
    std::size_t written = 0;
    bool failed = false;
    // While one thread hands over its piece, the others go on with theirs.
    struct alignas(cache_line) Piece {
        Text text;
    };
    std::vector<Piece> pieces(static_cast<std::size_t>(threads));
    parallel_blocks(rows, 4096, threads, nullptr, [&](std::size_t first, std::size_t last, int thread) {
        Text& text = pieces[static_cast<std::size_t>(thread)].text;
        try {
            text.clear();
            for (std::size_t row = first; row < last; ++row) append(row, text);
            std::unique_lock lock(guard);
            turn.wait(lock, [&] { return failed || written == first; });
            if (failed) return;
            sink(text);
            written = last;
            turn.notify_all();
        } catch (...) {  // the others must not wait for this piece
            const std::scoped_lock lock(guard);
            failed = true;
            turn.notify_all();
            throw;
        }
    });
}

}  // namespace medir
