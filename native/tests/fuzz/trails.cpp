// The difference of two trailtexts against its definition, character by character.
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "harness.hpp"
#include "lists/columns.hpp"
#include "trails/weighing.hpp"

namespace medir::fuzz {

namespace {

constexpr std::size_t documents = 3;

struct Shown {
    std::uint32_t document;
    std::int64_t start, length;
};
using Text = std::vector<Shown>;
using Character = std::pair<std::uint32_t, std::int64_t>;

Text text_of(Choices& choices, std::size_t most) {
    Text text;
    for (std::size_t left = choices.below(most + 1); left > 0; --left)
        text.push_back({static_cast<std::uint32_t>(choices.below(documents)),
                        static_cast<std::int64_t>(choices.below(6)), static_cast<std::int64_t>(choices.below(6))});
    return text;
}

std::unique_ptr<ColumnPassages> passages_of(const Text& text) {
    ColumnPassages::Columns columns;
    for (const Shown& passage : text) {
        columns.documents.push_back(passage.document);
        columns.starts.push_back(passage.start);
        columns.lengths.push_back(passage.length);
    }
    return std::make_unique<ColumnPassages>("fuzz", Strings("q", {1}), std::vector<std::uint64_t>{text.size()},
                                            Strings("abc", {1, 2, 3}), std::move(columns));
}

// What a character adds by the place where it is shown first, from 0 on.
using Weights = std::map<Character, double>;

template <class Weight>
Weights weights_of(const Text& text, Weight weight) {
    Weights weights;
    std::size_t place = 0;
    for (const Shown& passage : text)
        for (std::int64_t at = 0; at < passage.length; ++at)
            weights.try_emplace({passage.document, passage.start + at}, weight(place++));
    return weights;
}

// The maximum of S(favoured) - S(other): each character is decided alone.
double most(const Weights& favoured, const Weights& other, const Text& gold, bool closed) {
    Weights all = favoured;
    all.insert(other.begin(), other.end());
    double sum = 0;
    for (const auto& shown : all) {
        const Character& character = shown.first;
        const auto weight = [&](const Weights& weights) {
            const auto found = weights.find(character);
            return found == weights.end() ? 0.0 : found->second;
        };
        bool known = closed, relevant = false;
        for (const Shown& passage : gold) {
            const auto [document, at] = character;
            known = known || passage.document == document;
            relevant = relevant ||
                       (passage.document == document && passage.start <= at && at < passage.start + passage.length);
        }
        const double change = weight(favoured) - weight(other);
        sum += relevant ? change : known ? 0 : std::max(change, 0.0);
    }
    return sum;
}

struct Kind {
    std::unique_ptr<TrailMeasure> measure;
    std::vector<double> by_place;
};

Kind kind_of(Choices& choices) {
    const std::size_t which = choices.below(4), depth = 1 + choices.below(40);
    const double half_life = 1 + static_cast<double>(choices.below(30)), rate = std::log(2) / half_life;
    const double speed = 1 + static_cast<double>(choices.below(4));
    Kind kind;
    for (std::size_t place = 0; place < 64; ++place) {
        const double rank = static_cast<double>(place) + 1;
        const bool within = place < depth;
        const double values[] = {within ? 0.5 * (1 - rank / static_cast<double>(depth)) : 0, within ? 0.5 : 0,
                                 within ? 0.5 * std::exp2(-rank / half_life) : 0,
                                 (std::exp(-rate * (rank - 1) / speed) - std::exp(-rate * rank / speed)) / rate};
        kind.by_place.push_back(values[which]);
    }
    constexpr TrailDiscount discounts[] = {TrailDiscount::linear, TrailDiscount::none, TrailDiscount::exponential};
    if (which < 3)
        kind.measure = std::make_unique<UMeasure>(discounts[which], static_cast<double>(depth), half_life);
    else
        kind.measure = std::make_unique<TimeBiasedTrail>(half_life, speed);
    return kind;
}

}  // namespace

void try_input(std::string_view bytes) {
    Choices choices(bytes);
    const Kind kind = kind_of(choices);
    const bool judged = choices.flag(), closed = judged && choices.flag();
    const Text before = text_of(choices, 6), after = text_of(choices, 6);
    const Text gold = judged ? text_of(choices, 3) : Text{};
    const auto before_passages = passages_of(before), after_passages = passages_of(after),
               gold_passages = passages_of(gold);
    Trailtexts trails;
    Weighing weighing;
    const Scope scope{1000, std::numeric_limits<double>::infinity(), closed, Unseen(UnseenRule::nothing, {0, 0})};
    trails.lay_out({PassageSource{before_passages.get(), 0}, PassageSource{after_passages.get(), 0}},
                   {judged ? gold_passages.get() : nullptr, 0}, scope, false);
    weighing.weigh(trails, *kind.measure);
    const Difference found = weighing.difference();
    const auto weight = [&](std::size_t place) { return place < 64 ? kind.by_place[place] : 0.0; };
    const Weights of_before = weights_of(before, weight), of_after = weights_of(after, weight);
    const double gain = most(of_after, of_before, gold, closed), loss = most(of_before, of_after, gold, closed);
    require(std::abs(found.gain - gain) < 1e-9, "the gain");
    require(std::abs(found.loss - loss) < 1e-9, "the loss");
    require(found.med == std::max(found.gain, found.loss), "the difference");
    require(found.lower <= found.med + 1e-12 && found.lower >= 0, "the lower bound");
}

}  // namespace medir::fuzz
