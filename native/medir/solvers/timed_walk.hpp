// The exact maximum of a difference of two lists' time-biased gain where few documents straddle: see
// timed_difference.hpp and, for the walk of other cascades, walk.hpp.
//
// Cut both lists, each at some place. What lies below depends on the documents above only through the straddlers, which
// stand above the cut in one list and not in the other, and through a factor from those above in both, which scales all
// of it. A document of one list only straddles all cuts below it. A path of cuts is chosen that few documents straddle
// (see alignment.hpp); from the end of the lists up, a table holds the most that lies below each cut, for each
// relevance of its straddlers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solvers/alignment.hpp"
#include "solvers/budget.hpp"

namespace medir {

class TimedWalk {
public:
    // One list, as if no unknown were relevant; each one that is scales all below it by `keep`.
    struct List {
        std::vector<std::uint32_t> unknowns;  // in rank order
        std::vector<double> gain;             // by place: what the unknown adds when it is relevant
        std::vector<double> known;  // by place: what is known between it and the one above; and below the last
    };
    List favoured, other;
    std::vector<double> keep;  // by unknown

    // Returns false where the table takes more room or effort than there is.
    bool maximise(Budget& budget);
    // Which unknowns are relevant at the maximum.
    const std::vector<char>& assignment() const { return assignment_; }

private:
    using Kind = Alignment::Kind;
    using Step = Alignment::Step;
    // From one cut to the next: what the known adds, and the unknown when it is relevant, in each list.
    struct Part {
        double known_favoured = 0, known_other = 0, gain_favoured = 0, gain_other = 0;
    };

    std::size_t lay_out();
    void scale_by_straddlers();
    Part part_of(const Step& step, std::uint32_t bit);
    void tabulate(std::size_t t);
    void follow();

    Alignment alignment_;
    std::vector<std::uint32_t> bits_;  // by step: of its unknown among the straddlers
    std::vector<std::uint32_t> straddlers_;
    std::vector<std::size_t> offsets_;  // by cut
    std::vector<double> table_;
    std::vector<char> choice_;                          // by entry
    std::vector<double> scale_favoured_, scale_other_;  // by relevance of the straddlers
    std::size_t met_favoured_ = 0, met_other_ = 0;
    std::vector<char> assignment_;
};

}  // namespace medir
