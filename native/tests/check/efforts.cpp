// What the searches reach with little effort, on fixed problems: the gaps they leave and how far the best they find
// stays behind. A search that prunes or bounds less well reaches less than is stated here; one that reaches more does
// more work than it was asked for, or is better: then --show prints what to state.
#include <atomic>
#include <cstdio>
#include <map>
#include <string>

#include "check/checks.hpp"
#include "check/problems.hpp"
#include "measures/average_precision.hpp"
#include "measures/cascade.hpp"

using namespace medir;
using namespace oracle;

namespace {

struct Reached {
    double gaps = 0, behind = 0;  // summed over problems
    int proven = 0;
};

struct Family {
    std::string name;
    std::vector<std::size_t> efforts;
    int problems;
    std::function<Optimum(int number, std::size_t effort)> solve;
};

// The assignment that was found has the value.
Optimum with_value(const Optimum& optimum, double of_assignment) {
    expect_near("the value of an assignment", of_assignment, optimum.value);
    return optimum;
}

Optimum solve_quadratic_problem(QuadraticProblem& problem, std::size_t effort) {
    Budget budget(effort);
    const double gap = problem.maximise(budget);
    return {quadratic_value(problem.function, problem.assignment()), gap};
}

Optimum solve_quadratic(int number, std::size_t effort) {
    static QuadraticProblem problem;
    Random random(static_cast<std::uint64_t>(number));
    fill_quadratic(problem.function, 10 + static_cast<std::size_t>(number) % 30, number % 2, number % 4 > 0, random);
    return solve_quadratic_problem(problem, effort);
}

// A search without an end, but for the effort.
Optimum solve_large_quadratic(int number, std::size_t effort) {
    static QuadraticProblem problem;
    Random random(static_cast<std::uint64_t>(number));
    fill_quadratic(problem.function, 100 + 10 * static_cast<std::size_t>(number), false, true, random);
    return solve_quadratic_problem(problem, effort);
}

Optimum solve_by_walk(const Cascades& cascades, std::size_t effort) {
    static Walk walk;
    Budget budget(effort);
    const auto size = static_cast<int>(cascades.problem.size());
    const Optimum optimum = walk.maximise(cascades.problem, cascades.keep, size, 1e-13, budget);
    return with_value(optimum, cascades.value(walk.assignment()));
}

Optimum solve_by_counts(const Cascades& cascades, std::size_t effort) {
    static CountSearch search;
    const CountedDifference& problem = cascades.problem;
    const std::size_t size = problem.size();
    const std::vector<char> none(size, 0), all(size, 1);
    const double bound = problem.favoured.value(all, cascades.level) - problem.other.value(none, cascades.level);
    Budget budget(effort);
    const Optimum optimum = search.maximise(problem, none, bound, static_cast<int>(size), 1e-13, budget);
    return with_value(optimum, cascades.value(search.assignment()));
}

Optimum solve_walk_of(std::size_t size, bool nearly, int number, std::size_t effort) {
    Random random(static_cast<std::uint64_t>(number));
    Cascades cascades;
    fill_cascades(cascades, size, nearly, random);
    return solve_by_walk(cascades, effort);
}

Optimum solve_walk(int number, std::size_t effort) {
    return solve_walk_of(10 + static_cast<std::size_t>(number) % 30, number % 4 < 3, number, effort);
}

// Wider cuts than one word has bits for, or four.
Optimum solve_wide_walk(int number, std::size_t effort) {
    return solve_walk_of(number < 2 ? 180 : 600, number % 2, number, effort);
}

Optimum solve_counts(int number, std::size_t effort) {
    Random random(static_cast<std::uint64_t>(number));
    Cascades cascades;
    fill_cascades(cascades, 10 + static_cast<std::size_t>(number) % 60, number % 4 < 2, random);
    return solve_by_counts(cascades, effort);
}

template <Optimum (&solve)(const Cascades&, std::size_t)>
Optimum solve_rising(int number, std::size_t effort) {
    Random random(static_cast<std::uint64_t>(number));
    Cascades cascades;
    fill_rising_cascades(cascades, 10 + static_cast<std::size_t>(number) % 20, random);
    return solve(cascades, effort);
}

Optimum solve_timed(int number, std::size_t effort) {
    static TimedDifference problem;
    Random random(static_cast<std::uint64_t>(number));
    fill_timed(problem, 10 + static_cast<std::size_t>(number) % 30, number % 2, number % 3 == 0, random);
    Budget budget(effort);
    const Optimum optimum = problem.maximise(1e-13, budget);
    return with_value(optimum, timed_value(problem, problem.relevance));
}

Optimum solve_measure(const Effectiveness& measure, const Matching& matching) {
    const auto workspace = measure.workspace();
    const Bounds bounds = measure.favour(matching, after_side(matching), before_side(matching), nullptr, *workspace);
    return {bounds.most, bounds.gap};
}

// Through the measure: what its derivatives settle is not left to the walk. The unit of a score does not matter.
Optimum solve_cascade(int number, std::size_t effort) {
    Random random(static_cast<std::uint64_t>(number));
    const std::size_t size = 10 + static_cast<std::size_t>(number) % 40;
    std::vector<double> discount(size + 1, 0.0);
    for (std::size_t i = 1; i <= size; ++i) discount[i] = 1 / std::sqrt(static_cast<double>(i));
    const double decay = number % 2 ? 0.3 : 0.05;
    std::vector<std::int32_t> grades(size, -1);
    for (std::size_t i = 0; number % 3 == 0 && i < size; i += 5) grades[i] = static_cast<std::int32_t>(i % 3);
    Matching matching;
    const Numbers before = all_of(size), after = reordered(before, number % 4 < 3, random);
    matching.match({before, {}, false}, {after, {}, false}, grades, number % 3 == 0);
    const auto in_units = [&](double unit) {
        std::vector<double> scaled = discount;
        for (double& d : scaled) d *= unit;
        const std::vector<double> tail(size + 1, 0.0);
        return solve_measure(Cascade(scaled, tail, {0.0, 0.25, 1.0}, decay, unit, effort), matching);
    };
    const Optimum optimum = in_units(1), small = in_units(0x1p-40);
    expect(small.value == optimum.value && small.gap == optimum.gap, "units", small.value, optimum.value);
    return optimum;
}

// Two lists of many documents, most of them in both; the gap is that of scores, not of their sums.
Matching long_lists(int number, Random& random) {
    const std::size_t size = 40 + 4 * static_cast<std::size_t>(number);
    Numbers before = all_of(size), after = reordered(before, false, random);
    before.resize(size - random() % 5);
    after.resize(size - random() % 5);
    std::vector<std::int32_t> grades(size, -1);
    for (std::size_t i = 0; number % 3 == 0 && i < size; i += 7) grades[i] = static_cast<std::int32_t>(i % 3);
    Matching matching;
    matching.match({before, {}, number % 4 == 0}, {after, {}, number % 5 == 0}, grades, number % 3 == 0);
    matching.look_up(random_words(size, random));
    return matching;
}

Optimum solve_average_precision(int number, std::size_t effort) {
    Random random(static_cast<std::uint64_t>(number));
    const Matching matching = long_lists(number, random);
    return solve_measure(AveragePrecision(60, 1, 4, effort), matching);
}

Optimum solve_time_biased_gain(int number, std::size_t effort) {
    Random random(static_cast<std::uint64_t>(number));
    const Matching matching = long_lists(number, random);
    const std::size_t cutoff = number % 2 ? TimeBiasedGain::endless : 60;
    return solve_measure(TimeBiasedGain(number % 4 < 2 ? hurried : published, cutoff, 1, effort), matching);
}

const std::vector<Family> families{
    {"quadratic", {0, 10, 100, 1000, 10000, 100000}, 60, solve_quadratic},
    {"large quadratic", {0, 100, 1000, 10000}, 6, solve_large_quadratic},
    {"walk", {0, 10, 100, 1000, 5000, 20000, 100000}, 60, solve_walk},
    {"wide walk", {100, 3000, 40000}, 4, solve_wide_walk},
    {"counts", {0, 10, 100, 1000, 10000, 100000}, 60, solve_counts},
    {"rising walk", {10, 30, 100, 300, 1000, 10000}, 100, solve_rising<solve_by_walk>},
    {"rising counts", {10, 100, 300, 1000, 3000, 30000}, 100, solve_rising<solve_by_counts>},
    {"timed", {0, 10, 100, 1000, 20000, 200000}, 60, solve_timed},
    {"cascade", {0, 20, 200, 2000, 40000}, 100, solve_cascade},
    {"average precision", {0, 100, 3000, 100000}, 20, solve_average_precision},
    {"time-biased gain", {0, 1000, 30000}, 20, solve_time_biased_gain},
};

constexpr double slack = 0.002;  // for the rounding of other compilers

// By family and effort.
const std::map<std::string, std::vector<Reached>> limits{
    {"quadratic",
     {{109.179, 28.5229, 13},
      {82.8051, 2.17538, 15},
      {65.7969, 1.28662, 24},
      {8.54359, 0.139886, 45},
      {0.0968575, 0, 57},
      {0, 0, 60}}},
    {"large quadratic", {{143.386, 36.1097, 0}, {137.362, 30.085, 0}, {111.155, 4.14063, 0}, {107.014, 0, 0}}},
    {"walk",
     {{125.823, 47.2111, 0},
      {76.1011, 0.504653, 1},
      {2.17222, 0, 39},
      {0.0989135, 0, 56},
      {0.0197835, 0, 59},
      {0, 0, 60},
      {0, 0, 60}}},
    {"wide walk", {{2.67542, 0.620978, 0}, {0.467581, 0, 1}, {0.0413653, 0, 2}}},
    {"counts",
     {{123.146, 58.5786, 0},
      {67.8484, 3.28124, 0},
      {50.2152, 0, 9},
      {18.4764, 0, 36},
      {0.000671619, 0, 59},
      {0, 0, 60}}},
    {"rising walk",
     {{78.004, 0.0526195, 4},
      {54.0656, 0.0437782, 18},
      {10.2721, 0.0398781, 60},
      {4.348, 0.0396786, 87},
      {1.32523, 0, 92},
      {0.11749, 0, 99}}},
    {"rising counts",
     {{79.8256, 0.0526195, 0},
      {61.7891, 0.0398781, 36},
      {23.1943, 0.0384145, 66},
      {5.25675, 0.000199578, 89},
      {1.51535, 0, 94},
      {1.345, 0, 96}}},
    {"timed",
     {{155.277, 11.3188, 1},
      {153.104, 11.3188, 3},
      {65.7383, 5.63513, 28},
      {5.25661, 0.0256447, 56},
      {4.50473, 0.00264676, 57},
      {0, 0, 60}}},
    {"cascade", {{230.644, 31.4556, 1}, {140.607, 17.994, 39}, {10.5565, 0, 79}, {0.105719, 0, 97}, {0, 0, 100}}},
    {"average precision", {{0.257253, 0.00873128, 18}, {0, 0, 20}, {0, 0, 20}, {0, 0, 20}}},
    {"time-biased gain", {{37.6247, 8.58776, 0}, {16.2087, 0.673067, 12}, {10.3939, 0, 17}}},
};

constexpr std::size_t between_looks = std::size_t{1} << 20, most_work = std::size_t{1} << 60;

void check_time() {
    Budget ended({1000000, 0.0});
    expect(ended.spend(between_looks - 1) && !ended.spend(1) && ended.exhausted(), "no time");
    for (const double seconds : {4e4, 1e9, 1e300}) {
        Budget enough({1000000, seconds});
        expect(enough.spend(between_looks) && enough.spend(between_looks), "enough time", seconds);
    }
    Budget whole({1000000, 4e4});
    Budget short_part = whole.part(std::size_t{1} << 42), half = whole.part(2);
    short_part.take_back(half);
    expect(!short_part.spend(between_looks) && half.spend(between_looks), "a part of the time");
    expect(whole.spend(between_looks), "the rest of the time");
    Budget late({1000000, 0.0});
    Budget late_part = late.part(2);
    expect(!late_part.spend(between_looks), "a part of no time");
}

// Whether a search is still wanted is asked once in much work.
void check_looks() {
    const std::atomic<bool> failed{true};
    const Watch watch(nullptr, 1, &failed);
    Budget budget(1000000);
    for (int round = 0; round < 2; ++round) {
        expect(budget.spend(between_looks / 2) && budget.spend(between_looks / 2 - 1), "before a look");
        bool stopped = false;
        try {
            budget.spend(1);
        } catch (...) {
            stopped = true;
        }
        expect(stopped, "a look");
    }
}

}  // namespace

// A step is 32 entries of a table.
void check_budgets() {
    const auto holds = [](const Budget& budget, std::size_t work) {
        expect(budget.affords(work) && !budget.affords(work + 1) && budget.exhausted() == (work == 0), "what is left",
               static_cast<double>(work));
    };
    Budget budget(10);
    holds(budget, 320);
    expect(budget.spend(100), "enough");
    holds(budget, 220);
    Budget apart = budget.part(4);
    holds(apart, 55);
    holds(budget, 165);
    expect(apart.spend(15), "enough of a part");
    budget.take_back(apart);
    holds(budget, 205);
    expect(!budget.spend(206), "not enough");
    holds(budget, 0);
    Budget all(10);
    expect(all.spend(320), "all of it");
    holds(all, 0);
    Budget stopped(10);
    stopped.exhaust();
    holds(stopped, 0);
    for (const std::size_t steps : {most_work / 32 - 1, most_work / 32, most_work / 32 + 1, ~std::size_t{0}})
        holds(Budget(steps), std::min(steps, most_work / 32) * 32);
    check_time();
    check_looks();
}

void check_efforts(bool show) {
    for (const Family& family : families) {
        std::vector<Reached> reached(family.efforts.size());
        for (int number = 0; number < family.problems; ++number) {
            double least = -1e9, most = 1e9, narrowest = 1e9;
            std::vector<double> found;
            for (std::size_t i = 0; i < family.efforts.size(); ++i) {
                const Optimum optimum = family.solve(number, family.efforts[i]);
                expect(optimum.gap >= 0, "a gap", optimum.gap);
                // The maximum lies within the intervals of all efforts.
                expect(optimum.value <= most + 1e-12 && optimum.value + optimum.gap >= least - 1e-12,
                       family.name.c_str(), optimum.value, most);
                expect(optimum.value >= least - 1e-12, "more effort gives a worse value", optimum.value, least);
                expect(optimum.gap <= narrowest + 1e-12, "more effort gives a larger gap", optimum.gap, narrowest);
                narrowest = std::min(narrowest, optimum.gap);
                least = std::max(least, optimum.value);
                most = std::min(most, optimum.value + optimum.gap);
                if (optimum.gap < 1e9) reached[i].gaps += optimum.gap;
                reached[i].proven += optimum.gap == 0;
                found.push_back(optimum.value);
            }
            for (std::size_t i = 0; i < found.size(); ++i) reached[i].behind += least - found[i];
        }
        if (show) {
            std::printf("    {\"%s\",\n     {", family.name.c_str());
            for (std::size_t i = 0; i < reached.size(); ++i)
                std::printf("%s{%.6g, %.6g, %d}", i ? ", " : "", reached[i].gaps, reached[i].behind, reached[i].proven);
            std::puts("}},");
            continue;
        }
        const std::vector<Reached>& limit = limits.at(family.name);
        for (std::size_t i = 0; i < reached.size(); ++i) {
            expect_near("gaps", reached[i].gaps, limit[i].gaps, slack * limit[i].gaps + 1e-9);
            expect_near("behind the best", reached[i].behind, limit[i].behind, slack * limit[i].behind + 1e-9);
            expect(reached[i].proven == limit[i].proven, "proven", reached[i].proven, limit[i].proven);
        }
    }
}
