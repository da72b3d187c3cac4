// TREC judgments: what a plain reader finds, or refuses; and grades of them.
#include <cmath>
#include <memory>

#include "drivers/checking.hpp"
#include "found_lists.hpp"
#include "plain_text.hpp"
#include "texts/trec.hpp"

namespace medir::fuzz {

namespace {

std::optional<Found> plain_read(const std::string& text) {
    const auto rows = rows_of_columns(text, 5);
    Found found;
    if (!rows) return {};
    for (const Row& row : *rows) {
        const auto value = row.size() == 4 ? number_in(row[3]) : std::nullopt;
        if (!value) return {};
        found[row[0]].emplace_back(row[2], *value);
    }
    return found.empty() ? std::nullopt : std::optional(found);
}

// Whatever the numbers, grades are whole and no more than the highest.
void grade(std::shared_ptr<const Lists> qrels, Choices& choices) {
    Grading grading;
    if (choices.flag()) grading.levels = {{0.0, 0}, {0.5, 1}, {1.0, 2}};
    grading.max_grade = static_cast<int>(choices.below(5));
    try {
        const Intents intents = choices.flag() ? Intents::kept : Intents::ignored;
        const Judgments judgments = check_judgments(std::move(qrels), grading, intents, 1);
        for (const auto& [query, results] : found_in(*judgments.lists))
            for (const auto& [document, value] : results)
                require(value >= 0 && value <= judgments.highest && value == std::floor(value), "a grade");
        if (judgments.highest > 0) grade_error(*judgments.lists, judgments.highest - 1);
    } catch (const InputError&) {
    }
}

}  // namespace

void try_input(std::string_view bytes) {
    Choices choices(bytes);
    Choices how(std::string_view(bytes).substr(0, choices.below(4)));
    const std::string text(choices.text());
    std::shared_ptr<const Lists> qrels;
    const auto found = attempt([&] {
        qrels = std::make_shared<TrecQrels>(Text::copy("fuzz", text), 1);
        return qrels;
    });
    require(found == plain_read(text), "the judgments", text);
    if (found) grade(qrels, how);
}

}  // namespace medir::fuzz
