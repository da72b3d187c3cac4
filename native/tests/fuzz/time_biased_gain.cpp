// Time-biased gain against every assignment of relevance, by the clock of the user.
#include "measures/time_biased_gain.hpp"
#include "problems.hpp"

namespace medir::fuzz {

namespace {

using Calibration = TimeBiasedGain::Calibration;
constexpr Calibration published{224, 0.4928, 4.4, 7.8, 0.018, 0.64, 0.39};
// Relevance costs more, and more is left to branch and bound.
constexpr Calibration hurried{60, 1, 1, 2, 0.01, 0.9, 0.1};

}  // namespace

void try_input(std::string_view bytes) {
    constexpr double lengths[] = {0, 1, 20, 150, 600, 700, 2500, 40000};
    Choices choices(bytes);
    const Problem problem = problem_of(choices, 8, 2);
    const Calibration calibration = choices.flag() ? published : hurried;
    const std::size_t cutoff = choices.flag() ? 1 + choices.below(10) : TimeBiasedGain::endless;
    std::vector<double> words;
    for (std::size_t i = 0; i < problem.documents(); ++i) words.push_back(choices.one_of(lengths));
    const Score score = [&](const auto& list, const auto& relevance) {
        double sum = 0, seconds = 0;
        for (std::size_t i = 0; i < std::min(list.size(), cutoff); ++i) {
            const bool relevant = relevance[list[i]] > 0;
            if (relevant) sum += calibration.gain * std::exp2(-seconds / calibration.half_life);
            seconds += calibration.snippet + (relevant ? calibration.click_relevant : calibration.click_not_relevant) *
                                                 (calibration.document + calibration.word * words[list[i]]);
        }
        return sum;
    };
    const Extremes expected = by_trying_all(problem, {0.0, 1.0}, {0.0, 1.0}, score);
    Matching matching = matching_of(problem);
    matching.look_up(words);
    const TimeBiasedGain measure(calibration, cutoff, 1, 1000000);
    check_exact(measure, problem, matching, expected, score);
    check_interval(TimeBiasedGain(calibration, cutoff, 1, 1 + choices.below(200)), matching, expected);
}

}  // namespace medir::fuzz
