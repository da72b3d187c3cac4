// The table of counts against every walk down two lists, the local search against every change of one unknown, and
// searches that it does not lead to the maximum.
#include <bit>

#include "check/checks.hpp"
#include "check/problems.hpp"
#include "solvers/count_table.hpp"

using namespace medir;
using namespace oracle;

namespace {

using Window = CountTable::Window;
using Region = CountTable::Region;
using Kind = Alignment::Kind;

bool impossible(double value) { return value < 0.5 * never; }

// A walk along the path of cuts: a decision at each step. The two for an unknown need not agree.
struct Passage {
    std::vector<char> relevant;      // by step
    std::vector<int> counts, leads;  // by cut
    double value = 0;
};

Passage walk_down(const CountedDifference& problem, const std::vector<Alignment::Step>& steps,
                  const std::vector<double>& prices, std::size_t decisions) {
    const std::vector<double>& level = *problem.level;
    Passage passage{{}, {0}, {0}};
    std::size_t i = 0, j = 0, mine = 0, theirs = 0;
    for (std::size_t t = 0; t < steps.size(); ++t) {
        const auto& [unknown, in_favoured, in_other, kind] = steps[t];
        const bool relevant = decisions >> t & 1;
        if (in_favoured) {
            passage.value += (problem.favoured.known[i] + relevant * problem.favoured.slope[i]) * level[mine];
            passage.value += relevant * problem.linear[unknown];
            ++i;
        }
        if (in_other) {
            passage.value -= (problem.other.known[j] + relevant * problem.other.slope[j]) * level[theirs];
            ++j;
        }
        if (kind == Kind::opens) passage.value += relevant * prices[unknown];
        if (kind == Kind::closes) passage.value -= relevant * prices[unknown];
        mine += in_favoured && relevant;
        theirs += in_other && relevant;
        passage.relevant.push_back(relevant);
        passage.counts.push_back(static_cast<int>(mine));
        passage.leads.push_back(static_cast<int>(mine) - static_cast<int>(theirs));
    }
    passage.value += problem.favoured.known.back() * level[mine] - problem.other.known.back() * level[theirs];
    return passage;
}

bool within(const Passage& passage, const std::vector<Window>& windows) {
    for (std::size_t t = 0; t < windows.size(); ++t) {
        const Window& window = windows[t];
        if (passage.counts[t] < window.least_count || passage.counts[t] > window.most_count ||
            passage.leads[t] < window.least_lead || passage.leads[t] > window.most_lead)
            return false;
    }
    return true;
}

Window nothing() { return {1000, -1000, 1000, -1000}; }

void widen(Window& window, int count, int lead) {
    window.least_count = std::min(window.least_count, count);
    window.most_count = std::max(window.most_count, count);
    window.least_lead = std::min(window.least_lead, lead);
    window.most_lead = std::max(window.most_lead, lead);
}

void expect_window(const char* what, const Window& window, const Window& expected) {
    expect(window.least_count == expected.least_count && window.most_count == expected.most_count &&
               window.least_lead == expected.least_lead && window.most_lead == expected.most_lead,
           what, window.least_count, expected.least_count);
}

// Counts and leads, each by itself, that can be reached from the cut before and lead to the cut after.
std::vector<Window> reachable(std::vector<Window> windows, const std::vector<Alignment::Step>& steps) {
    for (std::size_t rounds = 2; rounds-- > 0;)
        for (const bool upwards : {false, true})
            for (std::size_t k = 0; k < steps.size(); ++k) {
                const std::size_t t = upwards ? steps.size() - 1 - k : k;
                const Window from = windows[upwards ? t + 1 : t];
                Window& to = windows[upwards ? t : t + 1];
                const int sign = upwards ? -1 : 1;
                const int count = sign * steps[t].in_favoured, lead = count - sign * steps[t].in_other;
                Window left = nothing();
                for (const bool relevant : {false, true}) {
                    for (int c = from.least_count; c <= from.most_count; ++c)
                        if (const int next = c + relevant * count; next >= to.least_count && next <= to.most_count) {
                            left.least_count = std::min(left.least_count, next);
                            left.most_count = std::max(left.most_count, next);
                        }
                    for (int d = from.least_lead; d <= from.most_lead; ++d)
                        if (const int next = d + relevant * lead; next >= to.least_lead && next <= to.most_lead) {
                            left.least_lead = std::min(left.least_lead, next);
                            left.most_lead = std::max(left.most_lead, next);
                        }
                }
                to = left;
            }
    return windows;
}

struct Walks {
    CountedDifference problem;
    std::vector<double> level;
    std::vector<Alignment::Step> steps;
    Region region;
    std::vector<Passage> all;  // within the region

    void find_all() {
        all.clear();
        for (std::size_t decisions = 0; decisions < std::size_t{1} << steps.size(); ++decisions) {
            Passage passage = walk_down(problem, steps, region.prices, decisions);
            bool allowed = within(passage, region.windows);
            for (std::size_t t = 0; t < steps.size(); ++t) {
                const char decided = region.decided[steps[t].unknown];
                allowed = allowed && (decided == CountTable::undecided || decided == passage.relevant[t]);
            }
            if (allowed) all.push_back(std::move(passage));
        }
    }
};

// All counts that assignments have, of no more relevant unknowns than are asked for.
void check_whole(const CountTable& table, const Walks& walks, int most_counted) {
    const std::size_t size = walks.problem.size();
    std::vector<Window> expected(walks.steps.size() + 1, nothing());
    for (std::size_t mask = 0; mask < std::size_t{1} << size; ++mask) {
        std::size_t decisions = 0;
        const int relevant = std::popcount(mask);
        for (std::size_t t = 0; t < walks.steps.size(); ++t) decisions |= (mask >> walks.steps[t].unknown & 1) << t;
        if (relevant > most_counted) continue;
        const Passage passage = walk_down(walks.problem, walks.steps, std::vector<double>(size, 1.0), decisions);
        for (std::size_t t = 0; t < expected.size(); ++t) widen(expected[t], passage.counts[t], passage.leads[t]);
    }
    const Region whole = table.whole();
    expect(whole.windows.size() == expected.size() && table.cuts() == expected.size(), "cuts");
    for (std::size_t t = 0; t < expected.size(); ++t) expect_window("all counts", whole.windows[t], expected[t]);
    for (std::size_t v = 0; v < size; ++v)
        expect(whole.decided[v] == CountTable::undecided && whole.prices[v] == 0, "nothing is decided yet");
}

// Leaves some counts at a cut, and decides some unknowns. Returns whether there are any walks.
bool leave_some(const CountTable& table, Walks& walks, Random& random) {
    Region& region = walks.region;
    for (std::size_t cuts = random() % 3; cuts-- > 0;) {
        Window& window = region.windows[random() % region.windows.size()];
        const auto some = static_cast<int>(random() % 2);
        switch (random() % 4) {
            case 0:
                window.least_count += some;
                break;
            case 1:
                window.most_count -= some;
                break;
            case 2:
                window.least_lead += some;
                break;
            default:
                window.most_lead -= some;
        }
    }
    for (std::size_t v = 0; v < region.decided.size(); ++v)
        if (random() % 4 == 0) region.decided[v] = random() % 2;
    const std::vector<Window> expected = reachable(region.windows, walks.steps);
    const bool none = std::any_of(expected.begin(), expected.end(), [](const Window& w) { return w.empty(); });
    expect(table.narrow(region.windows) == !none, "whether counts are left");
    for (std::size_t t = 0; !none && t < expected.size(); ++t)
        expect_window("counts that are left", region.windows[t], expected[t]);
    return !none;
}

// The best walk is one of them, and the best.
void check_trail(const CountTable& table, const Walks& walks, double bound) {
    CountTable::Trail trail;
    table.trace(walks.region, trail);
    std::size_t decisions = 0;
    for (std::size_t t = 0; t < walks.steps.size(); ++t) {
        const auto& step = walks.steps[t];
        const std::vector<char>& by_unknown = step.kind == Kind::closes ? trail.closing : trail.opening;
        decisions |= static_cast<std::size_t>(by_unknown[step.unknown]) << t;
        if (step.kind == Kind::both)
            expect(trail.opening[step.unknown] == trail.closing[step.unknown], "an unknown that is met once");
    }
    const Passage passage = walk_down(walks.problem, walks.steps, walks.region.prices, decisions);
    expect(within(passage, walks.region.windows), "a walk with counts that are left");
    expect(passage.counts == trail.counts, "the counts of a walk");
    expect_near("the value of a walk", passage.value, bound);
}

void expect_worth(const CountTable::Worth& worth, const Walks& walks, std::size_t t) {
    double most[2] = {never, never};
    for (const Passage& passage : walks.all) {
        double& most_of_decision = most[passage.relevant[t] ? 1 : 0];
        most_of_decision = std::max(most_of_decision, passage.value);
    }
    for (const auto& [value, expected] : {std::pair{worth.without, most[0]}, {worth.with, most[1]}}) {
        if (impossible(expected))
            expect(impossible(value), "the worth of what cannot be", value);
        else
            expect_near("the worth of a decision", value, expected);
    }
}

// What is left are the counts and the decisions of walks that are worth more.
void check_walk_down(CountTable& table, const Walks& walks, double hopeless) {
    Region left = walks.region;
    std::vector<Window> windows(left.windows.size(), nothing());
    std::vector<int> open(left.decided.size(), 3);  // bits: not relevant, relevant
    for (std::size_t t = 0; t < walks.steps.size(); ++t) {
        int decisions = 0;
        for (const Passage& passage : walks.all) {
            if (passage.value <= hopeless) continue;
            decisions |= passage.relevant[t] ? 2 : 1;
            widen(windows[t], passage.counts[t], passage.leads[t]);
        }
        open[walks.steps[t].unknown] &= decisions;
    }
    const bool any = std::find(open.begin(), open.end(), 0) == open.end();
    expect(table.walk_down(left, hopeless) == any, "whether walks are left");
    if (!any) return;
    for (std::size_t t = 0; t < walks.steps.size(); ++t)
        expect_window("counts of walks that are left", left.windows[t], windows[t]);
    expect_window("the last cut", left.windows.back(), walks.region.windows.back());
    for (std::size_t v = 0; v < open.size(); ++v)
        expect(left.decided[v] == (open[v] == 1   ? 0
                                   : open[v] == 2 ? 1
                                                  : CountTable::undecided),
               "a decision", left.decided[v], open[v]);
    for (std::size_t t = 0; t < walks.steps.size(); ++t) {
        const auto& [unknown, in_favoured, in_other, kind] = walks.steps[t];
        if (kind != Kind::closes) {
            expect_worth(table.opening_worth(unknown), walks, t);
            expect(table.opens_in_favoured(unknown) == in_favoured, "the list in which an unknown is met first");
        }
        if (kind != Kind::opens) expect_worth(table.closing_worth(unknown), walks, t);
        expect(table.met_once(unknown) == (in_favoured && in_other), "an unknown that is met in both lists at once");
    }
}

void fill_walks(Walks& walks, std::size_t size, Random& random) {
    Cascades cascades;
    fill_cascades(cascades, size, random() % 2, random);
    walks.problem = cascades.problem;
    walks.level = cascades.level;
    if (random() % 2) std::iota(walks.level.begin(), walks.level.end(), 0.0);
    walks.problem.level = &walks.level;
    for (double& linear : walks.problem.linear) linear = uniform(random) - 0.5;
    Alignment alignment;
    alignment.align(walks.problem.favoured.unknowns, walks.problem.other.unknowns, size);
    walks.steps = alignment.steps();
}

void check_count_table(CountTable& table, Random& random) {
    Walks walks;
    const std::size_t size = 1 + random() % 5;
    fill_walks(walks, size, random);
    const auto most_counted = static_cast<int>(random() % 2 ? size : random() % (size + 1));
    table.align(walks.problem, most_counted);
    check_whole(table, walks, most_counted);
    walks.region = table.whole();
    if (!leave_some(table, walks, random)) return;
    for (double& price : walks.region.prices) price = uniform(random) - 0.5;
    std::size_t entries = 0;
    for (const Window& w : walks.region.windows)
        entries += static_cast<std::size_t>((w.most_count - w.least_count + 1) * (w.most_lead - w.least_lead + 1));
    expect(table.lay_out(walks.region.windows, entries) == entries, "entries of a table");
    walks.find_all();
    const double bound = table.walk_up(walks.region);
    if (walks.all.empty()) return expect(impossible(bound), "the bound of no walk", bound);
    const auto worse = [](const Passage& a, const Passage& b) { return a.value < b.value; };
    const auto [worst, best] = std::minmax_element(walks.all.begin(), walks.all.end(), worse);
    expect_near("the best walk", bound, best->value);
    check_trail(table, walks, bound);
    const double most = best->value, range = most - worst->value;
    check_walk_down(table, walks, most - (random() % 2 ? 1.1 : 0.3) * uniform(random) * range - 1e-9);
    check_walk_down(table, walks, most + 1e-9);
}

// Ends where no change of one unknown gains, and nothing is changed that gains nothing.
void check_local_search(Random& random) {
    Walks walks;
    const std::size_t size = 1 + random() % 8;
    fill_walks(walks, size, random);
    LocalSearch local;
    std::vector<char> x(size);
    for (char& one : x) one = random() % 2;
    const double before = walks.problem.value(x);
    std::vector<char> unchanged = x;
    Budget none(0), enough(1000000);
    expect(local.improve(walks.problem, unchanged, 1e-12, none) == before && unchanged == x, "without effort");
    const double value = local.improve(walks.problem, x, 1e-12, enough);
    expect(value == walks.problem.value(x) && value >= before, "the value of a local optimum", value, before);
    for (char& one : x) {
        one = !one;
        expect(walks.problem.value(x) <= value + 1e-12, "a local optimum", walks.problem.value(x), value);
        one = !one;
    }
}

// Searches that look at assignments with no more relevant unknowns than are asked for, and may find others.
void check_searches(Walk& walk, CountSearch& search, const Cascades& cascades, std::size_t most_counted) {
    const CountedDifference& problem = cascades.problem;
    double of_few = never, of_all = never;
    std::vector<char> x(problem.size());
    for (std::size_t mask = 0; mask < std::size_t{1} << x.size(); ++mask) {
        for (std::size_t v = 0; v < x.size(); ++v) x[v] = mask >> v & 1;
        const double value = cascades.value(x);
        of_all = std::max(of_all, value);
        if (static_cast<std::size_t>(std::count(x.begin(), x.end(), 1)) <= most_counted)
            of_few = std::max(of_few, value);
    }
    const auto check = [&](const Optimum& optimum, const std::vector<char>& assignment) {
        expect(optimum.gap == 0, "a gap with much effort", optimum.gap);
        expect(optimum.value >= of_few - 1e-12 && optimum.value <= of_all + 1e-12, "a maximum of few", optimum.value,
               of_few);
        expect_near("the value of an assignment", cascades.value(assignment), optimum.value);
    };
    Budget budget(1000000), other_budget(1000000);
    const auto limit = static_cast<int>(most_counted);
    const Optimum by_walk = walk.maximise(problem, cascades.keep, limit, 1e-14, budget);
    check(by_walk, walk.assignment());
    const std::vector<char> none(problem.size(), 0);
    const Optimum by_counts = search.maximise(problem, none, 1e3, limit, 1e-14, other_budget);
    check(by_counts, search.assignment());
}

// Unknowns that add what they add, whatever the others are: every walk's bound is the maximum. A table of all counts is
// too large for them, that of each part is not.
void check_large_table(Random& random) {
    constexpr std::size_t size = 360;
    CountedDifference problem;
    const std::vector<double> level(size + 2, 1.0);
    problem.level = &level;
    double expected = 0;
    for (std::size_t v = 0; v < size; ++v) {
        problem.linear.push_back(uniform(random) - 0.5);
        expected += std::max(problem.linear.back(), 0.0);
    }
    for (auto* list : {&problem.favoured, &problem.other}) {
        list->unknowns = reordered(all_of(size), false, random);
        list->slope.assign(size, 0.0);
        list->known.assign(size + 1, 0.0);
    }
    CountSearch search;
    Budget budget(3000000);
    const Optimum optimum =
        search.maximise(problem, std::vector<char>(size, 0), 1e6, static_cast<int>(size), 1e-9, budget);
    expect(optimum.gap == 0, "a table that is too large", optimum.gap);
    expect_near("a table that is too large", optimum.value, expected, 1e-9);
}

}  // namespace

void check_tables() {
    CountTable table;
    Walk walk;
    CountSearch search;
    Random random(1);
    for (int round = 0; round < 2500; ++round) {
        check_count_table(table, random);
        const std::size_t size = 1 + random() % 9;
        Cascades cascades;
        fill_cascades(cascades, size, random() % 2, random);
        if (round % 4 == 0) check_searches(walk, search, cascades, random() % (size + 1));
        fill_rising_cascades(cascades, size, random);
        check_searches(walk, search, cascades, round % 4 == 0 ? random() % (size + 1) : size);
        for (int more = 0; more < 2; ++more) {
            fill_rising_cascades(cascades, size, random);
            cascades.problem.other.unknowns = moved(cascades.problem.favoured.unknowns, random);
            check_searches(walk, search, cascades, size);
        }
        check_local_search(random);
    }
    check_large_table(random);
}
