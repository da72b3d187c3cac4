// The blocks of lines of a text that belong to one query each: lines of columns, the first of which is the query id.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace medir {

struct QueryBlock {
    std::uint64_t begin, end;  // positions in the text; the query id stands at begin
    char id_start[8];          // its first bytes, so that nobody who asks for a short one waits for the text
    std::uint32_t id_size, id_hash;
    std::uint64_t lines;
    QueryBlock* next;  // further down in the text, of the same query
};

// Where a text begins, behind a byte order mark.
const char* first_line(const Text& text);
// Whether a control character stands at p that has no place in text.
bool is_binary(const Text& text, const char* p);
// That a line, in which p stands, has too few columns; or that this is no text at all.
[[noreturn]] void fail_line(const Text& text, const char* p, std::size_t columns, const char* layout);

// Finds the blocks of a text, chunk by chunk; any number of threads may take part.
class QueryBlocks {
public:
    explicit QueryBlocks(Text text);

    const Text& text() const { return text_; }
    // In the order of the text. A block that two chunks share stands in both.
    std::vector<std::vector<QueryBlock>>& chunks() { return chunks_; }

    // Takes one chunk after the other that nobody has taken yet.
    void take_part();
    // No more chunks are taken.
    void stop() { next_ = chunks_.size(); }
    // Takes part with so many threads, and waits for all others. Throws what is wrong with the text.
    void find(int threads);

private:
    class Scanner;
    std::vector<QueryBlock> scan(const char* begin, const char* end) const;

    Text text_;
    std::vector<const char*> starts_;  // of chunks, and where the last one ends
    std::vector<std::vector<QueryBlock>> chunks_;
    std::atomic<std::size_t> next_{0};
    std::mutex guard_;
    std::condition_variable left_;
    int taking_part_ = 0;
    std::exception_ptr error_;
};

}  // namespace medir
