// The blocks of two runs, found together: where both have the same queries in the same order, each part of one is
// looked at with the part of the other that holds the same queries, and where documents stand in both lists is found on
// the way. So the texts are read once, and no list is read again that only ranks are asked of.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/slabs.hpp"
#include "base/text.hpp"
#include "texts/query_blocks.hpp"

namespace medir {

class PairedBlocks {
public:
    enum Side : std::size_t { before, after };

    // Whether this processor gains by it.
    static bool pays();

    static constexpr std::size_t usual_part = 384 << 10;  // bytes: of both texts, they stay in the cache of a core

    // Throws std::system_error where a file is no longer what it was.
    PairedBlocks(std::shared_ptr<const Text> before_text, std::shared_ptr<const Text> after_text, std::size_t part);

    // Takes part, as long as less than so many threads do; then waits for all of them.
    void find(int most);
    // No more parts are taken.
    void stop();

    // What was found of a text, once all is done: blocks in the order of the text, and where the rest of it begins.
    struct Found {
        std::vector<QueryChunk> chunks;
        const char* rest;
    };
    Found found(Side side);
    // Whether all blocks of both texts are of the same queries in the same order.
    bool has_same_queries();

private:
    class Worker;
    class Window;
    template <class Each>
    using OfBoth = std::array<Each, 2>;
    using Places = OfBoth<std::size_t>;  // in both texts

    struct Part {
        Places begin, end;
        OfBoth<QueryChunk> chunks = {};
        bool same_queries = false;  // in the same order
        bool done = false;
    };

    // The next part; null where no more is left that has the same queries in both texts.
    Part* next();
    bool cut(Places& ends) const;

    const OfBoth<std::shared_ptr<const Text>> texts_;
    const OfBoth<Text::Copies> copies_;
    const std::size_t part_;  // bytes
    std::mutex guard_;
    std::condition_variable left_;
    int taking_part_ = 0;
    bool stopped_ = false;
    Places at_;
    std::deque<Part> parts_;
    std::deque<Slabs> slabs_;  // of those who took part
};

}  // namespace medir
