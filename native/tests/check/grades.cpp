// Measures that know how many documents of each grade there are, and measures of several intents; what both directions
// make of a difference.
#include <memory>
#include <string>

#include "check/checks.hpp"
#include "measures/average_precision.hpp"
#include "measures/cascade.hpp"
#include "measures/dot_product.hpp"
#include "measures/intents.hpp"

using namespace medir;
using namespace oracle;

namespace {

// Tokens that go to slots of some weight, each to one at most; some to the later ones only.
struct Giving {
    std::vector<double> tokens, slots;
    std::size_t free = 0;   // tokens that may go to all slots
    std::size_t first = 0;  // slot for the others

    double most(std::size_t token = 0, std::size_t used = 0) const {
        if (token == tokens.size()) return 0;
        double best = most(token + 1, used);
        for (std::size_t slot = token < free ? 0 : first; slot < slots.size(); ++slot)
            if (!(used >> slot & 1))
                best = std::max(best, tokens[token] * slots[slot] + most(token + 1, used | std::size_t{1} << slot));
        return best;
    }
};

struct Limited {
    std::vector<double> discount, tail, values{0, 0.5, 2};
    std::vector<std::int64_t> available;
    Problem lists;
    std::size_t depth = 0;

    double weight(const Numbers& list, std::uint32_t document) const {
        const auto place = std::find(list.begin(), list.end(), document) - list.begin();
        const auto rank = static_cast<std::size_t>(place) + 1;
        return rank <= list.size() && rank <= depth ? discount[rank] : 0;
    }
    // By definition; `after` is favoured.
    double most(const Problem& seen) const {
        double known = 0;
        std::vector<std::int64_t> left = available;
        Giving giving;
        std::vector<double> judged;
        for (std::uint32_t d = 0; d < seen.grades.size(); ++d) {
            const double change = weight(seen.after, d) - weight(seen.before, d);
            const bool in_after = std::find(seen.after.begin(), seen.after.end(), d) != seen.after.end();
            if (seen.grades[d] < 0) {
                if (change > 0) giving.slots.push_back(change);
                continue;
            }
            const auto grade = static_cast<std::size_t>(seen.grades[d]);
            --left[grade];
            known += values[grade] * change;
            if (!in_after && grade > 0) judged.push_back(values[grade]);
        }
        for (std::size_t grade = 1; grade < left.size(); ++grade)
            for (std::int64_t i = 0; i < left[grade]; ++i) giving.tokens.push_back(values[grade]);
        giving.free = giving.tokens.size();
        giving.first = giving.slots.size();
        giving.tokens.insert(giving.tokens.end(), judged.begin(), judged.end());
        for (std::size_t rank = seen.after.size() + 1; seen.after_cut && rank <= depth; ++rank)
            giving.slots.push_back(discount[rank]);
        return known + giving.most();
    }
};

Limited random_limited(Random& random) {
    Limited limited;
    limited.depth = 1 + random() % 7;
    limited.discount.assign(limited.depth + 1, 0.0);
    limited.tail.assign(limited.depth + 1, 0.0);
    for (std::size_t i = 1; i <= limited.depth; ++i) limited.discount[i] = 1 / std::log2(1 + static_cast<double>(i));
    for (std::size_t i = limited.depth; i-- > 0;) limited.tail[i] = limited.discount[i + 1] + limited.tail[i + 1];
    const std::size_t documents = 1 + random() % 5;
    Problem& lists = limited.lists;
    lists.before = all_of(documents);
    lists.after = reordered(lists.before, false, random);
    lists.before.resize(random() % (documents + 1));
    lists.after.resize(random() % (documents + 1));
    lists.before_cut = random() % 2;
    lists.after_cut = random() % 2;
    lists.grades.assign(documents, -1);
    for (std::int32_t& grade : lists.grades)
        if (random() % 4 == 0) grade = static_cast<std::int32_t>(random() % 3);
    lists.judged = std::any_of(lists.grades.begin(), lists.grades.end(), [](auto grade) { return grade >= 0; });
    limited.available = {100, static_cast<std::int64_t>(random() % 3), static_cast<std::int64_t>(random() % 3)};
    return limited;
}

// The witness gives no more documents a grade than there are, and makes the value.
void check_witness(const Limited& limited, const Problem& seen, const Numbers& order,
                   const std::vector<double>& witness, double most) {
    expect(witness.size() == order.size(), "the size of a witness");
    std::vector<std::int64_t> left = limited.available;
    double value = 0;
    std::vector<double> absent;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint32_t d = order[i];
        const auto grade = static_cast<std::size_t>(
            std::find(limited.values.begin(), limited.values.end(), witness[i]) - limited.values.begin());
        expect(grade < limited.values.size(), "a value of a witness", witness[i]);
        if (seen.grades[d] >= 0) expect(grade == static_cast<std::size_t>(seen.grades[d]), "a judged document");
        if (--left[grade] < 0 && grade > 0) expect(seen.grades[d] >= 0, "more of a grade than there are");
        value += witness[i] * (limited.weight(seen.after, d) - limited.weight(seen.before, d));
    }
    if (!seen.after_cut) {
        expect_near("the value of a witness", value, most);
        return;
    }
    // What is left of the grades, and what is judged and not in the list, stands in the unseen ranks.
    for (std::size_t grade = 1; grade < left.size(); ++grade)
        for (std::int64_t i = 0; i < left[grade]; ++i) absent.push_back(limited.values[grade]);
    for (std::size_t i = 0; i < order.size(); ++i)
        if (seen.grades[order[i]] > 0 && std::find(seen.after.begin(), seen.after.end(), order[i]) == seen.after.end())
            absent.push_back(witness[i]);
    std::sort(absent.rbegin(), absent.rend());
    for (std::size_t i = 0; i < absent.size() && seen.after.size() + i + 1 <= limited.depth; ++i)
        value += absent[i] * limited.discount[seen.after.size() + i + 1];
    expect_near("the value of a witness with unseen ranks", value, most);
}

// The relevance where `after` had ended, less what the relevant documents that are not in `before` take away from
// there.
double least_limited(const Limited& limited, const Problem& seen, const Numbers& order,
                     const std::vector<double>& witness) {
    double value = 0;
    std::vector<double> absent;
    for (std::size_t i = 0; i < order.size(); ++i) {
        value += witness[i] * (limited.weight(seen.after, order[i]) - limited.weight(seen.before, order[i]));
        if (std::find(seen.before.begin(), seen.before.end(), order[i]) == seen.before.end())
            absent.push_back(witness[i]);
    }
    std::sort(absent.rbegin(), absent.rend());
    for (std::size_t i = 0; seen.before_cut && i < absent.size(); ++i)
        if (seen.before.size() + i + 1 <= limited.depth)
            value -= absent[i] * limited.discount[seen.before.size() + i + 1];
    return value;
}

// Judgments of one query by intent, in memory.
class Judgments : public medir::Lists {
public:
    void add(std::string document, std::string intent, double grade) {
        documents_.push_back(std::move(document));
        intents_.push_back(std::move(intent));
        grades_.push_back(grade);
    }
    std::size_t queries() const override { return 1; }
    std::string_view query(std::size_t) const override { return "q"; }
    void read(std::size_t, std::vector<Entry>& entries) const override {
        entries.clear();
        for (std::size_t i = 0; i < documents_.size(); ++i) {
            const std::string& id = documents_[i];
            const std::uint32_t hash = hash_bytes(id);
            entries.push_back({id.data(), grades_[i], static_cast<std::uint32_t>(id.size()), hash});
        }
    }
    std::string_view intent(std::size_t, const Entry&, std::size_t position) const override {
        return intents_[position];
    }
    InputError error(std::size_t, const Entry&, std::string problem, std::string remedy) const override {
        return {"judgments", 0, "", std::move(problem), std::move(remedy)};
    }

private:
    std::vector<std::string> documents_, intents_;
    std::vector<double> grades_;
};

}  // namespace

void check_counts_of_grades(Random& random) {
    const Limited limited = random_limited(random);
    const Problem& lists = limited.lists;
    constexpr double norm = 2;
    const DotProduct measure(limited.discount, limited.tail, limited.values, limited.available, norm);
    Matching matching;
    matching.match({lists.before, {}, lists.before_cut}, {lists.after, {}, lists.after_cut}, lists.grades,
                   lists.judged);
    Numbers order = lists.before;
    for (std::uint32_t i = 0; i < lists.after.size(); ++i)
        if (std::find(order.begin(), order.end(), lists.after[i]) == order.end()) order.push_back(lists.after[i]);
    for (std::uint32_t d = 0; d < lists.grades.size(); ++d)
        if (lists.grades[d] >= 0 && std::find(order.begin(), order.end(), d) == order.end()) order.push_back(d);
    const auto workspace = measure.workspace();
    const Difference difference = measure.difference(matching, *workspace);
    for (const bool reversed : {false, true}) {
        const Problem seen = reversed ? turned(lists) : lists;
        Side favoured = reversed ? before_side(matching) : after_side(matching);
        const Side other = reversed ? after_side(matching) : before_side(matching);
        std::vector<double> witness;
        const Bounds bounds = measure.favour(matching, favoured, other, &witness, *workspace);
        const double most = limited.most(seen);
        expect_near("counts of grades", bounds.most * norm, most);
        expect_near("counts of grades, difference", reversed ? difference.loss : difference.gain, most / norm);
        check_witness(limited, seen, order, witness, most);
        favoured.cut = false;
        measure.favour(matching, favoured, other, &witness, *workspace);
        expect_near("least with counts of grades", bounds.least * norm, least_limited(limited, seen, order, witness));
    }
}

void check_intents(Random& random) {
    const std::vector<std::string> names{"a", "b", "c", "d", "e"};
    Judgments before, after, qrels;
    Problem lists;
    lists.before = reordered(all_of(5), false, random);
    lists.after = reordered(all_of(5), false, random);
    lists.before.resize(1 + random() % 5);
    lists.after.resize(1 + random() % 5);
    lists.before_cut = lists.after_cut = random() % 2;
    const std::size_t judged = random() % 4, intents = 1 + random() % 4;
    std::vector<std::vector<std::int32_t>> grades(std::max(judged, intents), std::vector<std::int32_t>(5, -1));
    for (std::size_t intent = 0; intent < judged; ++intent)
        for (std::size_t d = 0; d < 5; ++d)
            if (d == intent || random() % 3 == 0) {
                grades[intent][d] = static_cast<std::int32_t>(random() % 2);
                qrels.add(names[d], std::to_string(intent), grades[intent][d]);
            }
    for (const std::uint32_t d : lists.before) before.add(names[d], "", 0);
    for (const std::uint32_t d : lists.after) after.add(names[d], "", 0);
    Matching matching;
    const UnseenRule rule = lists.before_cut ? UnseenRule::anything : UnseenRule::nothing;
    matching.match({&before, 0, 0}, {&after, 0, 1}, &qrels, 0,
                   {100, Repeats::error, Intents::kept, Ties::ignored, Unseen(rule, {0, 0})}, false);
    const std::vector<double> discount{0, 1, 0.5, 0.25, 0.125, 0.1, 0.05};
    std::vector<double> tail(7, 0.0);
    for (std::size_t i = 6; i-- > 0;) tail[i] = discount[i + 1] + 0.5 * tail[i + 1];
    const auto one = std::make_shared<Cascade>(discount, tail, std::vector{0.0, 1.0}, 0.5, 1.0, 1000000);
    const IntentAware measure(one, intents);
    double gain = 0, loss = 0, score = 0;
    const Score by_definition = cascade(discount, 0.5, 1);
    const Scale scale{{0.0, 1.0}, 6};
    for (const auto& of_intent : grades) {
        lists.grades = of_intent;
        lists.judged = true;
        gain += most_of_after(lists, scale, by_definition).value / static_cast<double>(grades.size());
        loss += most_of_after(turned(lists), scale, by_definition).value / static_cast<double>(grades.size());
        score += by_definition(lists.before, known_relevance(lists, scale)) / static_cast<double>(grades.size());
    }
    const auto workspace = measure.workspace();
    const Solution solution = measure.solve(matching, *workspace);
    expect_near("gain over intents", solution.difference.gain, gain);
    expect_near("loss over intents", solution.difference.loss, loss);
    expect_near("score over intents", measure.score(matching), score);
    expect(solution.gain_relevance.size() == matching.documents().size() * grades.size(), "relevance by intent");
    // The witness, intent by intent; and least, from the same relevance.
    double value = 0, least = 0;
    Side after_alone = after_side(matching);
    std::vector<double> expected;
    for (std::size_t intent = 0; intent < grades.size(); ++intent) {
        std::vector<double> of_one;
        const Bounds bounds =
            one->favour(matching.of_intent(intent), after_alone, before_side(matching), &of_one, *workspace);
        expected.insert(expected.end(), of_one.begin(), of_one.end());
        value += bounds.most / static_cast<double>(grades.size());
        least += bounds.least / static_cast<double>(grades.size());
    }
    std::vector<double> witness{7};
    const Bounds bounds = measure.favour(matching, after_alone, before_side(matching), &witness, *workspace);
    expect(witness == expected && solution.gain_relevance == expected, "witnesses of intents");
    expect_near("most over intents", bounds.most, value);
    expect_near("least over intents", bounds.least, least);
    expect(bounds.gap == 0, "gap over intents", bounds.gap);
    expect(measure.by_intent() && !measure.at_once() && measure.intents(matching) == grades.size() &&
               measure.value(1) == 1 && measure.top() == 1 && measure.norm(matching) == 1 &&
               measure.weights() == nullptr && measure.looks_below(),
           "what a measure of intents says of itself");
    double sums[1];
    std::vector<double> scratch;
    const double relevant = 1;
    measure.sums({&relevant, &relevant}, 1, sums, scratch);
    expect_near("sums of one intent", sums[0], 1.25);
    // A search that is cut short leaves the mean of what it leaves for each intent.
    const auto hasty = std::make_shared<Cascade>(discount, tail, std::vector{0.0, 1.0}, 0.5, 1.0, 0);
    double gap = 0;
    for (std::size_t intent = 0; intent < grades.size(); ++intent)
        gap += hasty->favour(matching.of_intent(intent), after_alone, before_side(matching), nullptr, *workspace).gap;
    expect_near(
        "gaps over intents",
        IntentAware(hasty, intents).favour(matching, after_alone, before_side(matching), nullptr, *workspace).gap,
        gap / static_cast<double>(grades.size()));
}

void check_differences() {
    const auto near = [](const Difference& difference, std::array<double, 8> row) {
        for (std::size_t i = 0; i < row.size(); ++i) expect_near("a column", difference.row()[i], row[i]);
    };
    near(difference_of({0.5, 0.5, 0}, {0.25, 0.25, 0}), {0.5, 0.5, 0.25, 0.5, 0, 0, 0, 0});
    near(difference_of({0.25, 0.25, 0}, {0.5, 0.5, 0}), {0.5, 0.25, 0.5, 0.5, 0, 0, 0, 0});
    near(difference_of({0.5, 0.125, 0}, {0.25, 0.25, 0}), {0.5, 0.5, 0.25, 0.25, 0, 0, 0, 0});
    near(difference_of({0.5, 0.5, 0}, {0.25, -0.25, 0}), {0.5, 0.5, 0.25, 0.5, 0, 0, 0, 0});
    near(difference_of({0.5, -0.125, 0}, {0.25, -0.25, 0}), {0.5, 0.5, 0.25, 0, 0, 0, 0, 0});
    near(difference_of({0.5, 0.25, 0.125}, {0.25, 0.125, 0.5}), {0.5, 0.5, 0.25, 0.25, 0.25, 0.125, 0.5, 0});
    near(difference_of({0.5, 0.5, 0.25}, {0.25, 0.25, 0.125}), {0.5, 0.5, 0.25, 0.5, 0.25, 0.25, 0.125, 0});
    // Where every assignment makes the list worse, both directions are below 0 with judgments.
    near(difference_of({-0.5, -0.75, 0}, {-0.25, -0.5, 0}), {-0.25, -0.5, -0.25, 0, 0, 0, 0, 0});
    expect(added_by_unseen(0.5, 0.25) == 0.25, "added by unseen ranks");
    expect(added_by_unseen(0.5, 0.5 - 0.4e-12) == 0 && added_by_unseen(0.5, 0.5 - 0.6e-12) > 0, "rounding");
    expect(added_by_unseen(0.25, 0.5) == 0, "never taken away");
    const Changes changes{1, 2, 3};
    expect(changes.row() == std::array<std::uint32_t, 3>{1, 2, 3}, "columns of changes");
    expect(std::isnan(no_value), "no value");
}
