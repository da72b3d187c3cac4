// Persistency of a quadratic function of unknowns that are 0 or 1: some are decided whatever the others are.
//
// The function is sum_v linear_v x_v + sum_{v<u} w_vu x_v x_u, where the weights come from ranks in two lists:
// w_vu = 1 / max(first_v, first_u) - 1 / max(second_v, second_u). An unknown whose derivative cannot be negative,
// whatever the open others are, is 1; one whose derivative cannot be positive is 0; and each decision narrows the
// derivatives of the others, until no more can be decided.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/fenwick.hpp"
#include "solvers/budget.hpp"

namespace medir {

struct QuadraticFunction {
    std::vector<double> linear;
    std::vector<std::uint32_t> first, second;         // the ranks of each unknown in the favoured and in the other list
    const std::vector<double>* reciprocal = nullptr;  // 1/i by rank

    std::size_t size() const { return linear.size(); }
};

// Some unknowns are decided, the others open.
class Persistency {
public:
    static constexpr char undecided = 2;

    // Decides what can be decided. Where there are many unknowns, that may end for lack of effort, but not before a
    // first round.
    void settle(const QuadraticFunction& function, Budget& budget);

    std::vector<char> state;  // by unknown: 0, 1 or undecided
    // The derivative of an open unknown is slope + what the open others add, between fall and rise.
    std::vector<double> slope, rise, fall;
    std::vector<std::uint32_t> open;
    std::vector<char> guess;  // by unknown, of the open ones: the best of those that follow the middle of derivatives

private:
    // How many, and the sum of their reciprocals.
    struct Tally {
        double count = 0, sum = 0;

        Tally& operator+=(const Tally& tally) {
            count += tally.count;
            sum += tally.sum;
            return *this;
        }
        // None have no sum, whatever the rounding.
        Tally operator-(const Tally& tally) const {
            return count == tally.count ? Tally{} : Tally{count - tally.count, sum - tally.sum};
        }
    };

    // An open unknown whose weights with all others are looked at: the reciprocals of its ranks, and its derivative.
    struct Place {
        double first, second, slope, rise, fall;

        // The reciprocal of the greater of two ranks is the lesser one.
        double weight(const Place& other) const {
            return std::min(first, other.first) - std::min(second, other.second);
        }
    };

    // The middle of the derivative.
    double tendency(std::size_t v) const { return slope[v] + 0.5 * (rise[v] + fall[v]); }
    void sort_by(const std::vector<std::uint32_t>& ranks, std::vector<std::uint32_t>& order);
    void estimate();
    void settle_in_pairs();
    void compare_pairs();
    void decide(std::size_t place, bool one);
    void settle_in_rounds(Budget& budget);
    void sum_up();
    void sum_up_rises();
    void make_guess();
    double value_of(const std::vector<char>& relevance) const;
    bool decide_round();
    void leave_open(std::vector<std::uint32_t>& unknowns) const;
    template <class Chosen>
    void sum_over(const std::vector<std::uint32_t>& order, const std::vector<std::uint32_t>& ranks,
                  const Chosen& chosen, std::vector<double>& sums) const;

    const QuadraticFunction* function_ = nullptr;
    std::vector<Place> places_;                              // as in `open`
    std::vector<std::uint32_t> by_first_, by_second_;        // the open ones in the order of each list
    std::vector<std::uint32_t> first_order_, second_order_;  // all of them
    std::vector<std::uint32_t> at_rank_;                     // the unknown that stands there in a list
    std::vector<char> next_guess_;
    double guessed_ = 0;                        // the value of the guess
    std::vector<double> in_first_, in_second_;  // by unknown: what others add to it in each list
    Fenwick<Tally> tallies_;
    Fenwick<double> sums_;
};

}  // namespace medir
