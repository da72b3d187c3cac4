// The exact maximum of a counted difference (see counted_difference.hpp) whose levels are powers: that of cascades.
//
// A relevant unknown scales all that stands below it in a list. So, once the unknowns above a cut through both lists
// are decided, all that lies below it depends on the straddlers (those that stand above the cut in one list and below
// it in the other), but for a factor for those that are relevant above it in both. The cut need not be at the same rank
// of both lists: a path of cuts is chosen that few unknowns straddle (see alignment.hpp). Then two passes:
//
// - From the end of the lists up, a table of upper bounds for what lies below each cut. It remembers the relevance of
//   some straddlers; of the others only how many more are relevant above in one list than in the other. Where it
//   remembers all of them, the bounds are the maxima themselves.
// - From the top down, labels: decisions so far, with their value. Labels with the same straddlers and counts merge; a
//   label goes when its bound does not beat the best assignment found. If none was put aside for lack of room, the best
//   is proven; else the table and the room grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/alignment.hpp"
#include "solvers/budget.hpp"
#include "solvers/counted_difference.hpp"
#include "solvers/labels.hpp"
#include "solvers/local_search.hpp"

namespace medir {

class Walk {
public:
    // level[c] of the problem is keep^c, and its unknowns add nothing besides; no list is worth less for a relevant
    // unknown more. Assignments that are better by no more than `tolerance` are not looked for, nor those with more
    // than `most_counted` relevant unknowns.
    Optimum maximise(const CountedDifference& problem, double keep, int most_counted, double tolerance, Budget& budget);
    // Which unknowns are 1 at the best value found.
    const std::vector<char>& assignment() const { return best_; }

private:
    static constexpr std::size_t some_words = 4, most_words = 16;  // of 64 straddlers each

    struct Part {
        double slope = 0, known = 0;
    };
    // From one cut to the next: past one unknown in one list, or past the same unknown in both.
    struct Step {
        std::uint32_t unknown;
        bool in_favoured, in_other;
        bool closes;  // the unknown was met in the other list before
        Part favoured, other;
    };
    // The entries of one cut: by excess of the straddlers that are not remembered, by the relevance of those that are.
    struct Cut {
        std::uint32_t remembered = 0, remembered_favoured = 0;  // bits in use, those met in the favoured list
        int bits = 0;
        // Of the excess: relevant in the favoured list so far less those in the other. More than the limit is not
        // looked at.
        int lowest = 0, highest = 0, limit = 0;
        std::size_t offset = 0;

        int least() const { return std::max(lowest, -limit); }
        int most() const { return std::min(highest, limit); }
        bool has(int excess) const { return excess >= least() && excess <= most(); }
        std::size_t straddlers() const { return static_cast<std::size_t>(highest - lowest); }
        std::size_t rows() const { return static_cast<std::size_t>(most() - least() + 1); }
        std::size_t entries() const { return rows() << bits; }
        std::size_t row(int excess) const { return offset + (static_cast<std::size_t>(excess - least()) << bits); }
    };
    // What a relevant unknown changes in what a list adds below a cut, where no other above it there is relevant: each
    // that is scales the change by `keep`.
    struct Turn {
        std::uint32_t place = Alignment::nowhere;  // in the list
        double change = 0;
    };
    template <std::size_t Words>
    class Sweep;

    void lay_out_steps();
    void lay_out_cuts();
    bool met_in_favoured(std::uint32_t straddler) const { return steps_[opened_[straddler] - 1].in_favoured; }
    bool remember_one(std::uint32_t straddler, std::size_t entries);
    bool remember(std::size_t entries, Budget& budget);
    void tabulate();
    void tabulate_row(std::size_t t, int excess);
    bool sweep(std::size_t room, Budget& budget);
    void describe_rests();
    double describe_favoured(std::size_t met, std::size_t met_other);
    double change_by(std::vector<Turn>& turns) const;
    void keep_best(std::size_t position);
    void improve(Budget& budget);

    double level(std::size_t count) const { return (*problem_->level)[count]; }

    const CountedDifference* problem_ = nullptr;
    double keep_ = 0;
    int most_counted_ = 0;
    Alignment alignment_;
    std::vector<Step> steps_;
    std::vector<Cut> cuts_;
    std::vector<int> bit_;  // of each unknown that is remembered, else -1
    std::vector<std::uint32_t> opened_, closed_, straddlers_;
    std::vector<int> excess_;  // of the remembered, by their relevance
    std::vector<double> table_;
    LocalSearch local_;
    std::vector<Turn> turns_, other_turns_;  // by unknown, in each list
    std::vector<double> other_known_;        // by place: what is known from there on in the other list
    std::vector<double> favoured_most_;      // by place: what all from there on add in the favoured list
    std::size_t reached_ = 0;                // place in the favoured list from which on nothing counts
    std::vector<Turn> taken_, other_taken_;
    std::vector<std::vector<std::uint32_t>> trail_;  // by step and label: the label before, and the decision
    LabelSets<1> labels_;
    LabelSets<some_words> wider_labels_;
    LabelSets<most_words> widest_labels_;
    std::vector<double> label_bounds_;
    std::vector<char> best_;
    double best_value_ = 0, put_aside_ = 0, tolerance_ = 0;
    std::size_t widest_ = 0, forgotten_ = 0;
};

}  // namespace medir
