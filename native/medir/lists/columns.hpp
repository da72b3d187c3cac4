// Lists that a caller holds in memory, column by column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "lists/lists.hpp"

namespace medir {

// Strings one behind the other: string i is bytes[ends[i - 1] .. ends[i]].
class Strings {
public:
    Strings(std::string_view bytes, std::vector<std::uint64_t> ends)
        : bytes_(Text::copy("", bytes)), ends_(std::move(ends)) {}

    std::size_t size() const { return ends_.size(); }
    std::string_view operator[](std::size_t i) const {
        const std::uint64_t first = i == 0 ? 0 : ends_[i - 1];
        return {bytes_.begin() + first, ends_[i] - first};
    }

    // The number of the string that begins at p.
    std::size_t number(const char* p) const {
        const auto offset = static_cast<std::uint64_t>(p - bytes_.begin());
        return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), offset) - ends_.begin());
    }

private:
    Text bytes_;
    std::vector<std::uint64_t> ends_;
};

class ColumnLists : public Lists {
public:
    // The documents of query q are those up to ends[q], from where the query before it ended.
    // There is an intent for each document, or none at all.
    ColumnLists(std::string name, Strings queries, std::vector<std::uint64_t> ends, Strings documents, Strings intents,
                std::vector<double> values, Order order);

    std::size_t queries() const override { return queries_.size(); }
    std::string_view query(std::size_t number) const override { return queries_[number]; }
    void read(std::size_t query, std::vector<Entry>& entries) const override;
    bool tied(const Entry& one, const Entry& other) const override {
        return order_ != Order::file && one.value == other.value;
    }
    std::string_view intent(std::size_t query, const Entry& entry, std::size_t position) const override;
    InputError error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const override;

private:
    std::string name_;
    Strings queries_;
    std::vector<std::uint64_t> ends_;
    Strings documents_, intents_;
    std::vector<double> values_;
    Order order_;
};

}  // namespace medir
