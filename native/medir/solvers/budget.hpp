// How much work a search may do, how long, and what it finds.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>

#include "base/parallel.hpp"

namespace medir {

inline constexpr double never = -1e300;  // the value of what cannot be; finite, because it may be multiplied by 0

// What a search for a maximum found, and what it proved.
struct Optimum {
    double value;
    double gap;  // the maximum is proven to lie in [value, value + gap]
};

// Of the search for the maxima of one query under one measure.
struct Effort {
    Effort(std::size_t most_steps, double most_seconds = std::numeric_limits<double>::infinity())
        : steps(most_steps), seconds(most_seconds) {}

    std::size_t steps;
    double seconds;  // for all searches
};

// Of the search for one maximum. What spends it looks in between whether the search is still wanted.
class Budget {
public:
    explicit Budget(Effort effort) : left_(effort.steps > most / unit ? most : effort.steps * unit) {
        if (effort.seconds < longest)
            end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(effort.seconds / searches));
    }

    // Returns whether there is enough left for so much work; where there is not, nothing is left.
    bool spend(std::size_t work) {
        if ((since_ += work) >= between) {
            since_ = 0;
            Watch::look();
            if (end_ != Clock::time_point::max() && Clock::now() >= end_) left_ = 0;
        }
        const bool enough = work <= left_;
        left_ = enough ? left_ - work : 0;
        return enough;
    }
    bool affords(std::size_t work) const { return work <= left_; }
    void exhaust() { left_ = 0; }
    bool exhausted() const { return left_ == 0; }
    // Sets one part of so many of what is left apart, of the time as well.
    Budget part(std::size_t parts) {
        Budget apart = *this;
        apart.left_ = left_ / parts;
        left_ -= apart.left_;
        if (end_ == Clock::time_point::max()) return apart;
        const auto now = Clock::now();
        if (now < end_) apart.end_ = now + (end_ - now) / static_cast<Clock::rep>(parts);
        return apart;
    }
    void take_back(const Budget& apart) { left_ += apart.left_; }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double searches = 4;    // both directions, and both as if the lists had ended
    static constexpr std::size_t unit = 32;  // entries of a table that are filled in a step
    static constexpr std::size_t most = std::size_t{1} << 60;
    static constexpr std::size_t between = std::size_t{1} << 20;  // looks: some milliseconds
    static constexpr double longest = 1e9;                        // seconds that a clock can add

    std::size_t left_, since_ = 0;
    Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace medir
