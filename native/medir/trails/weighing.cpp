#include "trails/weighing.hpp"

#include <algorithm>
#include <limits>

namespace medir {

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

constexpr std::size_t other_than(std::size_t side) { return 1 - side; }

}  // namespace

void Weighing::weigh(const Trailtexts& trails, const TrailMeasure& measure) {
    trails_ = &trails;
    measure_ = &measure;
    timed_ = trails.timed() && measure.takes_durations();
    for (const std::size_t side : {before_run, after_run}) {
        starts_[side].clear();
        paces_[side].clear();
        double place = 0;
        for (const Passage& passage : trails.passages(side)) {
            starts_[side].push_back(place);
            paces_[side].push_back(measure.pace(passage));
            place += measure.extent(passage);
        }
        ends_[side] = place;
    }
    parts_.clear();
    for (std::size_t i = 0; i < trails.stretches().size(); ++i)
        if (trails.stretches()[i].judged != Judged::not_relevant) add_stretch(i);
    seen_ = {};
    for (const Part& part : parts_)
        for (const std::size_t side : {before_run, after_run}) seen_[side] += most(part, side);
    for (const std::size_t side : {before_run, after_run}) find_alone(side);
}

void Weighing::find_alone(std::size_t side) {
    auto& alone = alone_[side];
    alone.clear();
    const std::size_t other = other_than(side);
    if (!trails_->cut(other)) return;  // nothing asks for it
    for (const Part& part : parts_) {
        const Stretch& stretch = trails_->stretches()[part.stretch];
        if (stretch.judged == Judged::unknown && !stretch.is_shown(other)) alone.push_back(&part);
    }
    if (timed_) return;  // where it may stand does not depend on its order
    const auto above = [side](const Part* a, const Part* b) { return a->places[side] < b->places[side]; };
    if (!std::is_sorted(alone.begin(), alone.end(), above)) std::stable_sort(alone.begin(), alone.end(), above);
}

// At the same pace, the trailtext that shows the first character of a stretch earlier shows all of it earlier: both go
// on side by side. Weights never rise with the place, not even where a measure ends, so their difference has one sign.
void Weighing::add_stretch(std::size_t number) {
    const Stretch& stretch = trails_->stretches()[number];
    const auto length = static_cast<double>(stretch.length);
    Part part{number, {}, {}};
    BySide<double> paces{};
    for (const std::size_t side : {before_run, after_run}) {
        if (!stretch.is_shown(side)) continue;
        const auto shown = static_cast<std::size_t>(stretch.shown[side]);
        const auto within = static_cast<double>(stretch.start - trails_->passages(side)[shown].start);
        paces[side] = paces_[side][shown];
        part.places[side] = starts_[side][shown] + paces[side] * within;
    }
    const bool both = stretch.is_shown(before_run) && stretch.is_shown(after_run);
    if (!both || paces[before_run] == paces[after_run]) return add_part(part, paces, length);
    const double crossing = measure_->crossing(part.places, paces);
    const double split = crossing > 0 ? std::min(crossing, length) : 0;  // 0 where it is not a number
    add_part(part, paces, split);
    for (const std::size_t side : {before_run, after_run}) part.places[side] += paces[side] * split;
    add_part(part, paces, length - split);
}

void Weighing::add_part(const Part& part, const BySide<double>& paces, double length) {
    const Stretch& stretch = trails_->stretches()[part.stretch];
    Part& added = parts_.emplace_back(part);
    for (const std::size_t side : {before_run, after_run})
        if (stretch.is_shown(side)) added.weights[side] = measure_->weight(part.places[side], paces[side] * length);
}

// What a part adds to S(favoured) - S(other) at its maximum, in the units of its weights.
double Weighing::most(const Part& part, std::size_t favoured) const {
    const double change = part.weights[favoured] - part.weights[other_than(favoured)];
    return trails_->stretches()[part.stretch].judged == Judged::relevant ? change : std::max(change, 0.0);
}

double Weighing::added(const Part& part, std::size_t favoured) const { return most(part, favoured) / measure_->unit(); }

double Weighing::below(std::size_t side) const { return measure_->weight(ends_[side], endless); }

// New text, all of it relevant; where nothing but gold is relevant, the gold that was not shown yet. Where passages
// have durations, nothing says how long that takes.
double Weighing::unseen(std::size_t favoured) const {
    if (!trails_->cut(favoured)) return 0;
    const auto left = static_cast<double>(trails_->gold_not_shown(favoured));
    double extent = endless;
    if (trails_->closed() && (left == 0 || !timed_)) extent = left * measure_->usual_pace();
    return measure_->weight(ends_[favoured], extent) / measure_->unit();
}

Bounds Weighing::favour(std::size_t favoured) const {
    const double seen = seen_[favoured] / measure_->unit();
    const std::size_t other = other_than(favoured);
    const double taken = trails_->cut(other) && below(other) > 0 ? taken_away(favoured) / measure_->unit() : 0.0;
    return {seen + unseen(favoured), seen - taken, 0};
}

// The most that text which the other trailtext does not show may yet take away, by standing in its unseen part. As for
// documents, unknown text is paired with the unseen places in order.
double Weighing::taken_away(std::size_t favoured) const {
    const std::size_t other = other_than(favoured);
    const auto gold = static_cast<double>(trails_->gold_not_shown(other));
    const double all = below(other);
    if (timed_) {  // it may take any time there
        double weight = 0;
        for (const Part* part : alone_[favoured]) weight += part->weights[favoured];
        return gold > 0 ? all : std::min(all, weight);
    }
    const double pace = measure_->usual_pace();
    double unknown = 0, place = ends_[other];
    for (const Part* part : alone_[favoured]) {
        const double extent = pace * static_cast<double>(trails_->stretches()[part->stretch].length);
        unknown += measure_->weight(std::max(part->places[favoured], place), extent);
        place += extent;
    }
    if (gold == 0) return unknown;
    return std::min(measure_->weight(ends_[other], place - ends_[other] + gold * pace),
                    unknown + measure_->weight(ends_[other], gold * pace));
}

Difference Weighing::difference() const { return difference_of(favour(after_run), favour(before_run)); }

}  // namespace medir
