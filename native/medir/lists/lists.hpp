// Documents by query: a run (ranked) or judgments, wherever they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/index.hpp"
#include "lists/entry.hpp"
#include "lists/list_lengths.hpp"

namespace medir {

enum class Intents { ignored, kept };  // of judgments

enum class Order { score, rank, file };

enum class Values { scores, ranks, grades, words };  // beside documents

// score: descending, then document descending, as trec_eval; rank: ascending; file: as given.
void sort_entries(std::vector<Entry>& entries, Order order);

inline bool precedes(Order order, const Entry& first, const Entry& second) {
    if (order == Order::rank) return first.value < second.value;
    if (first.value != second.value) return first.value > second.value;
    return greater_id(first, second);
}

// A list whose documents were compared with those of a list of another run while both were read.
struct ComparedList {
    std::size_t size = 0;
    const std::uint8_t* places = nullptr;  // the same for both lists: see ComparedLists
};

// Two such lists.
struct ComparedLists {
    std::size_t before_size, after_size;
    const std::uint8_t* places;  // for each document of `after`, in order: its place in `before`, or no_place
};

class Lists {
public:
    virtual ~Lists() = default;

    virtual std::size_t queries() const = 0;
    virtual std::string_view query(std::size_t number) const = 0;
    // Of all lists, as they were given.
    const ListLengths& lengths() const { return lengths_; }
    // No list has more entries than this.
    std::size_t longest() const { return lengths_.longest; }
    // The source says how many results were asked for.
    void set_asked(std::size_t results) { lengths_.asked = results; }
    // Replaces `entries` by those of one query, in order. They live as long as the lists.
    virtual void read(std::size_t query, std::vector<Entry>& entries) const = 0;
    // What is known of a list and one of another run; without places where nothing is.
    virtual ComparedList compared(std::size_t) const { return {}; }
    // Two runs that are known to have the same queries in the same order have the same pointer; null where that is not
    // known.
    virtual const void* same_queries() const { return nullptr; }
    // Asks for the memory of a list that is read soon: first for where its entries are, then for them.
    virtual void prefetch_list(std::size_t) const {}
    virtual void prefetch_entries(std::size_t) const {}
    // Whether ids of documents are numbers.
    virtual bool has_numbers() const { return false; }
    // Whether two neighbours in the order of a run share a place there: they have the same score or rank.
    virtual bool tied(const Entry&, const Entry&) const { return false; }
    // Joins all that a query holds to a hash.
    virtual std::uint64_t digest(std::size_t query, bool with_intents, std::uint64_t hash) const;
    // The intent of a query that a judgment is about, which is the one at a position among those read.
    virtual std::string_view intent(std::size_t query, const Entry& entry, std::size_t position) const = 0;
    // Throws an error where the file that the lists are read from has changed: what was read does not count.
    virtual void check_source() const {}
    // An error about one entry of a query.
    virtual InputError error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const = 0;

    // The number of a query, or ByteIndex::none.
    virtual std::uint32_t find(std::string_view id) const {
        return index_.find(hash_bytes(id), [&](std::uint32_t number) { return query(number) == id; });
    }

protected:
    mutable ByteIndex index_;  // some lists make it when a query is first looked for
    ListLengths lengths_;
};

// Reads every list, so that a fault in any of them is found now.
void check(const Lists& lists, int threads);

// A number that other lists do not have: of all queries, documents, values and, where they are kept, intents.
std::uint64_t digest(const Lists& lists, Intents intents, int threads);

}  // namespace medir
