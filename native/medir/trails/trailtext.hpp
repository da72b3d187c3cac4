// The two trailtexts of one query: all that each run shows, passage after passage, and the stretches of documents that
// they have in common or alone. Everything works on intervals: the cost follows the passages, not the characters.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "pairs/numbering.hpp"
#include "pairs/unseen.hpp"
#include "trails/passages.hpp"

namespace medir {

constexpr std::size_t before_run = 0, after_run = 1;

template <class Value>
using BySide = std::array<Value, 2>;

enum class Judged : std::uint8_t { unknown, relevant, not_relevant };

// Characters of a document that stand one behind the other, in one passage of each trailtext or in none of it.
struct Stretch {
    std::uint32_t document;
    Judged judged;
    std::int64_t start, length;
    BySide<std::int32_t> shown;   // the number of the passage that shows it first
    BySide<std::int64_t> places;  // how many characters stand above it in each trailtext

    static constexpr std::int32_t absent = -1;
    bool is_shown(std::size_t side) const { return shown[side] != absent; }
};

// What is looked at, and what is known of the rest.
struct Scope {
    std::size_t depth;  // passages
    double reach;       // characters: no measure looks deeper
    bool closed;        // documents without a gold passage are not relevant
    Unseen unseen;
};

// What a run shows for one query, as far as any measure looks.
struct Trailtext {
    std::vector<Passage> passages;
    bool cut = false;  // unseen text follows
};

// One query of a run, or of gold.
struct PassageSource {
    const Passages* passages;  // null for an empty trailtext, or for no gold
    std::size_t query;

    void read(std::vector<Passage>& list, std::vector<PassageRank>& scratch) const;
    // `run` is its number among those that are compared.
    void read(std::size_t run, const Scope& scope, Trailtext& text, std::vector<PassageRank>& scratch) const;
};

// One of these serves many queries, one after the other, and keeps its memory.
class Trailtexts {
public:
    void lay_out(const BySide<PassageSource>& runs, const PassageSource& gold, const Scope& scope, bool timed);
    // The same of what was read already.
    void lay_out(const BySide<const Trailtext*>& runs, const std::vector<Passage>& gold, bool closed, bool timed);

    const std::vector<Passage>& passages(std::size_t side) const { return texts_[side].passages; }
    const std::vector<Stretch>& stretches() const { return stretches_; }
    std::string_view id(std::uint32_t document) const { return numbering_[document].document(); }
    // Nothing but gold is relevant.
    bool closed() const { return closed_; }
    bool timed() const { return timed_; }  // the passages of some run have durations

    bool cut(std::size_t side) const { return texts_[side].cut; }  // unseen text follows
    bool has_unseen(double reach) const {
        const auto ends_above = [&](std::size_t side) {
            return cut(side) && static_cast<double>(sizes_[side]) < reach;
        };
        return ends_above(before_run) || ends_above(after_run);
    }
    // Whether a text ended above some character that is looked at.
    bool has_ended(double reach) const {
        const auto ended = [&](std::size_t side) {
            return !cut(side) && sizes_[side] > 0 && static_cast<double>(sizes_[side]) < reach;
        };
        return ended(before_run) || ended(after_run);
    }
    // Calls work() as if both texts had ended.
    template <class Work>
    auto as_if_ended(Work work) {
        const bool before = std::exchange(texts_[before_run].cut, false);
        const bool after = std::exchange(texts_[after_run].cut, false);
        const auto result = work();
        texts_[before_run].cut = before;
        texts_[after_run].cut = after;
        return result;
    }

    // Characters.
    std::int64_t size(std::size_t side) const { return sizes_[side]; }
    std::int64_t repeated(std::size_t side) const { return sizes_[side] - distinct_[side]; }
    std::int64_t gold() const { return gold_size_; }
    std::int64_t gold_repeated() const { return gold_repeated_; }
    std::int64_t gold_not_shown(std::size_t side) const { return gold_size_ - gold_shown_[side]; }
    // Passages of length 0.
    std::size_t empty() const { return empty_; }

private:
    struct Piece {
        std::int64_t start, end;
        std::uint32_t document;
        std::int32_t passage;
        std::uint32_t source;  // a side, or gold
    };
    static constexpr std::uint32_t gold_source = 2;

    void lay_out(bool closed, bool timed);
    void collect(const std::vector<Passage>& passages, std::uint32_t source);
    void add_document(Piece* first, Piece* last);
    void add_overlap(const Piece& first, const Piece& last);
    void sweep(const Piece* first, const Piece* last);
    void show(std::size_t side, const Piece& piece);
    std::int32_t first_shown(std::size_t side, std::int64_t at);
    void add(const Stretch& stretch);

    BySide<Trailtext> texts_;
    BySide<std::vector<std::int64_t>> starts_;  // of the passages in their trailtext
    std::vector<Passage> gold_;
    std::vector<Stretch> stretches_;
    bool closed_ = false, timed_ = false;
    BySide<std::int64_t> sizes_{}, distinct_{}, gold_shown_{};
    std::int64_t gold_size_ = 0, gold_repeated_ = 0;
    std::size_t empty_ = 0;

    Numbering<Passage> numbering_;
    std::vector<PassageRank> scratch_;
    std::vector<Piece> pieces_, by_document_;
    std::vector<std::uint32_t> places_;  // by document: how many pieces it has, then where they end
    std::vector<std::int64_t> cuts_;
    BySide<std::vector<const Piece*>> open_;  // heaps, the passage shown first on top
};

}  // namespace medir
