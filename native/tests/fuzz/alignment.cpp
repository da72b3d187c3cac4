// The path down two lists: a valid one, and the cheapest of all.
#include "solvers/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness.hpp"

namespace medir::fuzz {

namespace {

using Numbers = std::vector<std::uint32_t>;

// What a cut costs that so many unknowns straddle.
double cost(std::size_t straddlers) { return std::ldexp(1.0, std::min(static_cast<int>(straddlers), 25)); }

// What all cuts on the path cost that was chosen.
double chosen_cost(const Numbers& favoured, const Numbers& other, std::size_t unknowns) {
    Alignment alignment;
    alignment.align(favoured, other, unknowns);
    std::size_t i = 0, j = 0, straddlers = 0;
    double chosen = cost(0);
    for (const auto& [unknown, in_favoured, in_other, kind] : alignment.steps()) {
        require(!in_favoured || favoured[i++] == unknown, "a step down the favoured list");
        require(!in_other || other[j++] == unknown, "a step down the other list");
        if (kind == Alignment::Kind::opens) ++straddlers;
        if (kind == Alignment::Kind::closes) --straddlers;
        chosen += cost(straddlers);
    }
    require(i == favoured.size() && j == other.size(), "the end of a path");
    return chosen;
}

// That of the best path, over all places in both lists.
double least_cost(const Numbers& favoured, const Numbers& other, std::size_t unknowns) {
    std::vector<std::size_t> met(unknowns, other.size() + 1), widths(other.size() + 1);
    for (std::size_t place = 0; place < other.size(); ++place) met[other[place]] = place + 1;
    std::iota(widths.begin(), widths.end(), 0);
    std::vector<double> row(other.size() + 1), above;
    for (std::size_t place = 0; place <= other.size(); ++place)
        row[place] = (place > 0 ? row[place - 1] : 0.0) + cost(place);
    for (const std::uint32_t unknown : favoured) {
        above = row;
        for (std::size_t place = 0; place <= other.size(); ++place) {
            place < met[unknown] ? ++widths[place] : --widths[place];
            if (place > 0) row[place] = std::min(row[place], row[place - 1]);
            if (place == met[unknown]) row[place] = std::min(row[place], above[place - 1]);
            row[place] += cost(widths[place]);
        }
    }
    return row.back();
}

}  // namespace

void try_input(std::string_view bytes) {
    Choices choices(bytes);
    const std::size_t count = 1 + choices.below(60);
    const auto list = [&](std::size_t size) {
        Numbers documents(count);
        std::iota(documents.begin(), documents.end(), 0);
        for (std::size_t i = 0; i < count && !choices.empty(); ++i)
            std::swap(documents[i], documents[i + choices.below(std::min<std::size_t>(count - i, 9))]);
        if (choices.flag()) std::reverse(documents.begin(), documents.end());
        documents.resize(size);
        return documents;
    };
    const Numbers favoured = list(choices.flag() ? count : choices.below(count + 1));
    const Numbers other = list(choices.flag() ? count : choices.below(count + 1));
    require(chosen_cost(favoured, other, count) == least_cost(favoured, other, count), "the cost of a path");
}

}  // namespace medir::fuzz
