// Passages of runs and of gold, as a plain reader finds or refuses them.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "harness.hpp"
#include "plain_text.hpp"
#include "trails/passages.hpp"

namespace medir::fuzz {

struct PlainPassage {
    std::string document;
    std::int64_t start, length;
    double score;
    std::int64_t rank;

    bool operator==(const PlainPassage& other) const {
        return document == other.document && start == other.start && length == other.length;
    }
};
using PlainPassages = std::map<std::string, std::vector<PlainPassage>>;

inline std::optional<std::int64_t> extent_in(const std::string& token) {
    const auto value = whole_in(token);
    return value && *value >= 0 && *value <= 1'000'000'000'000 ? value : std::nullopt;
}

inline std::optional<PlainPassages> read_plainly(const std::string& text, PassageLayout layout, Order order) {
    const bool is_run = layout == PassageLayout::run;
    const std::size_t least = is_run ? 7 : 4;
    const auto rows = rows_of_columns(text, least);
    PlainPassages passages;
    if (!rows) return {};
    for (const Row& row : *rows) {
        if (row.size() < least) return {};
        const auto start = extent_in(row[is_run ? 4 : 2]), length = extent_in(row[is_run ? 5 : 3]);
        const auto rank = is_run && order != Order::file ? whole_in(row[2]) : 0;
        const auto score = is_run && order == Order::score ? number_in(row[3]) : 0;
        if (!start || !length || !rank || !score) return {};
        passages[row[0]].push_back({row[1], *start, *length, *score, *rank});
    }
    for (auto& [query, list] : passages)
        if (is_run && order != Order::file)
            std::stable_sort(list.begin(), list.end(), [](const PlainPassage& one, const PlainPassage& other) {
                return std::tuple(-one.score, one.rank) < std::tuple(-other.score, other.rank);
            });
    return passages.empty() ? std::nullopt : std::optional(passages);
}

inline void check_passages(std::string_view bytes, PassageLayout layout) {
    constexpr Order orders[] = {Order::score, Order::rank, Order::file};
    Choices choices(bytes);
    const Order order = choices.one_of(orders);
    const std::string text(choices.text());
    std::optional<PlainPassages> found;
    try {
        const TrecPassages reader(Text::copy("fuzz", text), layout, order, 1);
        PlainPassages all;
        std::vector<Passage> passages;
        std::vector<PassageRank> scratch;
        std::vector<Entry> entries;
        for (std::size_t query = 0; query < reader.queries(); ++query) {
            reader.read_passages(query, passages, scratch);
            auto& list = all[std::string(reader.query(query))];
            for (const Passage& passage : passages)
                list.push_back({std::string(passage.document()), passage.start, passage.length, 0, 0});
            reader.read(query, entries);
            require(entries.size() == passages.size(), "the documents of passages", text);
        }
        found = std::move(all);
    } catch (const InputError&) {
    }
    require(found == read_plainly(text, layout, order), "the passages", text);
}

}  // namespace medir::fuzz
