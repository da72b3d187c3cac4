// Runs and judgments with named columns: exactly the entries that a plain reader finds, or refuses, for chunks of any
// size.
#include <cmath>
#include <memory>

#include "found_lists.hpp"
#include "plain_rows.hpp"
#include "texts/delimited_lists.hpp"

namespace medir::fuzz {

namespace {

struct Layout {
    Delimiter delimiter;
    ListColumns columns;
    std::optional<Values> values;
    Order order;
    Labels labels;
};

std::string trimmed(const std::string& text) {
    std::size_t first = 0, last = text.size();
    while (first < last && is_blank_character(text[first])) ++first;
    while (last > first && is_blank_character(text[last - 1])) --last;
    return text.substr(first, last - first);
}

std::optional<double> value_in(const std::string& cell, const Layout& layout) {
    if (layout.values == Values::grades) {
        for (const auto& [label, value] : layout.labels)
            if (label == trimmed(cell)) return value;
        const auto grade = number_in(trimmed(cell));
        return grade && std::isfinite(*grade) ? grade : std::nullopt;
    }
    const auto number = number_in(cell);
    if (!number) return {};
    if (layout.values == Values::ranks)
        return std::isfinite(*number) && *number == std::floor(*number) ? number : std::nullopt;
    if (layout.values == Values::words) return *number >= 0 && *number <= 1e12 ? number : std::nullopt;
    return single_precision(*number);
}

std::optional<Found> plain_read(const std::string& text, const Layout& layout) {
    const auto rows = layout.delimiter == Delimiter::comma ? comma_rows(without_mark(text))
                                                           : std::optional(tab_rows(without_mark(text)));
    if (!rows || rows->size() < 2) return {};
    const auto& [query, document, number, intent] = layout.columns;
    const std::size_t width = rows->front().size();
    for (const auto column : {query, std::optional(document), number, intent})
        if (column && *column >= width) return {};
    Found found;
    for (auto row = rows->begin() + 1; row != rows->end(); ++row) {
        if (row->size() != width || (*row)[document].empty() || (query && (*row)[*query].empty())) return {};
        const auto value = number ? value_in((*row)[*number], layout) : 0;
        if (!value) return {};
        found[query ? (*row)[*query] : "all"].emplace_back((*row)[document], *value);
    }
    sort_results(found, layout.order);
    return found;
}

Layout layout_of(Choices& choices) {
    constexpr Values kinds[] = {Values::scores, Values::ranks, Values::grades, Values::words};
    const std::size_t how = choices.byte(), more = choices.byte();
    Layout layout{how % 2 ? Delimiter::tab : Delimiter::comma, {0, 1, 2, {}}, Values::scores, Order::score, {}};
    layout.values = kinds[how / 2 % 4];
    if (layout.values == Values::ranks) layout.order = Order::rank;
    if (layout.values == Values::grades || layout.values == Values::words) layout.order = Order::file;
    if (layout.values == Values::grades) layout.labels = {{"good", 2.0}, {"bad", 0.0}};
    if (how / 8 % 2) layout.columns = {1, 0, 2, {}};
    if (how / 16 % 4 == 1) layout.columns = {2, 1, 0, {}};
    if (how / 16 % 4 == 2) layout.columns.query.reset();
    if (how / 64 % 4 == 3) layout.columns.intent = 3;
    if (more % 8 == 7) {
        layout.columns.number.reset();
        layout.values.reset();
        layout.order = Order::file;
    }
    return layout;
}

}  // namespace

void try_input(std::string_view bytes) {
    Choices choices(bytes);
    const Layout layout = layout_of(choices);
    const std::size_t chunk = 1 + choices.below(60);
    const std::string text(choices.text());
    const auto read = [&](std::size_t size) {
        return attempt([&] {
            return std::make_unique<DelimitedLists>(Text::copy("fuzz", text), layout.delimiter, layout.columns,
                                                    layout.values, layout.order, 1, layout.labels, size);
        });
    };
    const auto expected = plain_read(text, layout);
    require(read(TextLists::usual_chunk) == expected, "the lists", text);
    require(read(chunk) == expected, "the lists in chunks", text);
}

}  // namespace medir::fuzz
