// Upper bounds for a counted difference (see counted_difference.hpp), from tables of counts.
//
// A walk down both lists, along a path of cuts (see alignment.hpp), meets every unknown in one list and then in the
// other, or in both at once. If the two decisions for an unknown need not agree, all that matters at a cut is how many
// are relevant above it in each list, and a table of these counts gives the maximum: an upper bound of the one that is
// looked for. A price for each unknown, added where it is met first and subtracted where it is met again, changes
// nothing where both decisions agree: any prices give a bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/alignment.hpp"
#include "solvers/counted_difference.hpp"

namespace medir {

class CountTable {
public:
    static constexpr char undecided = 2;

    // The counts that are looked at at a cut: how many are relevant above it in the favoured list, and how many more
    // than in the other list.
    struct Window {
        int least_count, most_count, least_lead, most_lead;

        int counts() const { return most_count - least_count + 1; }
        int leads() const { return most_lead - least_lead + 1; }
        bool empty() const { return counts() <= 0 || leads() <= 0; }
        std::size_t size() const { return static_cast<std::size_t>(counts()) * static_cast<std::size_t>(leads()); }
    };
    // What is known of the assignments that are looked at, and the prices.
    struct Region {
        double bound;
        std::vector<Window> windows;  // by cut
        std::vector<char> decided;    // by unknown
        std::vector<double> prices;   // by unknown
    };
    // What the best walks are worth in which the unknown of a step is relevant or not.
    struct Worth {
        double without, with;
    };
    // The best walk: its decisions where unknowns are met for the first and for the second time, and its counts.
    struct Trail {
        std::vector<char> opening, closing;
        std::vector<int> counts;
    };

    // Lays out the path. The problem must outlive its use; assignments with more than `most_counted` relevant unknowns
    // are not looked at.
    void align(const CountedDifference& problem, int most_counted);
    std::size_t cuts() const { return steps_.size() + 1; }
    // All counts that there can be, with prices of 0.
    Region whole() const;
    // Leaves the counts that can be reached from those at the cuts before and after; false where there are none.
    bool narrow(std::vector<Window>& windows) const;
    // Makes room for a table; returns how many entries that takes. With more than there may be, there is no room.
    std::size_t lay_out(const std::vector<Window>& windows, std::size_t most_entries);
    // Fills the table with what lies below each cut, at best; returns that of the first.
    double walk_up(const Region& region);
    // With the table: what walks through a cut are worth. Leaves the counts and decisions of those that are worth more
    // than `hopeless`; returns whether there are any.
    bool walk_down(Region& region, double hopeless);
    void trace(const Region& region, Trail& trail) const;
    // What the two decisions for an unknown are worth where it is met first and again, in the latest walk down.
    const Worth& opening_worth(std::size_t unknown) const { return worth_[opening_[unknown]]; }
    const Worth& closing_worth(std::size_t unknown) const { return worth_[closing_[unknown]]; }
    bool met_once(std::size_t unknown) const { return opening_[unknown] == closing_[unknown]; }
    bool opens_in_favoured(std::size_t unknown) const { return steps_[opening_[unknown]].count > 0; }

private:
    struct Part {
        double slope = 0, known = 0;
    };
    // From one cut to the next: an unknown is met in one list or in both.
    struct Step {
        std::uint32_t unknown;
        Alignment::Kind kind;
        int count, lead;  // by how much they grow if it is relevant
        double base;
        Part favoured, other;
    };
    // Where the counts of a cut, after one of the decisions, stand among those of the next cut.
    struct Move {
        int begin, end;           // of leads, as they are numbered in the window
        std::ptrdiff_t sideways;  // from a lead's number in the window to that in the next
    };
    Move move(const Window& from, const Window& to, int lead) const;
    double price(const Region& region, const Step& step) const;
    // The levels of counts in the other list, by lead from the window's least.
    const double* levels_of_other(const Window& window, int count) const {
        return &backwards_[static_cast<std::size_t>(longest_ - count + window.least_lead)];
    }
    bool rule_out(Region& region, double hopeless) const;

    double level(int count) const { return (*problem_->level)[static_cast<std::size_t>(count)]; }

    const CountedDifference* problem_ = nullptr;
    int most_counted_ = 0;
    Alignment alignment_;
    std::vector<Step> steps_;
    std::vector<std::uint32_t> opening_, closing_;  // by unknown: its steps; the same where it is met in both lists
    int longest_ = 0;
    std::vector<double> backwards_;     // level[c] at longest - c; level[0] for c < 0, which no walk reaches
    std::vector<std::size_t> offsets_;  // of the table, by cut
    std::vector<double> table_, above_, next_above_, through_, columns_without_, columns_with_;
    std::vector<Worth> worth_;  // by step
};

}  // namespace medir
