// Cascades against every assignment of relevance.
#include "measures/cascade.hpp"
#include "problems.hpp"

namespace medir::fuzz {

void try_input(std::string_view bytes) {
    constexpr double decays[] = {0.05, 0.3, 0.9, 1.0};
    Choices choices(bytes);
    const Problem problem = problem_of(choices, 6, 3);
    const double decay = choices.one_of(decays);
    const std::vector<double> values{0.0, 0.25, 1.0};
    const std::size_t cutoff = 1 + choices.below(8), power = choices.below(3);
    std::vector<double> discount{0.0}, tail(cutoff + 1, 0.0);
    for (std::size_t i = 1; i <= cutoff; ++i)
        discount.push_back(std::pow(static_cast<double>(i), -0.5 * static_cast<double>(power)));
    for (std::size_t i = cutoff; i-- > 0;) tail[i] = discount[i + 1] + (1 - decay) * tail[i + 1];
    const Score score = [&](const auto& list, const auto& relevance) {
        double sum = 0, reach = 1;
        for (std::size_t i = 0; i < std::min(list.size(), cutoff); ++i) {
            sum += relevance[list[i]] * reach * discount[i + 1];
            reach *= 1 - decay * relevance[list[i]];
        }
        return sum;
    };
    const Extremes expected = by_trying_all(problem, {0.0, 1.0}, values, score);
    const Matching matching = matching_of(problem);
    const Cascade measure(discount, tail, values, decay, 1.0, 1000000);
    check_exact(measure, problem, matching, expected, score);
    check_interval(Cascade(discount, tail, values, decay, 1.0, 1 + choices.below(200)), matching, expected);
    check_unseen(measure, problem, choices);
}

}  // namespace medir::fuzz
