// The lists of a reader, as they are expected and as they are found.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "lists/lists.hpp"

namespace medir::fuzz {

using Result = std::pair<std::string, double>;  // a document and its value
using Found = std::map<std::string, std::vector<Result>>;

// By definition: score descending, then document descending; rank ascending; or as they come.
inline void sort_results(Found& found, Order order) {
    if (order == Order::file) return;
    for (auto& [query, results] : found)
        std::stable_sort(results.begin(), results.end(), [&](const Result& one, const Result& other) {
            if (order == Order::rank) return one.second < other.second;
            return one.second != other.second ? one.second > other.second : one.first > other.first;
        });
}

inline Found found_in(const Lists& lists) {
    Found found;
    std::vector<Entry> entries;
    std::size_t longest = 0;
    for (std::size_t query = 0; query < lists.queries(); ++query) {
        lists.read(query, entries);
        longest = std::max(longest, entries.size());
        auto& results = found[std::string(lists.query(query))];
        require(results.empty(), "a query that has one list");
        for (const Entry& entry : entries) results.emplace_back(entry.document(), entry.value);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            lists.error(query, entries[i], "", "");
            lists.intent(query, entries[i], i);
        }
        require(lists.find(lists.query(query)) == query, "the number of a query");
    }
    require(lists.longest() >= longest, "the length of the longest list");
    return found;
}

// What a reader finds; nothing where it refuses the text. make() returns the reader.
template <class Make>
std::optional<Found> attempt(Make make) {
    try {
        return found_in(*make());
    } catch (const InputError& error) {
        require(!error.problem.empty(), "an error that says what is wrong");
        return {};
    }
}

}  // namespace medir::fuzz
