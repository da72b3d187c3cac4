// The lists in a part of a run, taken apart at once where all its lines are plain (platform/plain_lines.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lists/entry.hpp"
#include "platform/places.hpp"

namespace medir {

// One serves many parts, one after the other, and keeps its memory.
class PlainLists {
public:
    // The lines of a query, one behind the other.
    struct List {
        std::uint32_t id, id_size;  // the id stands at this position of the text
        std::uint32_t line;         // the first one
    };

    // Takes whole lines apart, the first of which begins with an id. What stands up to 64 bytes behind their end can be
    // read. False where not all of them are plain: what is here does not count then.
    bool take(std::string_view lines);

    std::size_t size() const { return lists_.size() - 1; }
    // In the order of the text.
    const List& operator[](std::size_t list) const { return lists_[list]; }
    std::size_t lines(std::size_t list) const { return lists_[list + 1].line - lists_[list].line; }
    std::string_view id(std::size_t list) const { return {text_ + lists_[list].id, lists_[list].id_size}; }

private:
    friend class PlaceFinder;

    void reserve(std::size_t lines);
    bool read_others();
    Entry entry(std::size_t line) const {
        return {text_ + documents_[line], scores_[line], sizes_[line], hashes_[line]};
    }
    // Whether each line has a lower score than the one above.
    bool falls(std::size_t list) const;

    // A score that is no short decimal.
    struct Other {
        std::uint32_t line, begin, end;
    };

    const char* text_ = nullptr;
    std::vector<List> lists_;                                // and one behind the last
    std::vector<std::uint32_t> documents_, sizes_, hashes_;  // by line: where the id of the document stands
    std::vector<float> scores_;                              // by line
    std::vector<Other> others_;
};

// Finds where the documents of one list stand in another, both in the order of scores.
class PlaceFinder {
public:
    // For each document of `after`, its place in `before` or no_place. False where they cannot be compared all at once:
    // where a list is long, or holds a document twice.
    bool find(const PlainLists& before, std::size_t before_list, const PlainLists& after, std::size_t after_list,
              std::uint8_t* places);

private:
    // The documents of a list, best first.
    struct Ranked {
        const char* text;
        const std::uint32_t *documents, *sizes, *hashes;
        std::size_t size;
    };
    struct Room {
        std::uint32_t documents[most_places], sizes[most_places], hashes[most_places];
    };
    Ranked ranked(const PlainLists& lists, std::size_t list, Room& room);

    Room before_, after_;
    std::vector<Entry> entries_;
};

}  // namespace medir
