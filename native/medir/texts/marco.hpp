// Runs as MS MARCO has them: `query document rank`, or `query document rank score`.
#pragma once

#include <vector>

#include "texts/trec.hpp"

namespace medir {

class MarcoRun final : public TrecLists {
public:
    // columns: 3, or 4 with scores. Without scores results are ordered by rank.
    MarcoRun(Text text, int columns, Order order, int threads)
        : TrecLists(std::move(text), threads), columns_(columns), order_(columns == 3 ? ranked(order) : order) {}

    bool tied(const Entry& one, const Entry& other) const override {
        return order_ != Order::file && one.value == other.value;
    }

protected:
    std::size_t parse(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const override;
    void sort(std::vector<Entry>& entries) const override { sort_entries(entries, order_); }

private:
    static Order ranked(Order order) { return order == Order::score ? Order::rank : order; }
    const char* parse_line(const char* p, std::vector<Entry>& entries) const;

    int columns_;
    Order order_;
};

}  // namespace medir
