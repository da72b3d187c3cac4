// Measures of a trailtext: every character has a weight by where it is first shown, and the relevant ones count.
#pragma once

#include "trails/trailtext.hpp"

namespace medir {

// A place in a trailtext is how far the user has come: characters, or seconds.
class TrailMeasure {
public:
    virtual ~TrailMeasure() = default;

    // What a passage takes, and each of its characters.
    virtual double extent(const Passage& passage) const = 0;
    virtual double pace(const Passage& passage) const = 0;
    // A character of text that was not seen yet.
    virtual double usual_pace() const = 0;
    virtual bool takes_durations() const = 0;

    // The weight of all that is shown from a place on, for an extent that may be infinite. The weight of a place never
    // rises with it. Weights are in units of 1/unit().
    virtual double weight(double place, double extent) const = 0;
    virtual double unit() const = 0;

    // After how many characters two passages of different pace weigh the same.
    virtual double crossing(BySide<double> places, BySide<double> paces) const = 0;
};

enum class TrailDiscount { linear, none, exponential };

// U: c_i d_i over the characters i = 1..l, where c_i is 0 or 1/2. d_i is 1 - i/l, 1, or 2^(-i/half_life).
class UMeasure : public TrailMeasure {
public:
    UMeasure(TrailDiscount discount, double depth, double half_life);

    double extent(const Passage& passage) const override { return static_cast<double>(passage.length); }
    double pace(const Passage&) const override { return 1; }
    double usual_pace() const override { return 1; }
    bool takes_durations() const override { return false; }
    double weight(double place, double extent) const override;
    double unit() const override { return discount_ == TrailDiscount::linear ? 4 * depth_ : 2; }
    double crossing(BySide<double>, BySide<double>) const override { return 0; }

private:
    TrailDiscount discount_;
    double depth_, rate_;
};

// Time-biased gain: the integral of D(t) = exp(-t ln2 / half_life) over the seconds t that show relevant material. A
// passage takes its duration, or its length at a speed of so many characters a second.
class TimeBiasedTrail : public TrailMeasure {
public:
    TimeBiasedTrail(double half_life, double speed);

    double extent(const Passage& passage) const override;
    double pace(const Passage& passage) const override;
    double usual_pace() const override { return 1 / speed_; }
    bool takes_durations() const override { return true; }
    double weight(double place, double extent) const override;
    double unit() const override { return 1; }
    double crossing(BySide<double> places, BySide<double> paces) const override;

private:
    double rate_, speed_;
};

}  // namespace medir
