// Runs that are arrays of neighbours: one row per query, the numbers of its documents in rank order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lists/columns.hpp"
#include "lists/lists.hpp"

namespace medir {

// An array that someone else keeps.
struct ArrayView {
    const char* data;
    std::size_t rows, width;
    std::int64_t stride;  // bytes from row to row; within a row the numbers stand side by side
    NumberKind kind;
    std::shared_ptr<const void> owner;
};

class ArrayLists : public Lists {
public:
    // A row ends before the first number that is `pad`. The width is what was asked for.
    ArrayLists(std::string name, Strings queries, ArrayView array, Whole pad, int threads);

    std::size_t queries() const override { return queries_.size(); }
    std::string_view query(std::size_t number) const override { return queries_[number]; }
    void read(std::size_t query, std::vector<Entry>& entries) const override;
    bool has_numbers() const override { return true; }
    std::string_view intent(std::size_t, const Entry&, std::size_t) const override { return {}; }
    InputError error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const override;

private:
    const char* at(std::size_t row, std::size_t place) const {
        return array_.data + static_cast<std::int64_t>(row) * array_.stride + place * size_;
    }
    std::size_t length(std::size_t row) const;

    std::string name_;
    Strings queries_;
    ArrayView array_;
    Whole pad_;
    std::size_t size_;  // of a number
};

}  // namespace medir
