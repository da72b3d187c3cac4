// Each solver by itself against every assignment of a small problem, with much effort and with little; and the paths
// that walks follow against the best of all paths.
#include "check/checks.hpp"
#include "check/problems.hpp"
#include "solvers/alignment.hpp"
#include "solvers/narrow_walk.hpp"

using namespace medir;
using namespace oracle;

namespace {

std::size_t random_effort(Random& random) { return random() % 2 ? 1000000 : random() % 400; }

// An interval holds the maximum, and the assignment makes its lower end.
void check_optimum(const char* what, const Optimum& optimum, double expected, double of_assignment, bool exact) {
    expect(optimum.gap >= 0 && (!exact || optimum.gap == 0), what, optimum.gap);
    expect(optimum.value <= expected + 1e-12 && optimum.value + optimum.gap >= expected - 1e-12, what, optimum.value,
           expected);
    expect_near(what, of_assignment, optimum.value);
}

template <class Value>
double by_enumeration(std::size_t unknowns, Value value) {
    double most = -std::numeric_limits<double>::infinity();
    std::vector<char> x(unknowns);
    for (std::size_t mask = 0; mask < std::size_t{1} << unknowns; ++mask) {
        for (std::size_t i = 0; i < unknowns; ++i) x[i] = mask >> i & 1;
        most = std::max(most, value(x));
    }
    return most;
}

void check_quadratic(QuadraticProblem& problem, Random& random) {
    const std::size_t size = 1 + random() % 9;
    const QuadraticFunction& function = problem.function;
    fill_quadratic(problem.function, size, random() % 2, random() % 4 > 0, random);
    const auto value = [&](const std::vector<char>& x) { return quadratic_value(function, x); };
    const std::size_t effort = random_effort(random);
    Budget budget(effort);
    const double gap = problem.maximise(budget), found = value(problem.assignment());
    check_optimum("quadratic", {found, gap}, by_enumeration(size, value), found, effort == 1000000);
}

// Decides, one unknown after the other, what the definition decides: sums over all pairs of open unknowns.
std::vector<char> persistent(const QuadraticFunction& function) {
    std::vector<char> state(function.size(), Persistency::undecided);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t v = 0; v < state.size(); ++v) {
            if (state[v] != Persistency::undecided) continue;
            double least = function.linear[v], most = function.linear[v];
            for (std::size_t u = 0; u < state.size(); ++u) {
                if (u == v || state[u] == 0) continue;
                const double w = weight(function, v, u);
                least += state[u] == 1 ? w : std::min(w, 0.0);
                most += state[u] == 1 ? w : std::max(w, 0.0);
            }
            if (least < 0 && most > 0) continue;
            state[v] = least >= 0;
            changed = true;
        }
    }
    return state;
}

// Of few unknowns by pairs, of many by sums; and with little effort nothing that the definition does not decide.
void check_persistency(Persistency& persistency, Random& random) {
    const std::size_t size = random() % 2 ? 2 + random() % 98 : 101 + random() % 60;
    QuadraticFunction function;
    fill_quadratic(function, size, random() % 2, false, random);
    for (double& linear : function.linear) linear += 1e-3 * uniform(random);
    const std::vector<char> expected = persistent(function);
    for (const std::size_t effort : {0, 1000000}) {
        Budget budget(effort);
        persistency.settle(function, budget);
        for (std::size_t v = 0; v < size; ++v) {
            const bool open = persistency.state[v] == Persistency::undecided;
            if (effort > 0 || !open) expect(persistency.state[v] == expected[v], "persistency");
        }
        for (const std::uint32_t v : persistency.open) {
            double slope = function.linear[v], rise = 0, fall = 0;
            for (std::size_t u = 0; u < size; ++u) {
                if (u == v || persistency.state[u] == 0) continue;
                const double w = weight(function, v, u);
                if (persistency.state[u] == 1) slope += w;
                if (persistency.state[u] == Persistency::undecided) (w > 0 ? rise : fall) += w;
            }
            expect_near("a slope", persistency.slope[v], slope);
            expect_near("a rise", persistency.rise[v], rise);
            expect_near("a fall", persistency.fall[v], fall);
        }
    }
}

// A derivative that is 0 at most, or at least, decides.
void check_ties(Persistency& persistency) {
    const std::vector<double> reciprocal{0, 1, 0.5, 1.0 / 3, 0.25};
    for (const QuadraticFunction& function : {QuadraticFunction{{-0.25, -0.125}, {1, 2}, {1, 4}, &reciprocal},
                                              QuadraticFunction{{0.25, 0.125}, {1, 4}, {1, 2}, &reciprocal}}) {
        Budget budget(1000);
        persistency.settle(function, budget);
        expect(persistency.state == persistent(function) && persistency.open.empty(), "a derivative of 0 at most");
    }
}

// One table, where it is not too large.
void check_narrow_walk(NarrowWalk& walk, const Cascades& cascades, double expected) {
    const CountedDifference& problem = cascades.problem;
    const std::vector<std::uint32_t>&favoured = problem.favoured.unknowns, &other = problem.other.unknowns;
    expect(walk.lay_out(favoured, other, 10000), "room for a table");
    const std::size_t entries = walk.entries();
    expect(!walk.lay_out(favoured, other, entries - 1) && walk.lay_out(favoured, other, entries), "the room it needs");
    walk.maximise(problem, cascades.keep);
    expect_near("narrow walk", cascades.value(walk.assignment()), expected);
}

// All searches for the same difference of cascades, and its derivatives.
void check_cascades(NarrowWalk& narrow, Walk& walk, CountSearch& search, Random& random) {
    const std::size_t size = 1 + random() % 9;
    Cascades cascades;
    fill_cascades(cascades, size, random() % 2, random);
    const auto& [problem, level, keep] = cascades;
    const auto value = [&](const std::vector<char>& x) { return cascades.value(x); };
    const double expected = by_enumeration(size, value);
    const std::size_t effort = random_effort(random);
    Budget budget(effort), other_budget(effort);
    const int all = static_cast<int>(size);
    const Optimum by_walk = walk.maximise(problem, keep, all, 1e-14, budget);
    check_optimum("walk", by_walk, expected, value(walk.assignment()), effort == 1000000);
    const Optimum by_counts = search.maximise(problem, std::vector<char>(size, 0), 1e3, all, 1e-14, other_budget);
    check_optimum("counts", by_counts, expected, value(search.assignment()), effort == 1000000);
    check_narrow_walk(narrow, cascades, expected);
    LocalSearch local;
    std::vector<char> x(size);
    for (char& one : x) one = random() % 2;
    local.find_slopes(problem, x);
    for (std::size_t v = 0; v < size; ++v) {
        std::vector<char> with = x, without = x;
        with[v] = 1;
        without[v] = 0;
        expect_near("a slope of cascades", local.slope[v], value(with) - value(without));
    }
}

void check_timed(TimedDifference& problem, Random& random) {
    const std::size_t size = 1 + random() % 10;
    fill_timed(problem, size, random() % 2, random() % 2, random);
    const std::vector<char> given = problem.relevance;
    const double expected = by_enumeration(size, [&](std::vector<char>& x) {
        for (std::size_t d = 0; d < size; ++d)
            if (given[d] != TimedDifference::undecided) x[d] = given[d];
        return timed_value(problem, x);
    });
    const std::size_t effort = random_effort(random);
    Budget budget(effort);
    const Optimum optimum = problem.maximise(1e-14, budget);
    for (std::size_t d = 0; d < size; ++d) {
        const bool seen = std::count(problem.favoured.documents.begin(), problem.favoured.documents.end(), d) +
                          std::count(problem.other.documents.begin(), problem.other.documents.end(), d);
        if (given[d] != TimedDifference::undecided)
            expect(problem.relevance[d] == given[d], "a decided document");
        else if (seen)
            expect(problem.relevance[d] == 0 || problem.relevance[d] == 1, "an undecided document");
    }
    check_optimum("timed difference", optimum, expected, timed_value(problem, problem.relevance), effort == 1000000);
}

// Where every document keeps some of what stands below, and nothing is decided beforehand.
void check_timed_walk(TimedWalk& walk, Random& random) {
    const std::size_t size = 1 + random() % 8;
    fill_timed_walk(walk, size, random);
    const auto score = [&](const TimedWalk::List& list, const std::vector<char>& x) {
        double sum = 0, reach = 1;
        for (std::size_t i = 0; i < list.unknowns.size(); ++i) {
            sum += reach * list.known[i];
            if (!x[list.unknowns[i]]) continue;
            sum += reach * list.gain[i];
            reach *= walk.keep[list.unknowns[i]];
        }
        return sum + reach * list.known.back();
    };
    const auto value = [&](const std::vector<char>& x) { return score(walk.favoured, x) - score(walk.other, x); };
    Budget enough(100000);
    expect(walk.maximise(enough), "a timed walk");
    const std::size_t favoured = walk.favoured.unknowns.size(), other = walk.other.unknowns.size();
    // The path, and a table with at least one entry for each cut.
    const std::size_t least = Alignment::work(favoured, other) + std::max(favoured, other);
    expect(!enough.affords(100000 * 32 - least), "the work of a timed walk");
    const std::vector<char> found = walk.assignment();
    expect(found.size() == size, "the assignment of a timed walk");
    expect_near("timed walk", value(found), by_enumeration(size, value));
    Budget none(0);
    expect(!walk.maximise(none), "a timed walk without effort");
}

double path_cost(std::size_t straddlers) { return std::ldexp(1.0, std::min(static_cast<int>(straddlers), 25)); }

// Follows the steps; returns what the straddlers of all cuts on the way cost together.
double follow(const Alignment& alignment, const Numbers& favoured, const Numbers& other, std::size_t unknowns) {
    std::size_t i = 0, j = 0, straddlers = 0;
    std::vector<char> met(unknowns, 0);
    double cost = path_cost(0);
    for (const auto& [unknown, in_favoured, in_other, kind] : alignment.steps()) {
        expect(in_favoured || in_other, "a step");
        if (in_favoured) expect(i < favoured.size() && favoured[i++] == unknown, "a path", unknown);
        if (in_other) expect(j < other.size() && other[j++] == unknown, "a path in the other list", unknown);
        const auto expected = in_favoured && in_other ? Alignment::Kind::both
                              : met[unknown]          ? Alignment::Kind::closes
                                                      : Alignment::Kind::opens;
        expect(kind == expected, "the kind of a step", unknown);
        met[unknown] = 1;
        if (kind == Alignment::Kind::opens) ++straddlers;
        if (kind == Alignment::Kind::closes) --straddlers;
        cost += path_cost(straddlers);
    }
    expect(i == favoured.size() && j == other.size(), "the end of a path", static_cast<double>(i + j));
    for (std::uint32_t unknown = 0; unknown < unknowns; ++unknown) {
        const auto place = [&](const Numbers& list) {
            const auto found = std::find(list.begin(), list.end(), unknown);
            return found == list.end() ? Alignment::nowhere : static_cast<std::uint32_t>(found - list.begin());
        };
        expect(alignment.places_in_favoured()[unknown] == place(favoured), "a place", unknown);
        expect(alignment.places_in_other()[unknown] == place(other), "a place in the other list", unknown);
    }
    return cost;
}

double best_cost(const Numbers& favoured, const Numbers& other, std::size_t unknowns) {
    std::vector<std::size_t> met(unknowns, other.size() + 1), widths(other.size() + 1);
    for (std::size_t place = 0; place < other.size(); ++place) met[other[place]] = place + 1;
    std::iota(widths.begin(), widths.end(), 0);
    std::vector<double> row(other.size() + 1), above;
    for (std::size_t place = 0; place <= other.size(); ++place)
        row[place] = (place > 0 ? row[place - 1] : 0.0) + path_cost(place);
    for (const std::uint32_t unknown : favoured) {
        above = row;
        for (std::size_t place = 0; place <= other.size(); ++place) {
            place < met[unknown] ? ++widths[place] : --widths[place];
            if (place > 0) row[place] = std::min(row[place], row[place - 1]);
            if (place == met[unknown]) row[place] = std::min(row[place], above[place - 1]);
            row[place] += path_cost(widths[place]);
        }
    }
    return row.back();
}

}  // namespace

void check_solvers(Random& random) {
    // Kept from one problem to the next, as the workspaces of measures are.
    static QuadraticProblem quadratic;
    static Persistency persistency;
    static NarrowWalk narrow;
    static Walk walk;
    static CountSearch counts;
    static TimedDifference timed;
    static TimedWalk timed_walk;
    check_quadratic(quadratic, random);
    if (random() % 20 == 0) check_persistency(persistency, random);
    check_ties(persistency);
    check_cascades(narrow, walk, counts, random);
    check_timed(timed, random);
    check_timed_walk(timed_walk, random);
}

// Nothing is spent on a path for which there is not enough.
void check_long_walks() {
    TimedWalk walk;
    for (const bool reversed : {false, true}) {
        for (auto* list : {&walk.favoured, &walk.other}) {
            const std::size_t size = (list == &walk.favoured) == reversed ? 60 : 100;
            list->unknowns = all_of(size);
            list->gain.assign(size, 1.0);
            list->known.assign(size + 1, 0.0);
        }
        walk.keep.assign(100, 0.5);
        constexpr std::size_t effort = 90;
        expect(Alignment::work(60, 60) < effort * 32 && Alignment::work(60, 100) > effort * 32, "the work of a path");
        expect(Alignment::work(100, 60) > effort * 32, "the work of a path down a longer list");
        Budget budget(effort);
        expect(!walk.maximise(budget), "a path that is too long");
        expect(budget.affords(effort * 32), "the work of a path that is not looked for");
    }
}

void check_masks() {
    for (std::size_t i = 0; i < 192; ++i) {
        Mask<3> mask, none;
        mask.flip(i);
        for (std::size_t j = 0; j < 192; ++j) expect(mask.test(j) == (i == j), "a bit", static_cast<double>(j));
        expect(none < mask && mask != none && !(mask < none), "the order of masks", static_cast<double>(i));
        mask.flip(i);
        expect(mask == none, "a bit that is flipped back", static_cast<double>(i));
    }
}

void check_paths(Random& random) {
    static Alignment alignment;
    const std::size_t size = 1 + random() % 60;
    Numbers before = all_of(size), after = reordered(before, random() % 2, random);
    before.resize(random() % (size + 1));
    after.resize(random() % (size + 1));
    alignment.align(before, after, size);
    const double cost = follow(alignment, before, after, size), best = best_cost(before, after, size);
    expect(cost == best, "the cost of a path", cost, best);
}

// Stretches that are reversed, and thus costly on every path, above many documents that keep their order: the sum of
// all costs is far beyond 32 bits. And lists of which only the cuts at about the same place are looked at.
void check_long_paths() {
    constexpr std::uint32_t stretches = 9, reversed = 60, kept = 7, end = 50;
    Numbers before, after;
    for (std::uint32_t document = 0; document < stretches * (reversed + kept) + end; ++document) {
        const std::uint32_t place = document % (reversed + kept);
        const bool moves = document < stretches * (reversed + kept) && place < reversed;
        before.push_back(document);
        after.push_back(moves ? document - place + reversed - 1 - place : document);
    }
    Alignment alignment;
    alignment.align(before, after, before.size());
    const double cost = follow(alignment, before, after, before.size());
    expect(cost == best_cost(before, after, before.size()), "the cost of a long path", cost);
    for (const std::size_t shorter : {0, 3, 600}) {
        before = all_of(800);
        after = before;
        for (std::size_t i = 0; i + 1 < after.size(); i += 3) std::swap(after[i], after[i + 1]);
        after.resize(after.size() - shorter);
        if (shorter == 3) std::swap(before, after);
        alignment.align(before, after, 800);
        const double path = follow(alignment, before, after, 800);
        expect(path == best_cost(before, after, 800), "the cost of a path down lists of different length", path);
    }
    // All documents move further than cuts are looked at: down both lists at once is one of the paths.
    before = all_of(300);
    after = before;
    std::rotate(after.begin(), after.begin() + 100, after.end());
    alignment.align(before, after, 300);
    const double path = follow(alignment, before, after, 300);
    expect(path <= 601 * path_cost(25), "the cost of a path in the band", path);
}
