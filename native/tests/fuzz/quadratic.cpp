// The solver of average precision against every assignment, on problems that no measure gives: each unknown depends on
// the others as much as can be, so that little is decided at once. More effort is never worse.
#include "solvers/quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness.hpp"

namespace medir::fuzz {

namespace {

constexpr double rounding = 1e-12;

std::vector<std::uint32_t> ranks_of(Choices& choices, std::size_t size) {
    std::vector<std::uint32_t> ranks(size + size / 2);
    std::iota(ranks.begin(), ranks.end(), 1);
    for (std::size_t i = 0; i < size; ++i) std::swap(ranks[i], ranks[i + choices.below(ranks.size() - i)]);
    ranks.resize(size);
    return ranks;
}

double weight(const QuadraticFunction& problem, std::size_t v, std::size_t u) {
    return 1.0 / std::max(problem.first[v], problem.first[u]) - 1.0 / std::max(problem.second[v], problem.second[u]);
}

double value(const QuadraticFunction& problem, const std::vector<char>& x) {
    double sum = 0;
    for (std::size_t v = 0; v < x.size(); ++v) {
        if (!x[v]) continue;
        sum += problem.linear[v];
        for (std::size_t u = 0; u < v; ++u)
            if (x[u]) sum += weight(problem, v, u);
    }
    return sum;
}

double by_trying_all(const QuadraticFunction& problem) {
    double most = 0;  // none relevant
    std::vector<char> x(problem.linear.size());
    for (std::size_t mask = 1; mask < std::size_t{1} << x.size(); ++mask) {
        for (std::size_t v = 0; v < x.size(); ++v) x[v] = mask >> v & 1;
        most = std::max(most, value(problem, x));
    }
    return most;
}

}  // namespace

void try_input(std::string_view bytes) {
    Choices choices(bytes);
    const std::size_t size = 1 + choices.below(9);
    std::vector<double> reciprocal(2 * size + 1, 0.0);
    for (std::size_t i = 1; i < reciprocal.size(); ++i) reciprocal[i] = 1.0 / static_cast<double>(i);
    QuadraticProblem solver;
    QuadraticFunction& problem = solver.function;
    problem.reciprocal = &reciprocal;
    problem.first = ranks_of(choices, size);
    problem.second = ranks_of(choices, size);
    const bool balanced = choices.flag();
    for (std::size_t v = 0; v < size; ++v) {
        problem.linear.push_back(0.001 * (static_cast<double>(choices.byte()) - 128));
        for (std::size_t u = 0; balanced && u < size; ++u)
            if (u != v) problem.linear[v] -= 0.5 * weight(problem, v, u);
    }
    const double most = by_trying_all(problem);
    double least = -1, gap = 1e9;
    for (const std::size_t effort : {0, 1, 10, 1000000}) {
        Budget budget(effort);
        const double left = solver.maximise(budget);
        const Optimum found{value(problem, solver.assignment()), left};
        require(found.value <= most + rounding && found.value + found.gap >= most - rounding, "the interval");
        require(found.gap >= 0 && found.gap <= gap + rounding && found.value >= least - rounding, "more effort");
        least = found.value;
        gap = found.gap;
    }
    require(gap == 0, "the proof");
}

}  // namespace medir::fuzz
