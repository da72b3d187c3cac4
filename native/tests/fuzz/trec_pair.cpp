// Two TREC runs that are read together: each holds what it holds alone, and documents stand where both lists have them.
#include <algorithm>
#include <cmath>
#include <memory>

#include "found_lists.hpp"
#include "pairs/pairing.hpp"
#include "platform/places.hpp"
#include "texts/paired_blocks.hpp"
#include "texts/trec.hpp"

namespace medir::fuzz {

namespace {

// A second run of much the same queries: lines of the first, some left out and some given another place nearby.
std::string other_run(std::string_view text, Choices& choices) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        lines.emplace_back(text.substr(at, end - at));
        at = end;
    }
    for (std::size_t i = 0; i + 1 < lines.size(); ++i)
        if (choices.below(4) == 1) std::swap(lines[i], lines[i + 1]);
    std::string other;
    for (const std::string& line : lines)
        if (choices.below(8) != 1) other += line;
    return other;
}

std::size_t place_in(const std::vector<Result>& results, const std::string& document) {
    const auto found =
        std::find_if(results.begin(), results.end(), [&](const Result& result) { return result.first == document; });
    return found == results.end() ? no_place : static_cast<std::size_t>(found - results.begin());
}

void check_places(const std::shared_ptr<Lists>& before, const std::shared_ptr<Lists>& after, const std::string& text) {
    const Pairing pairing(before, after, 1);
    Found of_before = found_in(*before), of_after = found_in(*after);
    for (std::size_t i = 0; i < pairing.size(); ++i) {
        const ComparedLists lists = pairing.compared(i);
        if (lists.places == nullptr) continue;
        const std::string query(pairing.query(i));
        const auto &first = of_before[query], &second = of_after[query];
        require(lists.before_size == first.size() && lists.after_size == second.size(), "the lengths of lists", text);
        for (std::size_t place = 0; place < second.size(); ++place)
            require(lists.places[place] == place_in(first, second[place].first), "where a document stands", text);
    }
}

}  // namespace

void try_input(std::string_view bytes) {
    constexpr std::size_t parts[] = {32, 100, 400, PairedBlocks::usual_part};
    Choices choices(bytes);
    const std::size_t part = choices.one_of(parts);
    const bool is_split = choices.flag();
    const std::size_t share = choices.below(256);
    const std::string_view all = choices.text().substr(0, choices.text().size() / 2);
    const std::size_t middle = std::min(all.find('\n', all.size() * share / 256), all.size());
    const std::string before(is_split ? all.substr(0, middle) : all);
    const std::string after =
        is_split ? std::string(all.substr(std::min(middle + 1, all.size()))) : other_run(all, choices);

    const std::shared_ptr<QueryBlocks> blocks[] = {std::make_shared<QueryBlocks>(Text::copy("before", before)),
                                                   std::make_shared<QueryBlocks>(Text::copy("after", after))};
    QueryBlocks::pair(*blocks[0], *blocks[1], part);
    std::shared_ptr<Lists> runs[2];
    const std::string* const texts[] = {&before, &after};
    for (std::size_t side = 0; side < 2; ++side) {
        const auto together =
            attempt([&] { return runs[side] = std::make_shared<TrecRun>(blocks[side], Order::score, 1); });
        const auto alone =
            attempt([&] { return std::make_unique<TrecRun>(Text::copy("alone", *texts[side]), Order::score, 1); });
        require(together == alone, "the run", *texts[side]);
        if (!together) return;
    }
    check_places(runs[0], runs[1], before + "---\n" + after);
}

}  // namespace medir::fuzz
