#include "weighing.hpp"

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
    for (std::size_t i = 0; i < trails.stretches().size(); ++i) {
        const Stretch& stretch = trails.stretches()[i];
        if (stretch.judged == Judged::not_relevant) continue;
        BySide<double> places{}, paces{};
        for (const std::size_t side : {before_run, after_run}) {
            if (!stretch.is_shown(side)) continue;
            const auto number = static_cast<std::size_t>(stretch.shown[side]);
            const auto within = static_cast<double>(stretch.start - trails.passages(side)[number].start);
            paces[side] = paces_[side][number];
            places[side] = starts_[side][number] + paces[side] * within;
        }
        const auto add = [&](double first, double length) {
            Part part{i, places, {}};
            for (const std::size_t side : {before_run, after_run}) {
                if (!stretch.is_shown(side)) continue;
                part.places[side] += paces[side] * first;
                part.weights[side] = measure.weight(part.places[side], paces[side] * length);
            }
            parts_.push_back(part);
        };
        // At the same pace the first character that is shown earlier in one trailtext than in the other says the same
        // of all: both go on side by side, and weights never rise with the place, not even where a measure ends.
        const auto length = static_cast<double>(stretch.length);
        const bool both = stretch.is_shown(before_run) && stretch.is_shown(after_run);
        if (!both || paces[before_run] == paces[after_run]) {
            add(0, length);
            continue;
        }
        const double crossing = measure.crossing(places, paces);
        const double split = crossing > 0 ? std::min(crossing, length) : 0;  // 0 where it is not a number
        add(0, split);
        add(split, length - split);
    }
}

double Weighing::added(const Part& part, std::size_t favoured) const {
    const double change = part.weights[favoured] - part.weights[other_than(favoured)];
    const bool judged = trails_->stretches()[part.stretch].judged == Judged::relevant;
    return (judged ? change : std::max(change, 0.0)) / measure_->unit();
}

double Weighing::below(std::size_t side) const { return measure_->weight(ends_[side], endless); }

// New text, all of it relevant; where nothing but gold is relevant, the gold that was not shown yet.
double Weighing::unseen(std::size_t favoured) const {
    double most = below(favoured);
    if (trails_->closed()) {
        const auto left = static_cast<double>(trails_->gold_not_shown(favoured));
        if (left == 0) most = 0;
        // Where durations are given, nothing says how long the rest takes.
        if (!trails_->timed()) most = measure_->weight(ends_[favoured], left * measure_->usual_pace());
    }
    return most / measure_->unit();
}

Bounds Weighing::favour(std::size_t favoured, Unseen unseen) const {
    double seen = 0;
    for (const Part& part : parts_) {
        const double change = part.weights[favoured] - part.weights[other_than(favoured)];
        const bool judged = trails_->stretches()[part.stretch].judged == Judged::relevant;
        seen += judged ? change : std::max(change, 0.0);
    }
    seen /= measure_->unit();
    if (unseen == Unseen::nothing) return {seen, seen, 0};
    const double taken = below(other_than(favoured)) > 0 ? taken_away(favoured) / measure_->unit() : 0.0;
    return {seen + this->unseen(favoured), seen - taken, 0};
}

// The most that text which the other trailtext does not show may yet take away, by standing in its unseen part. As for
// documents, unknown text is paired with the unseen places in order.
double Weighing::taken_away(std::size_t favoured) const {
    const std::size_t other = other_than(favoured);
    std::vector<const Part*> free;
    double weight = 0;
    for (const Part& part : parts_) {
        const Stretch& stretch = trails_->stretches()[part.stretch];
        if (stretch.judged != Judged::unknown || stretch.is_shown(other)) continue;
        free.push_back(&part);
        weight += part.weights[favoured];
    }
    const auto gold = static_cast<double>(trails_->gold_not_shown(other));
    const double all = below(other);
    if (trails_->timed()) return gold > 0 ? all : std::min(all, weight);  // it may take any time there
    std::sort(free.begin(), free.end(),
              [&](const Part* a, const Part* b) { return a->places[favoured] < b->places[favoured]; });
    const double pace = measure_->usual_pace();
    double unknown = 0, place = ends_[other];
    for (const Part* part : free) {
        const double extent = pace * static_cast<double>(trails_->stretches()[part->stretch].length);
        unknown += measure_->weight(std::max(part->places[favoured], place), extent);
        place += extent;
    }
    if (gold == 0) return unknown;
    return std::min(measure_->weight(ends_[other], place - ends_[other] + gold * pace),
                    unknown + measure_->weight(ends_[other], gold * pace));
}

Difference Weighing::difference(Unseen unseen) const {
    return difference_of(favour(after_run, unseen), favour(before_run, unseen), unseen);
}

}  // namespace medir
