// The exact maximum of a counted difference (see counted_difference.hpp).
//
// - The table of counts gives an upper bound (see count_table.hpp). What a decision is worth, at best, is known for
//   both places of an unknown from one walk up and one down; prices that bring the two closer to each other make the
//   bound smaller.
// - Counts through which no walk can be better than the best assignment are ruled out, and so are decisions.
// - Where prices do not help any more, walks of very different counts are equally good. The counts at the cut at which
//   they differ most are parted, and each part gets its own prices.
#pragma once

#include <cstddef>
#include <vector>

#include "solvers/budget.hpp"
#include "solvers/count_table.hpp"
#include "solvers/local_search.hpp"

namespace medir {

class CountSearch {
public:
    // From a first assignment. `bound` is an upper bound. Assignments that are better by no more than `tolerance` are
    // not looked for, nor those with more than `most_counted` relevant unknowns.
    Optimum maximise(const CountedDifference& problem, const std::vector<char>& first, double bound, int most_counted,
                     double tolerance, Budget& budget);
    // Which unknowns are 1 at the best value found.
    const std::vector<char>& assignment() const { return best_; }

private:
    using Region = CountTable::Region;
    using Trail = CountTable::Trail;

    void improve(std::vector<char> relevance, Budget& budget);
    void set_prices(Region& region);
    void find_direction();
    bool tighten(Region& region, Budget& budget);
    void part(Region region, Budget& budget);
    void part_counts(Region region, std::size_t cut, int middle);
    void part_unknown(Region region, Budget& budget);
    void put_back(Region region);

    const CountedDifference* problem_ = nullptr;
    CountTable table_;
    std::vector<char> best_;
    LocalSearch local_;
    std::vector<double> kept_, direction_;  // prices
    std::vector<Trail> trails_;             // the latest, in turn
    std::size_t latest_ = 0;
    std::vector<Region> open_;  // a heap: that of the largest bound first
    double value_ = 0, tolerance_ = 0;
};

}  // namespace medir
