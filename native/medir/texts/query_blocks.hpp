// The blocks of lines of a text that belong to one query each: lines of columns, the first of which is the query id.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "lists/list_lengths.hpp"

namespace medir {

struct QueryBlock {
    std::uint64_t begin, end;  // positions in the text; the query id stands at begin
    char id_start[8];          // its first bytes, so that nobody who asks for a short one waits for the text
    std::uint32_t id_size, id_hash;
    std::uint64_t lines;
    QueryBlock* next;            // further down in the text, of the same query
    const std::uint8_t* places;  // those that were found with a block of another text, which has the same; or null

    std::string_view id(const Text& text) const {
        return {id_size <= sizeof id_start ? id_start : text.begin() + begin, id_size};
    }

    static QueryBlock of(std::string_view id, std::uint64_t begin, std::uint64_t end, std::uint64_t lines) {
        QueryBlock block{begin,          end,   {},      static_cast<std::uint32_t>(id.size()),
                         hash_bytes(id), lines, nullptr, nullptr};
        std::memcpy(block.id_start, id.data(), sizeof block.id_start);
        return block;
    }
};

// In which order ids ascend: by bytes, or shorter ones first.
struct IdOrder {
    bool by_bytes = true, by_size = true;

    // Takes two ids of which one comes behind the other.
    void add(std::string_view before, std::string_view next) {
        const bool behind = before < next;
        by_bytes = by_bytes && behind;
        by_size = by_size && (before.size() == next.size() ? behind : before.size() < next.size());
    }
    void add(const IdOrder& part) {
        by_bytes = by_bytes && part.by_bytes;
        by_size = by_size && part.by_size;
    }
    bool ascends() const { return by_bytes || by_size; }
};

// Blocks that stand together in a text.
struct QueryChunk {
    std::span<QueryBlock> blocks = {};
    IdOrder order = {};      // of their ids
    ListLengths inner = {};  // lines of all but the first and the last, which other chunks may share

    // `id` tells that of a block, by its number.
    template <class Id>
    static QueryChunk of(std::span<QueryBlock> blocks, Id id) {
        QueryChunk chunk{blocks};
        for (std::size_t i = 1; i < blocks.size(); ++i) {
            if (chunk.order.ascends()) chunk.order.add(id(i - 1), id(i));
            if (i + 1 < blocks.size()) chunk.inner.add(blocks[i].lines);
        }
        return chunk;
    }
};

// Where a text begins, behind a byte order mark.
const char* first_line(const Text& text);
// Whether a control character stands at p that has no place in text.
bool is_binary(const Text& text, const char* p);
// That a line, in which p stands, has too few columns; or that this is no text at all.
[[noreturn]] void fail_line(const Text& text, const char* p, std::size_t columns, const char* layout);

// The blocks of some lines of a text, line by line.
std::vector<QueryBlock> find_blocks(const Text& text, std::string_view lines);

class PairedBlocks;

// Finds the blocks of a text, chunk by chunk; any number of threads may take part.
class QueryBlocks {
public:
    explicit QueryBlocks(Text text) : text_(std::make_shared<const Text>(std::move(text))) {}

    const Text& text() const { return *text_; }
    // In the order of the text. A block that two chunks share stands in both.
    const std::vector<QueryChunk>& chunks() const { return chunks_; }
    // The id of a block.
    std::string_view id(const QueryBlock& block) const { return block.id(*text_); }
    // Where this is one of a pair, all of whose blocks are of the same queries in the same order: the pair. Else null.
    const void* same_queries() const;

    // Has the blocks of two runs that will be compared found together, as long as that goes, in parts of so many bytes.
    // To be called first. Throws std::system_error where a file is no longer what it was.
    static void pair(QueryBlocks& before, QueryBlocks& after, std::size_t part);

    // Takes one chunk after the other that nobody has taken yet, where less than so many threads do.
    void take_part(int most);
    // No more chunks are taken.
    void stop();
    // Takes part with so many threads, and waits for all others. Throws what is wrong with the text.
    void find(int threads);

private:
    void divide();

    const std::shared_ptr<const Text> text_;
    std::shared_ptr<PairedBlocks> pair_;  // has what the places of blocks point to
    std::size_t side_ = 0;                // of the pair
    std::once_flag divided_;
    std::vector<const char*> starts_;             // of what no pair has found, in chunks, and where the last one ends
    std::vector<std::vector<QueryBlock>> found_;  // by chunk
    std::vector<QueryChunk> chunks_;              // those of the pair first
    std::size_t paired_ = 0;                      // of them
    std::atomic<std::size_t> next_{0};            // chunk that no pair has found
    std::atomic<bool> stopped_{false};
    std::mutex guard_;
    std::condition_variable left_;
    int taking_part_ = 0;
    std::exception_ptr error_;
};

}  // namespace medir
