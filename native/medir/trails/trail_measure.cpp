#include "trails/trail_measure.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace medir {

UMeasure::UMeasure(TrailDiscount discount, double depth, double half_life)
    : discount_(discount), depth_(depth), rate_(std::numbers::ln2 / half_life) {}

// Prefix sums in closed form, of i = first + 1 .. last:
//   linear       2l sum of 1 - i/l = (last - first) (2l - first - last - 1), whole numbers
//   exponential  sum of exp(-rate i) = exp(-rate first) (1 - exp(-rate (last - first))) / (exp(rate) - 1)
double UMeasure::weight(double place, double extent) const {
    const double first = std::min(place, depth_), last = std::min(place + extent, depth_);
    if (first == last) return 0;
    switch (discount_) {
        case TrailDiscount::linear:
            return (last - first) * (2 * depth_ - first - last - 1);
        case TrailDiscount::none:
            return last - first;
        case TrailDiscount::exponential:
            break;
    }
    return std::exp(-rate_ * first) * -std::expm1(-rate_ * (last - first)) / std::expm1(rate_);
}

TimeBiasedTrail::TimeBiasedTrail(double half_life, double speed)
    : rate_(std::numbers::ln2 / half_life), speed_(speed) {}

double TimeBiasedTrail::extent(const Passage& passage) const {
    return passage.seconds >= 0 ? passage.seconds : static_cast<double>(passage.length) / speed_;
}

double TimeBiasedTrail::pace(const Passage& passage) const {
    return passage.seconds >= 0 ? passage.seconds / static_cast<double>(passage.length) : 1 / speed_;
}

double TimeBiasedTrail::weight(double place, double extent) const {
    return std::exp(-rate_ * place) * -std::expm1(-rate_ * extent) / rate_;
}

// A character x of a stretch weighs pace exp(-rate (place + pace x)): the logarithms of both weights are lines, which
// cross once.
double TimeBiasedTrail::crossing(BySide<double> places, BySide<double> paces) const {
    const double apart = std::log(paces[0] / paces[1]) - rate_ * (places[0] - places[1]);
    return apart / (rate_ * (paces[0] - paces[1]));
}

}  // namespace medir
