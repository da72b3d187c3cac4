// Runs of MS MARCO: what a plain reader finds, or refuses.
#include <memory>

#include "found_lists.hpp"
#include "plain_text.hpp"
#include "texts/marco.hpp"

namespace medir::fuzz {

namespace {

std::optional<Found> plain_read(const std::string& text, std::size_t columns, Order order) {
    const auto rows = rows_of_columns(text, columns + 1);
    Found found;
    if (!rows) return {};
    for (const Row& row : *rows) {
        if (row.size() != columns) return {};
        const auto rank = whole_in(row[2]);
        const bool scored = columns == 4 && order == Order::score;
        const auto score = scored ? number_in(row[3]) : 0;
        if (!rank || !score) return {};
        found[row[0]].emplace_back(row[1], scored ? single_precision(*score) : static_cast<double>(*rank));
    }
    sort_results(found, columns == 3 && order == Order::score ? Order::rank : order);
    return found.empty() ? std::nullopt : std::optional(found);
}

}  // namespace

void try_input(std::string_view bytes) {
    constexpr Order orders[] = {Order::score, Order::rank, Order::file};
    Choices choices(bytes);
    const std::size_t how = choices.below(6);
    const Order order = orders[how % 3];
    const int columns = how < 3 ? 4 : 3;
    const std::string text(choices.text());
    const auto found = attempt([&] { return std::make_unique<MarcoRun>(Text::copy("fuzz", text), columns, order, 1); });
    require(found == plain_read(text, static_cast<std::size_t>(columns), order), "the run", text);
}

}  // namespace medir::fuzz
