// The documents of a query as numbers, in order of appearance.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "lists/lists.hpp"
#include "platform/places.hpp"

namespace medir {

// `Item` is what documents are met as: results, judgments or passages. One numbering serves many queries, one after the
// other, and keeps its memory.
template <class Item>
class Numbering {
public:
    // Forgets all documents and makes room for at most `most`.
    void reset(std::size_t most) {
        most_ = most;
        items_.clear();
        indexed_ = none_indexed;
    }
    // Forgets the documents from a number on.
    void shrink(std::size_t size) {
        items_.resize(size);
        indexed_ = none_indexed;
    }

    std::size_t size() const { return items_.size(); }
    // Where a document was met first.
    const Item& operator[](std::size_t number) const { return *items_[number]; }

    // The number of a document; a new one has the next number. The item must live as long as the numbers are used.
    std::uint32_t number(const Item& item) {
        if (indexed_ != items_.size()) index();
        const auto next = static_cast<std::uint32_t>(items_.size());
        const auto known =
            index_.find_or_add(item.hash, next, [&](std::uint32_t d) { return items_[d]->same_document(item); });
        if (known != ByteIndex::none) return known;
        items_.push_back(&item);
        ++indexed_;
        return next;
    }
    // The same, looking first at the document that is most likely to be it.
    std::uint32_t number(const Item& item, std::uint32_t likely) {
        const bool is_it =
            likely < items_.size() && items_[likely]->hash == item.hash && items_[likely]->same_document(item);
        return is_it ? likely : number(item);
    }
    // Numbers two lists of documents as the first, as long as it has none: those of the first list by their places,
    // then those that only the second has. `places` takes where each document of the second stands in the first, or
    // no_place. Returns false, and numbers none, where they cannot be compared all at once: where a list is long or
    // empty, or holds a document twice.
    bool number_both(const std::vector<Item>& first, const std::vector<Item>& second,
                     std::array<std::uint8_t, most_places>& places) {
        if (first.empty() || second.empty() || std::max(first.size(), second.size()) > most_places) return false;
        std::array<std::uint32_t, most_places> first_hashes, second_hashes;
        const std::size_t room = looked_at(std::max(first.size(), second.size()));
        const auto take = [room](const std::vector<Item>& items, std::array<std::uint32_t, most_places>& hashes) {
            for (std::size_t i = 0; i < items.size(); ++i) hashes[i] = items[i].hash;
            for (std::size_t i = items.size(); i < room; ++i) hashes[i] = 0;
        };
        take(first, first_hashes);
        take(second, second_hashes);
        if (!find_places(first_hashes.data(), first.size(), second_hashes.data(), second.size(), places.data()))
            return false;
        items_.resize(first.size() + second.size());
        for (std::size_t i = 0; i < first.size(); ++i) items_[i] = &first[i];
        std::size_t size = first.size();
        bool same = true;  // where hashes are
        for (std::size_t i = 0; i < second.size(); ++i) {
            const bool is_new = places[i] == no_place;
            items_[size] = &second[i];
            same &= items_[is_new ? size : places[i]]->same_document(second[i]);
            size += is_new;
        }
        items_.resize(same ? size : 0);
        return same;
    }

private:
    static constexpr std::size_t none_indexed = ~std::size_t{0};

    // Only who asks for the number of a document needs the index.
    void index() {
        index_.reset(most_);
        for (std::uint32_t n = 0; n < items_.size(); ++n)
            index_.find_or_add(items_[n]->hash, n, [](std::uint32_t) { return false; });
        indexed_ = items_.size();
    }

    ByteIndex index_;
    std::vector<const Item*> items_;  // by number
    std::size_t most_ = 0, indexed_ = none_indexed;
};

enum class Repeats { error, first };  // of a document within one list
enum class Ties { ignored, kept };    // of results with the same score

// The list of one query.
struct QueryList {
    const Lists& lists;
    std::size_t query;
    const std::vector<Entry>& entries;
};

// That a document appears twice in a list.
InputError repeated(const QueryList& list, const Entry& entry);

// Numbers the documents of a list, in order. place(number, rank) returns whether the document is new in the list;
// `ties` takes the first rank of the tie at each rank, where they are kept. Returns how many results were dropped
// because their document stood higher already.
template <class Place>
std::size_t number_list(Numbering<Entry>& numbering, const QueryList& list, Repeats repeats, Ties keep,
                        std::vector<std::uint32_t>& ties, Place place) {
    ties.clear();
    const Entry* above = nullptr;
    std::size_t dropped = 0;
    std::uint32_t rank = 1;
    Looks wanted;
    for (const Entry& entry : list.entries) {
        wanted();
        // Most documents stay where they were in the list before.
        if (!place(numbering.number(entry, rank - 1), rank)) {
            if (repeats == Repeats::error) throw repeated(list, entry);
            ++dropped;
            continue;
        }
        if (keep == Ties::kept) [[unlikely]] {
            ties.push_back(above != nullptr && list.lists.tied(*above, entry) ? ties.back() : rank);
            above = &entry;
        }
        ++rank;
    }
    return dropped;
}

}  // namespace medir
