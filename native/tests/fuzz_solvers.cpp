// The solvers under the sanitizers: random small problems against every assignment, and large ones, where a search that
// goes on longer must stay within the interval of a shorter one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "measures/average_precision.hpp"
#include "measures/cascade.hpp"
#include "measures/time_biased_gain.hpp"
#include "solvers/alignment.hpp"

using namespace medir;

namespace {

using Random = std::mt19937_64;
using Numbers = std::vector<std::uint32_t>;

struct Lists {
    Numbers before, after;
};

// Two lists of the same documents: any order, or nearly the same.
Lists random_lists(std::size_t size, Random& random) {
    Lists lists{Numbers(size), {}};
    std::iota(lists.before.begin(), lists.before.end(), 0);
    lists.after = lists.before;
    if (random() % 2)
        std::shuffle(lists.after.begin(), lists.after.end(), random);
    else
        for (std::size_t swaps = size; swaps-- > 0;) {
            const std::size_t i = random() % size, j = std::min(size - 1, i + random() % 8);
            std::swap(lists.after[i], lists.after[j]);
        }
    return lists;
}

double cascade_score(const Numbers& list, const std::vector<double>& discount, double decay, std::size_t relevant) {
    double sum = 0, reach = 1;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!(relevant >> list[i] & 1)) continue;
        sum += reach * discount[i + 1];
        reach *= 1 - decay;
    }
    return sum;
}

double precision_score(const Numbers& list, std::size_t relevant) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (relevant >> list[i] & 1) sum += ++count / static_cast<double>(i + 1);
    return sum / static_cast<double>(list.size());
}

using Calibration = TimeBiasedGain::Calibration;
constexpr Calibration published{224, 0.4928, 4.4, 7.8, 0.018, 0.64, 0.39};
constexpr Calibration hurried{60,   1,   1,  2,
                              0.01, 0.9, 0.1};  // relevance costs more, and more is left to branch and bound

// By the clock of the user.
double timed_score(const Numbers& list, const std::vector<double>& words, const Calibration& calibration,
                   std::size_t relevant) {
    double sum = 0, seconds = 0;
    for (const std::uint32_t number : list) {
        const bool is_relevant = relevant >> number & 1;
        if (is_relevant) sum += calibration.gain * std::exp2(-seconds / calibration.half_life);
        seconds += calibration.snippet + (is_relevant ? calibration.click_relevant : calibration.click_not_relevant) *
                                             (calibration.document + calibration.word * words[number]);
    }
    return sum;
}

std::vector<double> random_words(std::size_t size, Random& random) {
    std::vector<double> words(size);
    std::lognormal_distribution<double> usual(6.4, 1);
    for (double& one : words) one = random() % 4 ? usual(random) : static_cast<double>(random() % 40000);
    return words;
}

template <class Score>
double by_enumeration(std::size_t documents, const Lists& lists, Score score) {
    double most = 0;
    for (std::size_t relevant = 0; relevant < std::size_t{1} << documents; ++relevant)
        most = std::max(most, std::abs(score(lists.after, relevant) - score(lists.before, relevant)));
    return most;
}

[[noreturn]] void fail(const char* what, double value, double expected) {
    std::fprintf(stderr, "%s: %.17g where %.17g was expected\n", what, value, expected);
    std::exit(1);
}

Difference difference(const Measure& measure, const Matching& matching) {
    return measure.difference(matching, *measure.workspace());
}

void check_small(Random& random) {
    const std::size_t size = 1 + random() % 9;
    const Lists lists = random_lists(size, random);
    const double decay = std::vector{0.05, 0.3, 0.9, 1.0}[random() % 4],
                 power = 0.5 * static_cast<double>(random() % 3);
    std::vector<double> discount(size + 1, 0.0);
    for (std::size_t i = 1; i <= size; ++i) discount[i] = std::pow(static_cast<double>(i), -power);
    Matching matching;
    matching.match({lists.before, {}}, {lists.after, {}}, std::vector<std::int32_t>(size, Document::unjudged), false);
    const Cascade cascade(discount, std::vector<double>(size + 1, 0.0), {0.0, 1.0}, decay, 1.0, 1000000);
    const double found = difference(cascade, matching).med;
    const double expected = by_enumeration(size, lists, [&](const Numbers& list, std::size_t relevant) {
        return cascade_score(list, discount, decay, relevant);
    });
    if (std::abs(found - expected) > 1e-12) fail("cascade", found, expected);
    const AveragePrecision precision(size, 1, static_cast<double>(size), 1000000);
    const double average = difference(precision, matching).med;
    const double wanted = by_enumeration(size, lists, precision_score);
    if (std::abs(average - wanted) > 1e-12) fail("average precision", average, wanted);
}

// Lists that share some of their documents: those of one list are unknowns too.
void check_small_timed(Random& random) {
    const std::size_t size = 1 + random() % 9;
    Lists lists = random_lists(size, random);
    lists.before.resize(random() % (size + 1));
    lists.after.resize(random() % (size + 1));
    const std::vector<double> words = random_words(size, random);
    Matching matching;
    matching.match({lists.before, {}}, {lists.after, {}}, std::vector<std::int32_t>(size, Document::unjudged), false);
    matching.look_up(words);
    const Calibration calibration = random() % 2 ? published : hurried;
    const std::size_t effort = random() % 2 ? 1000000 : 100;  // without room for the table of a walk
    const TimeBiasedGain measure(calibration, TimeBiasedGain::endless, 1, effort);
    const Difference found = difference(measure, matching);
    const double expected = by_enumeration(size, lists, [&](const Numbers& list, std::size_t relevant) {
        return timed_score(list, words, calibration, relevant);
    });
    if (found.med > expected + 1e-12 || found.med + found.gap < expected - 1e-12 || (effort > 100 && found.gap > 0))
        fail("time-biased gain", found.med, expected);
}

// What the straddlers of all cuts on the chosen path cost together, and on the best of all paths.
void check_path(const Numbers& favoured, const Numbers& other, std::size_t unknowns) {
    const auto cost = [](std::size_t straddlers) {
        return std::ldexp(1.0, std::min(static_cast<int>(straddlers), 25));
    };
    Alignment alignment;
    alignment.align(favoured, other, unknowns);
    std::size_t i = 0, j = 0, straddlers = 0;
    double chosen = cost(0);
    for (const auto& [unknown, in_favoured, in_other, kind] : alignment.steps()) {
        if ((in_favoured && favoured[i++] != unknown) || (in_other && other[j++] != unknown))
            fail("a path", unknown, 0);
        if (kind == Alignment::Kind::opens) ++straddlers;
        if (kind == Alignment::Kind::closes) --straddlers;
        chosen += cost(straddlers);
    }
    if (i != favoured.size() || j != other.size()) fail("the end of a path", static_cast<double>(i + j), 0);
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
    if (chosen != row.back()) fail("the cost of a path", chosen, row.back());
}

void check_random_path(Random& random) {
    const std::size_t size = 1 + random() % 60;
    Lists lists = random_lists(size, random);
    lists.before.resize(random() % (size + 1));
    lists.after.resize(random() % (size + 1));
    check_path(lists.before, lists.after, size);
}

// Stretches that are reversed, and thus costly on every path, above many documents that keep their order: the sum of
// all costs is far beyond 32 bits.
void check_long_path() {
    constexpr std::uint32_t stretches = 25, reversed = 100, kept = 7, end = 200;
    Lists lists;
    for (std::uint32_t document = 0; document < stretches * (reversed + kept) + end; ++document) {
        const std::uint32_t place = document % (reversed + kept);
        const bool moves = document < stretches * (reversed + kept) && place < reversed;
        lists.before.push_back(document);
        lists.after.push_back(moves ? document - place + reversed - 1 - place : document);
    }
    check_path(lists.before, lists.after, lists.before.size());
}

// Whether an interval is empty together with those of other efforts.
struct Narrowing {
    double least = 0, most = 1e9;

    void add(const char* what, const Difference& found) {
        if (found.med > most + 1e-12 || found.med + found.gap < least - 1e-12) fail(what, found.med, most);
        least = std::max(least, found.med);
        most = std::min(most, found.med + found.gap);
    }
};

void check_large(Random& random) {
    const std::size_t size = 40 + random() % 200;
    const Lists lists = random_lists(size, random);
    std::vector<double> discount(size + 1, 0.0), tail(size + 1, 0.0);
    for (std::size_t i = 1; i <= size; ++i) discount[i] = 1 / std::sqrt(static_cast<double>(i));
    const double decay = random() % 2 ? 0.3 : 0.05;
    for (std::size_t i = size; i-- > 0;) tail[i] = discount[i + 1] + (1 - decay) * tail[i + 1];
    std::vector<std::int32_t> grades(size, Document::unjudged);
    const bool judged = random() % 2;
    for (std::size_t i = 0; judged && i < size; i += 7) grades[i] = static_cast<std::int32_t>(i % 3);
    Matching matching;
    matching.match({lists.before, {}, random() % 2 > 0}, {lists.after, {}, random() % 2 > 0}, grades, judged);
    matching.look_up(random_words(size, random));
    Narrowing cascades, times;
    for (const std::size_t effort : {std::size_t{1}, std::size_t{3000}, std::size_t{100000}}) {
        const Cascade cascade(discount, tail, {0.0, 0.25, 1.0}, decay, 1.0, effort);
        cascades.add("an interval of a cascade", difference(cascade, matching));
        const TimeBiasedGain timed(published, TimeBiasedGain::endless, 1, effort);
        times.add("an interval of time-biased gain", difference(timed, matching));
    }
}

}  // namespace

int main(int count, char** arguments) {
    const long rounds = count > 1 ? std::atol(arguments[1]) : 2000;
    Random random(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1);
    for (long round = 0; round < rounds; ++round) {
        check_small(random);
        check_small_timed(random);
        check_random_path(random);
    }
    check_long_path();
    for (long round = 0; round < rounds / 100; ++round) check_large(random);
    std::printf("%ld problems: all solved\n", rounds);
}
