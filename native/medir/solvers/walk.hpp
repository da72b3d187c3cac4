// The exact maximum of a difference of two lists' scores, over unknowns that are 0 or 1 and stand in both lists.
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

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/alignment.hpp"
#include "solvers/labels.hpp"
#include "solvers/optimum.hpp"

namespace medir {

class Walk {
public:
    // One list. When c unknowns above are relevant, the next unknown adds slope * keep^c if it is relevant too, and
    // what is known between it and the unknown before it adds known * keep^c. The last of `known` stands for the ranks
    // below the last unknown.
    struct List {
        std::vector<std::uint32_t> unknowns;  // in rank order
        std::vector<double> slope, known;

        void clear();
    };
    List favoured, other;
    double keep = 0;
    std::vector<double> level;  // keep^c, by c

    // `effort` is how many table entries and labels may be made.
    Optimum maximise(std::size_t effort, double tolerance);
    // Which unknowns are 1 at the best value found.
    const std::vector<char>& assignment() const { return best_; }

private:
    static constexpr std::size_t most_words = 16;  // of 64 straddlers each

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
        int lowest = 0, highest = 0;  // excess: relevant in the favoured list so far less those in the other
        std::size_t offset = 0;

        std::size_t rows() const { return static_cast<std::size_t>(highest - lowest + 1); }
        std::size_t entries() const { return rows() << bits; }
        std::size_t row(int excess) const { return offset + (static_cast<std::size_t>(excess - lowest) << bits); }
    };
    // A part of a list that ends with a straddler, or with the list.
    struct Segment {
        double gain = 0, factor = 1;  // what it adds, and how it scales what follows
        double slope = 0;             // what the straddler adds if it is relevant
        std::size_t straddler = 0;
    };
    template <std::size_t Words>
    class Sweep;

    void lay_out_steps();
    void lay_out_cuts();
    bool met_in_favoured(std::uint32_t straddler) const { return steps_[opened_[straddler] - 1].in_favoured; }
    bool remember_one(std::uint32_t straddler, std::size_t entries);
    void remember(std::size_t entries);
    void tabulate();
    void tabulate_row(std::size_t t, int excess);
    bool sweep(std::size_t room);
    void describe_rest(const List& list, std::size_t met, const std::vector<std::uint32_t>& places,
                       std::size_t met_there, bool relevant, const std::vector<std::size_t>& slot,
                       std::vector<Segment>& rest) const;
    template <class Straddlers>
    double rest_of(const std::vector<Segment>& rest, const Straddlers& straddlers) const;
    Optimum with_none();
    void keep_best(std::size_t position);

    Alignment alignment_;
    std::vector<Step> steps_;
    std::vector<Cut> cuts_;
    std::vector<int> bit_;  // of each unknown that is remembered, else -1
    std::vector<std::uint32_t> opened_, closed_, straddlers_;
    std::vector<int> excess_;  // of the remembered, by their relevance
    std::vector<double> table_;
    std::vector<Segment> rest_, other_rest_;
    std::vector<std::vector<std::uint32_t>> trail_;  // by step and label: the label before, and the decision
    LabelSets<1> labels_;
    LabelSets<most_words> wide_labels_;
    std::vector<double> label_bounds_;
    std::vector<char> best_;
    double best_value_ = 0, put_aside_ = 0, tolerance_ = 0;
    std::size_t effort_ = 0, widest_ = 0, forgotten_ = 0;
};

}  // namespace medir
