// Problems that are too large to try every assignment: a search that goes on longer is never worse, and its interval
// has something in common with that of a shorter one.
#include "measures/average_precision.hpp"
#include "measures/cascade.hpp"
#include "measures/time_biased_gain.hpp"
#include "problems.hpp"

namespace medir::fuzz {

namespace {

constexpr std::size_t efforts[] = {1, 30, 1000, 5000};

// Of one search with more and more effort.
struct Narrowing {
    double least = 0, most = 1e9;

    void add(const Measure& measure, const Matching& matching) {
        const Difference found = measure.difference(matching, *measure.workspace());
        require(found.gap >= 0, "a gap of 0 or more");
        require(found.med <= most + rounding, "a value within the interval of less effort");
        require(found.med >= least - rounding, "a value that is no worse than that of less effort");
        least = std::max(least, found.med);
        most = std::min(most, found.med + found.gap);
    }
};

}  // namespace

void try_input(std::string_view bytes) {
    constexpr double lengths[] = {0, 20, 150, 600, 700, 2500, 40000};
    Choices choices(bytes);
    const Problem problem = problem_of(choices, 24, 3);
    Matching matching = matching_of(problem);
    std::vector<double> words(problem.documents()), discount{0.0}, tail(41, 0.0);
    for (double& length : words) length = choices.one_of(lengths);
    matching.look_up(words);
    for (std::size_t i = 1; i <= 40; ++i) discount.push_back(1 / std::sqrt(static_cast<double>(i)));
    const double decay = choices.flag() ? 0.3 : 0.05;
    for (std::size_t i = 40; i-- > 0;) tail[i] = discount[i + 1] + (1 - decay) * tail[i + 1];
    const TimeBiasedGain::Calibration calibration{224, 0.4928, 4.4, 7.8, 0.018, 0.64, 0.39};
    const std::size_t which = choices.below(3);
    Narrowing narrowing;
    for (const std::size_t effort : efforts) {
        if (which == 0) narrowing.add(Cascade(discount, tail, {0.0, 0.25, 1.0}, decay, 1.0, effort), matching);
        if (which == 1) narrowing.add(AveragePrecision(40, 1, 40, effort), matching);
        if (which == 2) narrowing.add(TimeBiasedGain(calibration, TimeBiasedGain::endless, 1, effort), matching);
    }
}

}  // namespace medir::fuzz
