// Small problems for the solvers, and their solutions by trying every assignment of relevance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

#include "harness.hpp"
#include "measures/effectiveness.hpp"

namespace medir::fuzz {

constexpr double rounding = 1e-12;

struct Problem {
    NumberedList before, after;
    std::vector<std::int32_t> grades;  // by document
    bool judged = false;

    std::size_t documents() const { return grades.size(); }
};

// Two lists of some of at most `most` documents, some of which are judged with one of so many grades.
inline Problem problem_of(Choices& choices, std::size_t most, std::size_t grades) {
    Problem problem;
    const std::size_t count = 1 + choices.below(most);
    const auto list = [&](std::size_t size) {
        std::vector<std::uint32_t> documents(count);
        std::iota(documents.begin(), documents.end(), 0);
        for (std::size_t i = 0; i < size; ++i) std::swap(documents[i], documents[i + choices.below(count - i)]);
        documents.resize(size);
        return documents;
    };
    const std::size_t sizes = choices.byte();
    problem.before.documents = list(sizes % 4 ? count : sizes / 4 % (count + 1));
    problem.after.documents = list(sizes % 8 ? count : sizes / 8 % (count + 1));
    problem.judged = choices.flag();
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t grade = problem.judged ? choices.below(grades + 2) : grades;
        problem.grades.push_back(grade < grades ? static_cast<std::int32_t>(grade) : Document::unjudged);
    }
    return problem;
}

inline Matching matching_of(const Problem& problem) {
    Matching matching;
    matching.match(problem.before, problem.after, problem.grades, problem.judged);
    return matching;
}

// The score of a list, given the relevance of every document.
using Score = std::function<double(const std::vector<std::uint32_t>& list, const std::vector<double>& relevance)>;

struct Extremes {
    double gain = -1e300, loss = -1e300;
};

// Over every assignment of one of the values to each document that is not judged; `of_grade` are those of the others.
inline Extremes by_trying_all(const Problem& problem, const std::vector<double>& values,
                              const std::vector<double>& of_grade, const Score& score) {
    Extremes extremes;
    std::vector<double> relevance(problem.documents());
    const std::function<void(std::size_t)> assign = [&](std::size_t document) {
        if (document == relevance.size()) {
            const double change =
                score(problem.after.documents, relevance) - score(problem.before.documents, relevance);
            extremes.gain = std::max(extremes.gain, change);
            extremes.loss = std::max(extremes.loss, -change);
            return;
        }
        const std::int32_t grade = problem.grades[document];
        if (grade != Document::unjudged) {
            relevance[document] = of_grade[static_cast<std::size_t>(grade)];
            assign(document + 1);
            return;
        }
        for (const double value : values) {
            relevance[document] = value;
            assign(document + 1);
        }
    };
    assign(0);
    return extremes;
}

inline bool near(double one, double other) { return std::abs(one - other) <= rounding; }

inline void require_near(double found, double expected, const char* what) {
    if (near(found, expected)) return;
    std::fprintf(stderr, "wrong: %s is %.17g, not %.17g\n", what, found, expected);
    std::abort();
}

// By document number: what a solution has by place in the matching. A document that no list has is not in it.
inline std::vector<double> by_number(const Problem& problem, const std::vector<double>& by_place) {
    std::vector<double> relevance(problem.documents(), 0.0);
    std::vector<bool> met(problem.documents(), false);
    std::size_t place = 0;
    for (const auto* list : {&problem.before.documents, &problem.after.documents})
        for (const std::uint32_t document : *list) {
            if (met[document]) continue;
            met[document] = true;
            relevance[document] = by_place[place++];
        }
    return relevance;
}

// With enough effort: the maxima in both directions, no gap, and witnesses that score so.
inline void check_exact(const Effectiveness& measure, const Problem& problem, const Matching& matching,
                        const Extremes& expected, const Score& score) {
    const auto workspace = measure.workspace();
    const Solution solution = measure.solve(matching, *workspace);
    const Difference& found = solution.difference;
    require(found.gap == 0 && found.gain_gap == 0 && found.loss_gap == 0, "a gap in spite of the effort");
    require_near(found.gain, expected.gain, "the gain");
    require_near(found.loss, expected.loss, "the loss");
    require_near(found.med, std::max(expected.gain, expected.loss), "the difference");
    require_near(found.lower, found.med, "the lower bound where nothing is unseen");
    const auto change = [&](const std::vector<double>& by_place) {
        const std::vector<double> relevance = by_number(problem, by_place);
        return score(problem.after.documents, relevance) - score(problem.before.documents, relevance);
    };
    require_near(change(solution.gain_relevance), found.gain, "the score of the witness of the gain");
    require_near(-change(solution.loss_relevance), found.loss, "the score of the witness of the loss");
    const Difference again = measure.difference(matching, *workspace);
    require(again.med == found.med && again.gain == found.gain && again.loss == found.loss, "the same values again");
}

// With less effort: an interval that holds the maximum.
inline void check_interval(const Effectiveness& measure, const Matching& matching, const Extremes& expected) {
    const auto workspace = measure.workspace();
    const Difference found = measure.difference(matching, *workspace);
    const auto holds = [](double most, double gap, double value) {
        return gap >= 0 && most <= value + rounding && most + gap >= value - rounding;
    };
    require(holds(found.gain, found.gain_gap, expected.gain), "the interval of the gain");
    require(holds(found.loss, found.loss_gap, expected.loss), "the interval of the loss");
    require(holds(found.med, found.gap, std::max(expected.gain, expected.loss)), "the interval of the difference");
}

// Where unseen ranks follow, they add, and the bounds hold.
inline void check_unseen(const Effectiveness& measure, Problem problem, Choices& choices) {
    problem.before.cut = choices.flag();
    problem.after.cut = choices.flag();
    Matching matching = matching_of(problem);
    const auto workspace = measure.workspace();
    const Difference found = measure.difference(matching, *workspace);
    const double ended = matching.as_if_ended([&] { return measure.difference(matching, *workspace); }).med;
    require(found.med >= ended - rounding, "the difference with unseen ranks");
    require(found.lower <= found.med + rounding, "the lower bound with unseen ranks");
    require(found.lower >= -rounding, "a lower bound of 0 or more");
}

}  // namespace medir::fuzz
