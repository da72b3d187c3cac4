// TREC runs: what a plain reader finds, or refuses.
#include <memory>
#include <set>

#include "found_lists.hpp"
#include "plain_text.hpp"
#include "texts/trec.hpp"

namespace medir::fuzz {

namespace {

// Whether all lines hold offset and length, and other documents in the second column: then these are passages.
bool holds_passages(const Rows& rows) {
    std::set<std::string> second_columns;
    for (const Row& row : rows) {
        second_columns.insert(row[1]);
        for (const std::string& extent : {row[4], row[5]})
            if (extent.find_first_not_of("0123456789") != std::string::npos) return false;
    }
    return second_columns.size() > 1;
}

std::optional<Found> plain_read(const std::string& text, Order order) {
    const auto rows = rows_of_columns(text, 6);
    Found found;
    if (!rows || rows->empty()) return {};
    for (const Row& row : *rows) {
        if (row.size() < 6) return {};
        double value = 0;
        if (order == Order::score) {
            const auto score = number_in(row[4]);
            if (!score) return {};
            value = single_precision(*score);
        } else if (order == Order::rank) {
            const auto rank = whole_in(row[3]);
            if (!rank) return {};
            value = static_cast<double>(*rank);
        }
        found[row[0]].emplace_back(row[2], value);
    }
    if (holds_passages(*rows)) return {};
    sort_results(found, order);
    return found;
}

}  // namespace

void try_input(std::string_view bytes) {
    constexpr Order orders[] = {Order::score, Order::rank, Order::file};
    Choices choices(bytes);
    const Order order = choices.one_of(orders);
    const std::string text(choices.text());
    const auto found = attempt([&] { return std::make_unique<TrecRun>(Text::copy("fuzz", text), order, 1); });
    require(found == plain_read(text, order), "the run", text);
}

}  // namespace medir::fuzz
