#include "texts/query_blocks.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/parallel.hpp"
#include "base/tokens.hpp"
#include "platform/masks.hpp"
#include "texts/paired_blocks.hpp"

namespace medir {

namespace {

constexpr std::size_t usual_chunk = 1 << 20;  // bytes

}  // namespace

const char* first_line(const Text& text) {
    const bool marked = text.size() >= 3 && std::memcmp(text.begin(), "\xef\xbb\xbf", 3) == 0;  // byte order mark
    return text.begin() + (marked ? 3 : 0);
}

bool is_binary(const Text& text, const char* p) {
    return p < text.end() && static_cast<unsigned char>(*p) < 0x20 && *p != '\n' && !is_blank(*p);
}

void fail_line(const Text& text, const char* p, std::size_t columns, const char* layout) {
    if (is_binary(text, p)) {
        char code[8];
        std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned char>(*p));
        text.check();
        throw InputError(text.name(), text.line_number(p), "",
                         std::string("binary data (byte ") + code + ") where text was expected",
                         "Give a text file, or one compressed with gzip, bzip2, xz or zstd.");
    }
    throw text.error(p - 1, "expected " + std::string(layout) + ", found " + std::to_string(columns),
                     "Complete the line or remove it.");
}

void QueryBlocks::pair(QueryBlocks& before, QueryBlocks& after, std::size_t part) {
    if (!PairedBlocks::pays()) return;
    before.pair_ = after.pair_ = std::make_shared<PairedBlocks>(before.text_, after.text_, part);
    after.side_ = PairedBlocks::after;
}

// What no pair has found, in chunks.
void QueryBlocks::divide() {
    const char* begin = first_line(*text_);
    if (pair_ != nullptr) {
        auto found = pair_->found(static_cast<PairedBlocks::Side>(side_));
        chunks_ = std::move(found.chunks);
        begin = found.rest;
    }
    paired_ = chunks_.size();
    const auto size = static_cast<std::size_t>(text_->end() - begin);
    const std::size_t count = std::clamp<std::size_t>(size / usual_chunk, 1, 4096);
    starts_.push_back(begin);
    for (std::size_t i = 1; i < count; ++i)
        starts_.push_back(next_line(std::max(begin + size / count * i, starts_.back()), text_->end()));
    starts_.push_back(text_->end());
    found_.resize(count);
    chunks_.resize(paired_ + count);
}

void QueryBlocks::take_part(int most) {
    {
        const std::scoped_lock lock(guard_);
        ++taking_part_;
    }
    try {
        if (pair_ != nullptr) pair_->find(most);
        std::call_once(divided_, [&] { divide(); });
        for (std::size_t i; !stopped_ && (i = next_.fetch_add(1)) < found_.size();) {
            found_[i] = find_blocks(*text_, {starts_[i], starts_[i + 1]});
            chunks_[paired_ + i] = QueryChunk::of(found_[i], [&](std::size_t block) { return id(found_[i][block]); });
        }
    } catch (...) {
        stop();
        const std::scoped_lock lock(guard_);
        if (!error_) error_ = std::current_exception();
    }
    const std::scoped_lock lock(guard_);
    --taking_part_;
    left_.notify_all();
}

const void* QueryBlocks::same_queries() const {
    return pair_ != nullptr && pair_->has_same_queries() ? pair_.get() : nullptr;
}

void QueryBlocks::stop() {
    stopped_ = true;
    if (pair_ != nullptr) pair_->stop();
}

void QueryBlocks::find(int threads) {
    const std::size_t most = std::max<std::size_t>(text_->size() / usual_chunk, 1);
    const auto usable = static_cast<int>(std::min(static_cast<std::size_t>(threads), most));
    {
        const Threads others(usable - 1, [&](int) { take_part(threads); });
        take_part(threads);
    }
    std::unique_lock lock(guard_);
    left_.wait(lock, [&] { return taking_part_ == 0; });
    if (error_) std::rethrow_exception(error_);
}

namespace {

// Finds blocks, line by line.
class Scanner {
public:
    Scanner(const Text& text, const char* end) : text_(text), end_(end) {}

    // Most lines begin with the query id of the line above and the same blank behind it.
    MEDIR_ALWAYS_INLINE void begin_line(const char* p) {
        if (p >= end_) return;  // it is in the next chunk
        const std::uint64_t differ = (load_word(p) ^ first_) | (load_word(p + second_at_) ^ second_);
        if ((differ & mask_) == 0 && (size_ <= 16 || begins_with(p + 16, end_, {id_ + 16, size_ - 16}))) [[likely]]
            ++blocks_.back().lines;
        else
            begin_other_line(p);
    }
    std::vector<QueryBlock> blocks() {
        if (!blocks_.empty()) blocks_.back().end = position(end_);
        return std::move(blocks_);
    }

private:
    std::uint64_t position(const char* p) const { return static_cast<std::uint64_t>(p - text_.begin()); }

    void begin_other_line(const char* p) {
        const char* const first = skip_blanks(p);
        const char* const last = token_end(first);
        if (first >= end_ || *first == '\n' || *first == '#') return;
        if (first == last) fail_line(text_, first, 0, "text");
        const std::string_view id(first, static_cast<std::size_t>(last - first));
        if (id.size() + 1 == size_ && same_bytes(first, id_, id.size())) {
            ++blocks_.back().lines;
            return;
        }
        if (!blocks_.empty()) blocks_.back().end = position(p);
        if (blocks_.size() == first_blocks) reserve(p);
        blocks_.push_back(QueryBlock::of(id, position(first), 0, 1));
        look_for(first, id.size() + 1);
    }
    // Room for all blocks, if the others are as long as the first.
    void reserve(const char* p) {
        const std::uint64_t begin = blocks_.front().begin, size = position(end_) - begin;
        blocks_.reserve(static_cast<std::size_t>(first_blocks + size / (position(p) - begin) * (first_blocks + 1)));
    }
    void look_for(const char* id, std::size_t size) {
        id_ = id;
        size_ = size;
        mask_ = size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
        second_at_ = std::clamp<std::size_t>(size, 8, 16) - 8;
        first_ = load_word(id);
        second_ = load_word(id + second_at_);
    }

    static constexpr std::size_t first_blocks = 16;

    const Text& text_;
    const char* end_;
    std::vector<QueryBlock> blocks_;
    // The id of the last block and the blank behind it: where it is, two words that are its first 16 bytes, or as many
    // as it has, and what of them counts. Before there is a block, no line begins so.
    const char* id_ = nullptr;
    std::size_t size_ = 0, second_at_ = 0;
    std::uint64_t first_ = 0, second_ = 1, mask_ = 1;
};

}  // namespace

std::vector<QueryBlock> find_blocks(const Text& text, std::string_view lines) {
    constexpr std::ptrdiff_t step = 64, batch = 32 * step;  // bytes
    const char *const begin = lines.data(), *const end = begin + lines.size();
    Scanner scanner(text, end);
    with_widest_masks([&](auto masks) MEDIR_INLINE_LAMBDA {
        scanner.begin_line(begin);
        // Where lines end is written down first, without a branch on how many end in a step: nobody could predict it.
        std::uint32_t breaks[batch + 4];
        for (const char* from = begin; from < end; from += batch) {
            std::size_t count = 0;
            const std::ptrdiff_t size = std::min(batch, end - from);
            for (std::ptrdiff_t at = 0; at < size; at += step) {
                prefetch(from + at + far_ahead);
                std::uint64_t bits = masks.equal(from + at, '\n');
                const std::size_t next = count + static_cast<std::size_t>(std::popcount(bits));
                const auto write_four = [&] {
                    for (int i = 0; i < 4; ++i, bits &= bits - 1)
                        breaks[count++] = static_cast<std::uint32_t>(at + std::countr_zero(bits));
                };
                write_four();
                while (bits != 0) write_four();
                count = next;
            }
            for (std::size_t i = 0; i < count; ++i) scanner.begin_line(from + breaks[i] + 1);
        }
    });
    return scanner.blocks();
}

}  // namespace medir
