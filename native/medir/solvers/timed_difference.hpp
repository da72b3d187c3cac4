// The exact maximum of a difference of two lists' time-biased gain, over documents that are relevant or not.
//
// A list scores sum_k gain c_k prod_{i<k} f_i, where f_i is what document i leaves of all that stands below it: one
// number where it is relevant and another where it is not. That is linear in the relevance of each document; the
// derivative of a document at ranks n and m of the two lists is
//     reach_n (gain - loss rest_n) - reach'_m (gain - loss rest'_m),
// with reach = prod f_i over the documents above, rest = the score of those below, and loss what its own f loses when
// it is relevant. Relevance may raise or lower the score of a list, so that a document in one list only is an unknown
// too.
//
// - Bounds of the derivative decide a document whose derivative keeps its sign whatever the undecided others are. From
//   the end of the lists up, because the rest is known once all below is decided.
// - A walk down both lists decides what is left where few documents straddle: see timed_walk.hpp.
// - Elsewhere branch and bound: a document is tried both ways, and each try decides others as above.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fenwick.hpp"
#include "solvers/budget.hpp"
#include "solvers/timed_walk.hpp"

namespace medir {

class TimedDifference {
public:
    static constexpr char undecided = 2;

    struct Factors {
        double other, relevant;  // f of a document: other >= relevant >= 0
    };
    struct List {
        std::vector<std::uint32_t> documents;  // in rank order
        double unseen = 0;                     // what stands below, once reached
    };
    double gain = 1;
    List favoured, other;
    std::vector<Factors> factors;  // by document
    std::vector<char> relevance;   // by document: 0, 1 or undecided; afterwards the best that was found

    // Assignments that are better by no more than `tolerance` are not looked for.
    Optimum maximise(double tolerance, Budget& budget);

private:
    struct Interval {
        double least, most;
    };
    // The undecided documents of a list, in rank order. What is known in the stretch above each, and below the last,
    // adds a gain and scales what follows.
    struct Line {
        std::vector<std::uint32_t> documents;
        std::vector<double> gain, factor;
        std::vector<double> reach;   // by place: of a document, when nothing undecided above it is relevant
        std::vector<double> fade;    // by place: logarithm of what reach is scaled by when all of that is relevant
        std::vector<Interval> rest;  // by place: below a document, from `known` on
        std::size_t known = 0;
    };
    struct Node {
        Line favoured, other;
        std::vector<std::uint32_t> upwards;  // the undecided, from the end of the lists up
    };
    void set_up(Node& root);
    void order_upwards(Node& root);
    void narrow(const Line& from, Line& to) const;
    void narrow(const Node& from, Node& to) const;
    void look_above(Line& line, std::vector<std::uint32_t>& places) const;
    void look_below(Line& line, std::size_t place) const;
    void look_around(Node& node);
    void look(Node& node);
    void persist(Node& node, Budget& budget);
    bool settle(Node& node, Budget& budget);
    Interval term(const Line& line, std::size_t place, Interval fade) const;
    Interval derivative(const Node& node, std::uint32_t document) const;
    double value(const Line& line) const;
    double bound(const Node& node);
    void describe(const Line& line, TimedWalk::List& list) const;
    bool walk(const Node& node, Budget& budget);
    double keep_guess(const Node& node);
    void search(std::size_t depth, Budget& budget);
    double branch(Budget& budget);

    std::vector<double> fade_, loss_;  // by document: log(f_relevant / f_other), and f_other - f_relevant
    std::vector<std::uint32_t> place_favoured_, place_other_, depth_, number_;  // by document
    std::vector<double> shared_;  // by document: fade of the undecided above it in both lists
    std::vector<char> guess_;
    std::vector<Node> nodes_;         // by depth
    Fenwick<double> sums_, guessed_;  // by place in the other list: of fade
    TimedWalk walk_;
    std::vector<char> best_;
    double best_value_ = 0, put_aside_ = 0, tolerance_ = 0;
    double most_ = 0;  // an upper bound of all assignments
};

}  // namespace medir
