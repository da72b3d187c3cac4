// The stretches of two trailtexts, weighed by a measure, and the difference that they can make.
#pragma once

#include <vector>

#include "pairs/difference.hpp"
#include "trails/trail_measure.hpp"
#include "trails/trailtext.hpp"

namespace medir {

// A stretch, or the part of one where the difference of both weights has one sign.
struct Part {
    std::size_t stretch;
    BySide<double> places, weights;
};

// One weighing serves many queries and measures, and keeps its memory.
class Weighing {
public:
    void weigh(const Trailtexts& trails, const TrailMeasure& measure);

    Difference difference() const;
    const std::vector<Part>& parts() const { return parts_; }
    // What a part adds to S(favoured) - S(other) at its maximum.
    double added(const Part& part, std::size_t favoured) const;
    // What the unseen text of the favoured trailtext adds at the most; 0 where it ended.
    double unseen(std::size_t favoured) const;

private:
    void add_stretch(std::size_t number);
    void add_part(const Part& part, const BySide<double>& paces, double length);
    void find_alone(std::size_t side);
    double most(const Part& part, std::size_t favoured) const;
    Bounds favour(std::size_t favoured) const;
    double taken_away(std::size_t favoured) const;
    double below(std::size_t side) const;

    const Trailtexts* trails_ = nullptr;
    const TrailMeasure* measure_ = nullptr;
    BySide<std::vector<double>> starts_, paces_;  // of the passages
    BySide<double> ends_{};
    bool timed_ = false;  // passages take their durations
    std::vector<Part> parts_;
    BySide<double> seen_{};                     // what all parts add at the most, in the units of their weights
    BySide<std::vector<const Part*>> alone_{};  // unknown text that only one trailtext shows, in its order unless timed
};

}  // namespace medir
