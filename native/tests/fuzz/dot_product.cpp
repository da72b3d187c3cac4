// Measures without decay against every assignment of relevance.
#include "measures/dot_product.hpp"
#include "problems.hpp"

namespace medir::fuzz {

void try_input(std::string_view bytes) {
    Choices choices(bytes);
    const Problem problem = problem_of(choices, 6, 3);
    const std::vector<double> values{0.0, 0.25, 1.0};
    const std::size_t cutoff = 1 + choices.below(8), power = choices.below(3);
    std::vector<double> discount{0.0}, tail(cutoff + 1, 0.0);
    for (std::size_t i = 1; i <= cutoff; ++i)
        discount.push_back(std::pow(static_cast<double>(i), -0.5 * static_cast<double>(power)));
    for (std::size_t i = cutoff; i-- > 0;) tail[i] = tail[i + 1] + discount[i + 1];
    const DotProduct measure(discount, tail, values, {}, tail[0]);
    const Score score = [&](const auto& list, const auto& relevance) {
        double sum = 0;
        for (std::size_t i = 0; i < std::min(list.size(), cutoff); ++i) sum += relevance[list[i]] * discount[i + 1];
        return sum / tail[0];
    };
    const Extremes expected = by_trying_all(problem, values, values, score);
    check_exact(measure, problem, matching_of(problem), expected, score);
    check_unseen(measure, problem, choices);
}

}  // namespace medir::fuzz
