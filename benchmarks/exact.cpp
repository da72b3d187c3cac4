// Times the exact solvers, and beside them the paper's heuristics, on pairs of lists.
//
// exact MEASURE DEPTH EFFORT REPEAT FOLDER [LENGTHS] reads lines `before after topic heuristic` (two runs in the
// folder, and 1 where the heuristic is wanted, else 0) and prints for each, in order, `seconds med gap`, followed by
// `seconds med` of the heuristic. The seconds are the lowest of REPEAT calls for both directions. Reading the lists and
// matching their documents are not counted. LENGTHS is for TBG, which has no heuristic; TBG-complete takes lists as
// complete. See exact.py and tbg.py.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "heuristics.hpp"
#include "measures/average_precision.hpp"
#include "measures/cascade.hpp"
#include "measures/time_biased_gain.hpp"
#include "texts/trec.hpp"

namespace {

using namespace medir;

struct Contest {
    std::unique_ptr<Effectiveness> measure;
    std::function<double(const Matching&)> heuristic;
    UnseenRule unseen = UnseenRule::anything;
};

// Graded relevance up to 3/4, endless, for lists of at most `depth` results.
std::unique_ptr<Effectiveness> expected_reciprocal_rank(std::size_t depth, std::size_t effort) {
    constexpr double top = 0.75;
    constexpr std::size_t negligible = 64;  // ranks further down are reached with less than 1e-38
    std::vector<double> discount(depth + 1, 0.0), tail(depth + negligible, 0.0);
    for (std::size_t rank = 1; rank <= depth; ++rank) discount[rank] = 1.0 / static_cast<double>(rank);
    for (std::size_t size = tail.size() - 1; size-- > 0;)
        tail[size] = top / static_cast<double>(size + 1) + (1 - top) * tail[size + 1];
    return std::make_unique<Cascade>(std::move(discount), std::move(tail), std::vector{0.0, 0.25, top}, 1.0, 1.0,
                                     effort);
}

Contest contest(const std::string& measure, std::size_t depth, std::size_t effort) {
    if (measure == "AP")
        return {std::make_unique<AveragePrecision>(depth, 1, static_cast<double>(depth), effort),
                [depth](const Matching& matching) { return tabu_average_precision(matching, depth); }};
    if (measure == "TBG" || measure == "TBG-complete") {
        constexpr TimeBiasedGain::Calibration calibration{224, 0.4928, 4.4, 7.8, 0.018, 0.64, 0.39};
        return {std::make_unique<TimeBiasedGain>(calibration, TimeBiasedGain::endless, 1, effort), nullptr,
                measure == "TBG" ? UnseenRule::anything : UnseenRule::nothing};
    }
    if (measure == "ERR") return {expected_reciprocal_rank(depth, effort), five_of_thirty};
    throw std::invalid_argument("there is no measure " + measure);
}

class Runs {
public:
    explicit Runs(std::string folder) : folder_(std::move(folder)) {}

    const TrecRun& operator[](const std::string& name) {
        std::unique_ptr<TrecRun>& run = runs_[name];
        if (!run) run = std::make_unique<TrecRun>(Text::map(folder_ + "/" + name), Order::score, 1);
        return *run;
    }

private:
    std::string folder_;
    std::map<std::string, std::unique_ptr<TrecRun>> runs_;
};

std::uint32_t find(const TrecRun& run, const std::string& topic) {
    const std::uint32_t query = run.find(topic);
    if (query == ByteIndex::none) throw std::invalid_argument("a run has no topic " + topic);
    return query;
}

// Calls `solve` repeatedly and returns the lowest seconds.
template <typename Solve>
double lowest_seconds(std::size_t repeat, const Solve& solve) {
    using Clock = std::chrono::steady_clock;
    auto lowest = Clock::duration::max();
    for (std::size_t i = 0; i < repeat; ++i) {
        const auto start = Clock::now();
        solve();
        lowest = std::min(lowest, Clock::now() - start);
    }
    return std::chrono::duration<double>(lowest).count();
}

void time_pairs(const Contest& contest, std::size_t depth, std::size_t repeat, Runs& runs, const Lengths* lengths) {
    Matching matching;
    const std::unique_ptr<Workspace> workspace = contest.measure->workspace();
    std::string before_name, after_name, topic;
    bool heuristic;
    while (std::cin >> before_name >> after_name >> topic >> heuristic) {
        const TrecRun &before = runs[before_name], &after = runs[after_name];
        matching.match({&before, find(before, topic), 0}, {&after, find(after, topic), 1}, nullptr, 0,
                       {depth, Repeats::error, Intents::ignored, Ties::ignored, {contest.unseen, {}}}, false);
        if (lengths != nullptr) matching.look_up(*lengths);
        Difference exact{};
        const double seconds =
            lowest_seconds(repeat, [&] { exact = contest.measure->difference(matching, *workspace); });
        std::printf("%.9f %.17g %.17g %.17g", seconds, exact.med, exact.gap, std::max(exact.gain_gap, exact.loss_gap));
        if (heuristic) {
            double med = 0;
            const double heuristic_seconds = lowest_seconds(repeat, [&] { med = contest.heuristic(matching); });
            std::printf(" %.9f %.17g", heuristic_seconds, med);
        }
        std::printf("\n");
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 6 && count != 7) {
        std::cerr << "usage: exact MEASURE DEPTH EFFORT REPEAT FOLDER [LENGTHS]\n";
        return 2;
    }
    try {
        const std::size_t depth = std::stoul(arguments[2]), effort = std::stoul(arguments[3]);
        Runs runs(arguments[5]);
        std::optional<Lengths> lengths;
        if (count == 7) lengths.emplace(Text::map(arguments[6]), Lengths::unknown);
        time_pairs(contest(arguments[1], depth, effort), depth, std::stoul(arguments[4]), runs,
                   lengths ? &*lengths : nullptr);
    } catch (const std::exception& error) {
        std::cerr << "exact: " << error.what() << "\n";
        return 1;
    }
}
