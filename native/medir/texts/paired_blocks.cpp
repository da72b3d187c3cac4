#include "texts/paired_blocks.hpp"

#include <algorithm>
#include <memory>
#include <new>

#include "base/bytes.hpp"
#include "base/tokens.hpp"
#include "platform/plain_lines.hpp"
#include "texts/plain_lists.hpp"

namespace medir {

namespace {

constexpr std::size_t most_uneven = 4;  // how much longer a part of one text may be than that of the other
constexpr std::size_t most_ahead = 16;  // lists, of one run, that the other may not have

std::size_t first_place(const Text& text) { return static_cast<std::size_t>(first_line(text) - text.begin()); }

}  // namespace

// A few lines of a text. The first may have begun before.
class PairedBlocks::Window {
public:
    static constexpr std::size_t widest = 32 << 10;

    Window(const Text::Copies& copies, std::size_t begin, std::size_t end) : begin_(begin), size_(end - begin) {
        copies.read(bytes_, size_, begin);
    }

    // Where a line begins with another id than the line above; with this one, unless it is empty. 0 where none does.
    std::size_t query(std::string_view wanted) {
        std::string_view above;
        const char* const end = bytes_ + size_;
        for (const char* line = next_line(bytes_, end);; line = next_line(line, end)) {
            const char* const id_end = token_end(line);
            if (id_end >= end) return 0;
            id_ = {line, static_cast<std::size_t>(id_end - line)};
            if (!above.empty() && !same_id(id_, above) && (wanted.empty() || same_id(id_, wanted)))
                return begin_ + static_cast<std::size_t>(line - bytes_);
            above = id_;
        }
    }
    // With which id it does.
    std::string_view id() const { return id_; }

private:
    const std::size_t begin_, size_;
    std::string_view id_;
    char bytes_[widest + Text::padding];
};

bool PairedBlocks::pays() { return has_lanes(); }

PairedBlocks::PairedBlocks(std::shared_ptr<const Text> before_text, std::shared_ptr<const Text> after_text,
                           std::size_t part)
    : texts_{std::move(before_text), std::move(after_text)},
      copies_{Text::Copies(*texts_[before]), Text::Copies(*texts_[after])},
      part_(part),
      at_{first_place(*texts_[before]), first_place(*texts_[after])} {}

// Finds the blocks of parts, one after the other. A thread has its own.
class PairedBlocks::Worker {
public:
    Worker(const PairedBlocks& all, Slabs& slabs) : all_(all), slabs_(slabs) {}

    // Returns whether any two lists could be compared. Throws what is wrong with the texts.
    bool find(Part& part) {
        if (take(part, before) && take(part, after)) {
            for (const Side side : {before, after}) part.chunks[side] = chunk(part, side);
            return compare(part);
        }
        for (const Side side : {before, after}) {
            const Text& text = *all_.texts_[side];
            const auto found = find_blocks(text, {text.begin() + part.begin[side], text.begin() + part.end[side]});
            const std::span blocks(slabs_.take<QueryBlock>(found.size()), found.size());
            std::uninitialized_copy(found.begin(), found.end(), blocks.begin());
            part.chunks[side] = QueryChunk::of(blocks, [&](std::size_t i) { return blocks[i].id(text); });
        }
        return true;
    }

private:
    bool take(const Part& part, Side side) {
        const std::size_t size = part.end[side] - part.begin[side];
        std::vector<char>& bytes = bytes_[side];
        if (bytes.size() < size + Text::padding) bytes.resize(size + Text::padding);
        all_.copies_[side].read(bytes.data(), size, part.begin[side]);
        return lists_[side].take({bytes.data(), size});
    }
    QueryChunk chunk(const Part& part, Side side) {
        const PlainLists& lists = lists_[side];
        const std::uint64_t first = part.begin[side];
        const std::span blocks(slabs_.take<QueryBlock>(lists.size()), lists.size());
        for (std::size_t i = 0; i < lists.size(); ++i)
            new (&blocks[i])
                QueryBlock(QueryBlock::of(lists.id(i), first + lists[i].id, first + lists[i + 1].id, lists.lines(i)));
        return QueryChunk::of(blocks, [&](std::size_t i) { return lists.id(i); });
    }
    bool compare(Part& part) {
        const PlainLists &one = lists_[before], &other = lists_[after];
        auto* const all_places = slabs_.take<std::uint8_t>(other[other.size()].line);
        std::size_t i = 0, j = 0, compared = 0;
        part.same_queries = one.size() == other.size();
        while (i < one.size() && j < other.size()) {
            if (!same_id(one.id(i), other.id(j))) {
                part.same_queries = false;
                if (!skip(i, j)) continue;
            }
            std::uint8_t* const places = all_places + other[j].line;
            if (finder_.find(one, i, other, j, places)) {
                part.chunks[before].blocks[i].places = part.chunks[after].blocks[j].places = places;
                ++compared;
            }
            ++i;
            ++j;
        }
        return compared > 0 || one.size() == 0 || other.size() == 0;
    }
    // Leaves out lists that only one of both has. False where it takes too long to find the next that both have.
    bool skip(std::size_t& i, std::size_t& j) const {
        const PlainLists &one = lists_[before], &other = lists_[after];
        for (std::size_t ahead = 1; ahead <= most_ahead; ++ahead) {
            if (i + ahead < one.size() && same_id(one.id(i + ahead), other.id(j))) {
                i += ahead;
                return true;
            }
            if (j + ahead < other.size() && same_id(one.id(i), other.id(j + ahead))) {
                j += ahead;
                return true;
            }
        }
        ++i;
        ++j;
        return false;
    }

    const PairedBlocks& all_;
    Slabs& slabs_;
    OfBoth<std::vector<char>> bytes_;
    OfBoth<PlainLists> lists_;
    PlaceFinder finder_;
};

void PairedBlocks::find(int most) {
    std::unique_lock lock(guard_);
    if (taking_part_ < most) {
        Slabs& slabs = slabs_.emplace_back();
        ++taking_part_;
        lock.unlock();
        try {
            Worker worker(*this, slabs);
            while (Part* const part = next()) {
                if (!worker.find(*part)) stop();
                part->done = true;
            }
        } catch (...) {  // whoever reads on finds what is wrong
            stop();
        }
        lock.lock();
        --taking_part_;
        left_.notify_all();
    }
    left_.wait(lock, [&] { return taking_part_ == 0; });
}

void PairedBlocks::stop() {
    const std::scoped_lock lock(guard_);
    stopped_ = true;
}

PairedBlocks::Part* PairedBlocks::next() {
    const std::scoped_lock lock(guard_);
    Places ends;
    if (stopped_ || !cut(ends)) return nullptr;
    Part& part = parts_.emplace_back(Part{at_, ends});
    at_ = ends;
    return &part;
}

// Where the next part ends in both texts: before the lines of the same query. False where no part is left.
bool PairedBlocks::cut(Places& ends) const {
    const Places sizes{texts_[before]->size(), texts_[after]->size()};
    const Places left{sizes[before] - at_[before], sizes[after] - at_[after]};
    const std::size_t both = left[before] + left[after];
    if (both == 0 || std::max(left[before], left[after]) / most_uneven > std::min(left[before], left[after]))
        return false;
    if (both <= 2 * part_) {
        ends = sizes;
        return true;
    }
    const double share = static_cast<double>(left[before]) / static_cast<double>(both);
    const auto of_before = static_cast<std::size_t>(share * static_cast<double>(part_));
    const Places likely{at_[before] + of_before, at_[after] + part_ - of_before};
    for (std::size_t size = Window::widest / 16; size <= Window::widest; size *= 4) {
        Window window(copies_[before], likely[before], std::min(likely[before] + size, sizes[before]));
        ends[before] = window.query({});
        if (ends[before] == 0) continue;
        Window other(copies_[after], likely[after] - std::min(size / 2, likely[after] - at_[after]),
                     std::min(likely[after] + size / 2, sizes[after]));
        ends[after] = other.query(window.id());
        if (ends[after] != 0) return true;
    }
    return false;
}

bool PairedBlocks::has_same_queries() {
    const std::scoped_lock lock(guard_);
    return at_ == Places{texts_[before]->size(), texts_[after]->size()} &&
           std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.done && part.same_queries; });
}

PairedBlocks::Found PairedBlocks::found(Side side) {
    const std::scoped_lock lock(guard_);
    Found found{{}, first_line(*texts_[side])};
    for (const Part& part : parts_) {
        if (!part.done) break;
        found.chunks.push_back(part.chunks[side]);
        found.rest = texts_[side]->begin() + part.end[side];
    }
    return found;
}

}  // namespace medir
