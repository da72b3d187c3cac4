// Average precision against every assignment of relevance.
#include "measures/average_precision.hpp"
#include "problems.hpp"

namespace medir::fuzz {

void try_input(std::string_view bytes) {
    Choices choices(bytes);
    const Problem problem = problem_of(choices, 8, 3);
    const std::size_t cutoff = 1 + choices.below(10);
    const double norm = static_cast<double>(cutoff);
    const std::vector<double> of_grade{0.0, 1.0, 1.0};
    const Score score = [&](const auto& list, const auto& relevance) {
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < std::min(list.size(), cutoff); ++i)
            if (relevance[list[i]] > 0) sum += ++count / static_cast<double>(i + 1);
        return sum / norm;
    };
    const Extremes expected = by_trying_all(problem, {0.0, 1.0}, of_grade, score);
    const Matching matching = matching_of(problem);
    const AveragePrecision measure(cutoff, 1, norm, 1000000);
    check_exact(measure, problem, matching, expected, score);
    check_interval(AveragePrecision(cutoff, 1, norm, 1 + choices.below(200)), matching, expected);
    check_unseen(measure, problem, choices);
}

}  // namespace medir::fuzz
