// Each measure of effectiveness against its definition: both directions, lower bounds, witnesses, scores.
#include "measures/average_precision.hpp"
#include "measures/cascade.hpp"
#include "measures/dot_product.hpp"
#include "measures/time_biased_gain.hpp"
#include "measures/within_lists.hpp"

#include <memory>
#include <tuple>

#include "check/checks.hpp"

using namespace medir;
using namespace oracle;

namespace {

// A measure beside its definition.
struct Defined {
    const Effectiveness& measure;
    Scale scale;
    Score score;
    double norm = 1;  // that the scores are divided by, or 0 where all are undefined
};

Problem random_problem(Random& random) {
    const std::size_t documents = random() % 4 ? 1 + random() % 7 : 8 + random() % 3;
    Problem lists;
    lists.before = lists.after = all_of(documents);
    lists.after = reordered(lists.after, random() % 2, random);
    if (random() % 2) {
        lists.before.resize(random() % (documents + 1));
        lists.after.resize(random() % (documents + 1));
    }
    lists.before_cut = random() % 3 == 0;
    lists.after_cut = random() % 3 == 0;
    lists.judged = random() % 2;
    lists.grades.assign(documents, -1);
    for (std::int32_t& grade : lists.grades)
        if (lists.judged && random() % 3 == 0) grade = static_cast<std::int32_t>(random() % 3);
    lists.judged = std::any_of(lists.grades.begin(), lists.grades.end(), [](auto grade) { return grade >= 0; });
    return lists;
}

Matching matched(const Problem& lists, const std::vector<double>& words) {
    Matching matching;
    matching.match({lists.before, {}, lists.before_cut}, {lists.after, {}, lists.after_cut}, lists.grades,
                   lists.judged);
    matching.look_up(words);
    return matching;
}

// The documents of a matching as numbers: those of before, of after alone, then those only judged.
Numbers order_of(const Problem& lists) {
    Numbers order = lists.before;
    const auto add = [&](std::uint32_t d) {
        if (std::find(order.begin(), order.end(), d) == order.end()) order.push_back(d);
    };
    for (const std::uint32_t d : lists.after) add(d);
    for (std::uint32_t d = 0; d < lists.grades.size(); ++d)
        if (lists.grades[d] >= 0) add(d);
    return order;
}

// What a witness says of each document; it agrees with the judgments.
Relevance by_document(const Problem& lists, const Scale& scale, const std::vector<double>& witness) {
    const Numbers order = order_of(lists);
    expect(witness.size() == order.size(), "the size of a witness", static_cast<double>(witness.size()));
    Relevance relevance(lists.grades.size() + scale.depth, 0.0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        relevance[order[i]] = witness[i];
        const std::int32_t grade = lists.grades[order[i]];
        if (grade >= 0)
            expect(witness[i] == scale.values[static_cast<std::size_t>(grade)], "a judged document", witness[i]);
        else
            expect(witness[i] == 0 || witness[i] == scale.values.back(), "relevance", witness[i]);
    }
    return relevance;
}

// The maximum with unseen ranks, for a given relevance of all that is seen.
double value_of(const Problem& lists, const Scale& scale, const Score& score, Relevance relevance) {
    Numbers after = lists.after;
    for (std::uint32_t more = 0; lists.after_cut && after.size() < scale.depth; ++more) {
        after.push_back(static_cast<std::uint32_t>(lists.grades.size()) + more);
        relevance[after.back()] = scale.values.back();
    }
    return score(after, relevance) - score(lists.before, relevance);
}

// What the same relevance leaves when nothing relevant follows in `after`, and all that is relevant and not in `before`
// follows there, the most relevant first; of the same relevance, in the order that `before` gains most from.
double least_of(const Problem& lists, const Score& score, const Relevance& relevance) {
    Numbers absent;
    for (std::uint32_t d = 0; d < lists.grades.size(); ++d)
        if (relevance[d] > 0 && std::find(lists.before.begin(), lists.before.end(), d) == lists.before.end())
            absent.push_back(d);
    double theirs = score(lists.before, relevance);
    if (lists.before_cut) {
        std::sort(absent.begin(), absent.end());
        do {
            Numbers before = lists.before;
            before.insert(before.end(), absent.begin(), absent.end());
            theirs = std::max(theirs, score(before, relevance));
        } while (std::next_permutation(absent.begin(), absent.end()));
    }
    return score(lists.after, relevance) - theirs;
}

// One direction: S(after) - S(before).
void check_direction(const char* name, const Defined& defined, const Problem& lists, const Matching& matching,
                     bool reversed, bool exact, bool has_definite_least) {
    const auto& [measure, scale, score, norm] = defined;
    const Side before = before_side(matching), after = after_side(matching);
    const Problem seen = reversed ? turned(lists) : lists;
    std::vector<double> witness;
    const auto workspace = measure.workspace();
    const Bounds bounds =
        measure.favour(matching, reversed ? before : after, reversed ? after : before, &witness, *workspace);
    const Relevance by_order = by_document(lists, scale, witness);
    const double expected = most_of_after(seen, scale, score).value;
    expect(bounds.gap >= 0 && bounds.gap < 1e9, name, bounds.gap);
    if (exact) expect(bounds.gap == 0, name, bounds.gap);
    expect(bounds.most <= expected + 1e-12 && bounds.most + bounds.gap >= expected - 1e-12, name, bounds.most,
           expected);
    expect_near("the value of a witness", value_of(seen, scale, score, by_order), bounds.most);
    if (has_definite_least) expect_near("least", bounds.least, least_of(seen, score, by_order));
    const bool before_seen = !seen.before_cut || seen.before.size() >= scale.depth,
               after_seen = !seen.after_cut || seen.after.size() >= scale.depth;
    if (before_seen && after_seen) expect(bounds.least == bounds.most, "all is seen", bounds.least, bounds.most);
}

void check(const char* name, const Defined& defined, const Problem& lists, const Matching& matching, bool exact,
           bool has_definite_least) {
    for (const bool reversed : {false, true})
        check_direction(name, defined, lists, matching, reversed, exact, has_definite_least);
    const auto workspace = defined.measure.workspace();
    const Solution solution = defined.measure.solve(matching, *workspace);
    const Difference difference = defined.measure.difference(matching, *workspace);
    expect(difference.row() == solution.difference.row(), "solve and difference");
    const Maximum gain = most_of_after(lists, defined.scale, defined.score),
                  loss = most_of_after(turned(lists), defined.scale, defined.score);
    if (exact) {
        expect_near("gain", difference.gain, gain.value);
        expect_near("loss", difference.loss, loss.value);
        expect_near("med", difference.med, std::max(gain.value, loss.value));
        expect(difference.gap == 0, "gap", difference.gap);
    }
    expect(difference.lower >= 0 && difference.lower <= difference.med, "lower", difference.lower, difference.med);
    const Relevance known = known_relevance(lists, defined.scale);
    expect_near("score", defined.measure.score(matching), defined.score(lists.before, known));
}

// The score of many assignments at once, of a list that may have ranks of no relevance at all.
void check_sums(const Multilinear& measure, const Score& score, std::size_t size, double top, Random& random) {
    constexpr std::size_t count = 3;
    std::vector<std::vector<double>> columns(size);
    RankColumns ranks;
    for (auto& column : columns) {
        for (std::size_t i = 0; i < count; ++i) column.push_back(random() % 2 ? top : 0.0);
        const bool none = std::all_of(column.begin(), column.end(), [](double r) { return r == 0; });
        ranks.push_back(none ? nullptr : column.data());
    }
    double sums[count + 1] = {9, 9, 9, 9};
    std::vector<double> scratch{5, 5};
    measure.sums(ranks, count, sums, scratch);
    for (std::size_t i = 0; i < count; ++i) {
        Relevance relevance;
        for (const auto& column : columns) relevance.push_back(column[i]);
        expect_near("sums", sums[i], score(all_of(size), relevance));
    }
    expect(sums[count] == 9, "sums beyond the last");
}

std::vector<double> random_discount(std::size_t depth, Random& random) {
    std::vector<double> discount(depth + 1, 0.0);
    const double power = 0.5 * static_cast<double>(random() % 3);
    for (std::size_t i = 1; i <= depth; ++i) discount[i] = std::pow(static_cast<double>(i), -power);
    if (random() % 4 == 0)
        for (std::size_t i = 1; i <= depth; ++i) discount[i] = std::pow(0.8, static_cast<double>(i - 1));
    return discount;
}

void check_cascade(const Problem& lists, const Matching& matching, Random& random) {
    const std::size_t depth = 1 + random() % 9;
    const std::vector<double> values = random() % 2 ? std::vector{0.0, 0.25, 1.0} : std::vector{0.0, 0.5, 0.75};
    const std::vector<double> discount = random_discount(depth, random);
    const double decay = std::vector{0.05, 0.3, 0.9, 1.0}[random() % 4], top = values.back();
    std::vector<double> tail(depth + 1, 0.0);
    for (std::size_t i = depth; i-- > 0;) tail[i] = top * discount[i + 1] + (1 - decay * top) * tail[i + 1];
    if (random() % 2) tail.pop_back();
    const std::size_t effort = random() % 3 ? 1000000 : random() % 60;
    const Cascade measure(discount, tail, values, decay, 2.0, effort);
    const Score score = cascade(discount, decay, 2.0);
    check("cascade", {measure, {values, depth}, score}, lists, matching, effort == 1000000, true);
    expect(measure.value(1) == values[1] && measure.top() == top && measure.norm(matching) == 2, "cascade");
    expect(!measure.at_once() && measure.looks_below() && measure.weights() == nullptr && !measure.by_intent() &&
               measure.intents(matching) == 0,
           "what a cascade says of itself");
    check_sums(measure, cascade(discount, decay, 1.0), 1 + random() % 9, top, random);
}

void check_average_precision(const Problem& lists, const Matching& matching, Random& random) {
    const std::size_t cutoff = 1 + random() % 9;
    const int rel = 1 + static_cast<int>(random() % 2);
    const std::vector<double> values{0.0, rel == 1 ? 1.0 : 0.0, 1.0};
    const auto relevant = static_cast<double>(
        std::count_if(lists.grades.begin(), lists.grades.end(), [&](std::int32_t grade) { return grade >= rel; }));
    const bool judged_ideal = random() % 4 == 0;
    const double norm = judged_ideal ? relevant : 3;
    const AveragePrecision measure(cutoff, rel, judged_ideal ? 0 : norm, 1000000);
    expect(measure.norm(matching) == norm, "norm", measure.norm(matching), norm);
    expect(measure.value(rel) == 1 && measure.value(rel - 1) == 0 && measure.top() == 1, "grades");
    if (norm == 0) {
        const auto workspace = measure.workspace();
        const Solution solution = measure.solve(matching, *workspace);
        for (const double column :
             {solution.difference.med, solution.difference.gain, solution.difference.loss, solution.difference.lower})
            expect(std::isnan(column), "without a relevant judgment", column);
        for (const double column : {solution.difference.gap, solution.difference.gain_gap, solution.difference.loss_gap,
                                    solution.difference.unseen})
            expect(column == 0, "a gap without a value", column);
        expect(solution.gain_relevance == std::vector<double>(matching.documents().size(), 0.0), "no witness");
        expect(measure.score(matching) == 0, "score without a relevant judgment", measure.score(matching));
        return;
    }
    check("average precision", {measure, {values, cutoff}, average_precision(cutoff, norm)}, lists, matching, true,
          true);
    expect(!measure.at_once() && measure.weights() == nullptr, "what average precision says of itself");
    check_sums(measure, average_precision(cutoff, 1), 1 + random() % 9, 1, random);
    const WithinLists within(std::make_shared<AveragePrecision>(cutoff, rel, norm, 1000000));
    Problem ended = lists;
    ended.before_cut = ended.after_cut = false;
    check("within lists", {within, {values, cutoff}, average_precision(cutoff, norm)}, ended, matching, true, true);
    expect(!within.looks_below() && !within.at_once() && within.top() == 1 && within.norm(matching) == norm &&
               within.value(rel) == 1 && within.weights() == nullptr,
           "what a measure within lists says of itself");
    check_sums(within, average_precision(cutoff, 1), 3, 1, random);
}

void check_time_biased_gain(const Problem& lists, const Matching& matching, const std::vector<double>& words,
                            Random& random) {
    const Calibration calibration = random() % 2 ? published : hurried;
    const std::size_t cutoff = 1 + random() % 9, effort = random() % 3 ? 1000000 : random() % 60;
    const TimeBiasedGain measure(calibration, cutoff, 1, effort);
    const Defined defined{measure, {{0.0, 1.0, 1.0}, cutoff}, time_biased_gain(calibration, cutoff, words)};
    check("time-biased gain", defined, lists, matching, effort == 1000000, true);
    expect(measure.looks_below() && !measure.at_once() && !measure.by_intent(), "what time-biased gain says of itself");
    if (random() % 8 == 0) {
        // Far enough down, nothing is left to gain.
        const TimeBiasedGain endless(hurried, TimeBiasedGain::endless, 1, 1000000);
        check("endless time-biased gain", {endless, {{0.0, 1.0, 1.0}, 1000}, time_biased_gain(hurried, 1000, words)},
              lists, matching, true, true);
    }
}

// What the documents that are not in `before` may take away, by standing in its unseen ranks: for each of its two
// bounds, and for each way to fill these ranks with them.
void check_least_of_dot_product(const DotProduct& measure, const Problem& lists, const Matching& matching,
                                const Scale& scale, const Score& score) {
    std::vector<double> witness;
    const auto workspace = measure.workspace();
    const Bounds bounds = measure.favour(matching, after_side(matching), before_side(matching), &witness, *workspace);
    Problem ended = lists;
    ended.before_cut = ended.after_cut = false;
    const double seen = most_of_after(ended, scale, score).value;
    if (!lists.before_cut || lists.before.size() >= scale.depth) {
        expect_near("nothing is taken away", bounds.least, seen);
        return;
    }
    Numbers absent;
    for (std::uint32_t d = 0; d < lists.grades.size(); ++d) {
        const bool in_after = std::find(lists.after.begin(), lists.after.end(), d) != lists.after.end();
        if ((lists.grades[d] > 0 || (in_after && lists.grades[d] < 0)) &&
            std::find(lists.before.begin(), lists.before.end(), d) == lists.before.end())
            absent.push_back(d);
    }
    if (absent.size() > 4) return;
    // Each stands at one of as many unseen ranks as there are documents; all are tried.
    double worst = seen;
    std::sort(absent.begin(), absent.end());
    do {
        Problem filled = ended;
        filled.before.insert(filled.before.end(), absent.begin(), absent.end());
        worst = std::min(worst, most_of_after(filled, scale, score).value);
    } while (std::next_permutation(absent.begin(), absent.end()));
    expect(bounds.least <= worst + 1e-12, "least is too high", bounds.least, worst);
    const bool unjudged = std::none_of(absent.begin(), absent.end(), [&](auto d) { return lists.grades[d] >= 0; });
    const bool judged = std::all_of(absent.begin(), absent.end(), [&](auto d) { return lists.grades[d] >= 0; });
    if (unjudged || judged) expect_near("least of one kind of document", bounds.least, worst);
}

void check_dot_product(const Problem& lists, const Matching& matching, Random& random) {
    const std::size_t depth = 1 + random() % 9;
    const std::vector<double> values = random() % 2 ? std::vector{0.0, 0.25, 1.0} : std::vector{0.0, 0.5, 0.75};
    const std::vector<double> discount = random_discount(depth, random);
    std::vector<double> tail(depth + 1, 0.0);
    for (std::size_t i = depth; i-- > 0;) tail[i] = discount[i + 1] + tail[i + 1];
    if (random() % 2) tail.pop_back();
    std::vector<double> ideal;
    for (const std::int32_t grade : lists.grades)
        if (grade > 0) ideal.push_back(values[static_cast<std::size_t>(grade)]);
    std::sort(ideal.rbegin(), ideal.rend());
    double norm = 0;
    for (std::size_t i = 0; i < ideal.size() && i < depth; ++i) norm += ideal[i] * discount[i + 1];
    const bool judged_ideal = random() % 4 == 0;
    if (!judged_ideal) norm = 4;
    const DotProduct measure(discount, tail, values, {}, judged_ideal ? 0 : norm);
    expect_near("norm", measure.norm(matching), norm);
    const auto workspace = measure.workspace();
    if (norm == 0) {
        expect(std::isnan(measure.difference(matching, *workspace).med), "an ideal of 0");
        expect(measure.score(matching) == 0, "score without a relevant judgment", measure.score(matching));
        return;
    }
    const Score score = cascade(discount, 0, norm);
    const Scale scale{values, depth};
    check("dot product", {measure, scale, score}, lists, matching, true, false);
    check_least_of_dot_product(measure, lists, matching, scale, score);
    expect(static_cast<const Measure&>(measure).at_once() && measure.weights() != nullptr &&
               *measure.weights() == discount && measure.value(1) == values[1] && measure.top() == values.back() &&
               !measure.by_intent(),
           "what a dot product says of itself");
    check_sums(measure, cascade(discount, 0, 1), 1 + random() % 9, values.back(), random);
    const Difference difference = measure.difference(matching, *workspace);
    const auto ranks = [&](std::size_t size, bool cut) { return std::min(depth, cut ? depth : size); };
    if (!lists.judged && ranks(lists.before.size(), lists.before_cut) == ranks(lists.after.size(), lists.after_cut))
        expect(difference.gain == difference.loss, "both directions", difference.gain, difference.loss);
}

}  // namespace

// Of very many undecided documents, those far down in both lists are taken as not relevant: the gap holds what all of
// them add once they are reached, and the value is that of the top of the lists, but for that much.
void check_far_documents() {
    constexpr std::size_t size = 120000, horizon = 10000, top = 1000;
    constexpr double decay = 0.9375;
    Random random(1);
    const Numbers before = all_of(size), after = reordered(before, true, random);
    const auto solve = [&](std::size_t depth) {
        std::vector<double> discount(depth + 1, 0.0);
        for (std::size_t i = 1; i <= depth; ++i) discount[i] = 1.0 / static_cast<double>(i);
        Matching matching;
        matching.match({before, {}, false}, {after, {}, false}, std::vector<std::int32_t>(size, -1), false);
        const Cascade cascade(discount, std::vector<double>(depth + 1, 0.0), {0.0, 1.0}, decay, 1.0, 1000000);
        return cascade.difference(matching, *cascade.workspace());
    };
    const auto below = [](std::size_t rank) {
        double sum = 0;
        for (std::size_t i = rank + 40; i > rank; --i) sum = 1.0 / static_cast<double>(i) + (1 - decay) * sum;
        return sum;
    };
    const Difference whole = solve(size), cut = solve(top);
    expect(cut.gain_gap == 0 && cut.loss_gap == 0, "the top of long lists");
    for (const auto& [value, gap, expected] :
         {std::tuple{whole.gain, whole.gain_gap, cut.gain}, std::tuple{whole.loss, whole.loss_gap, cut.loss}}) {
        expect(gap >= below(horizon) && gap <= 2 * below(horizon), "a gap of what is far", gap, below(horizon));
        expect(value <= expected + below(top) && value + gap >= expected - below(top), "long lists", value, expected);
    }
}

void check_measures(Random& random) {
    const Problem lists = random_problem(random);
    const std::vector<double> words = random_words(lists.grades.size(), random);
    const Matching matching = matched(lists, words);
    check_cascade(lists, matching, random);
    check_average_precision(lists, matching, random);
    check_time_biased_gain(lists, matching, words, random);
    check_dot_product(lists, matching, random);
}
