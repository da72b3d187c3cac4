// The second pass of the walk: labels, from the top of both lists down. Only walk.cpp includes it.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "solvers/walk.hpp"

namespace medir {

inline constexpr std::size_t many_labels = 8;  // that a second bound is worth while
inline constexpr std::size_t work_of_label = 32, work_of_straddler = 8;
inline constexpr std::size_t most_recorded = std::size_t{1} << 24;  // labels of a sweep

// The lowest numbers that are not in use.
class Slots {
public:
    std::size_t take() {
        if (free_.empty()) return next_++;
        const std::size_t slot = free_.back();
        free_.pop_back();
        return slot;
    }
    void give_back(std::size_t slot) { free_.push_back(slot); }

private:
    std::vector<std::size_t> free_;
    std::size_t next_ = 0;
};

// One walk down the path with at most `room` labels at a cut.
template <std::size_t Words>
class Walk::Sweep {
public:
    Sweep(Walk& walk, LabelSets<Words>& sets, std::size_t room, Budget& budget)
        : walk_(walk),
          room_(room),
          budget_(budget),
          slot_(walk.problem_->size(), 0),
          unknowns_(walk.widest_, 0),
          labels_(sets.now),
          without_(sets.without),
          with_(sets.with),
          bounds_(walk.label_bounds_) {}

    // Returns whether no label was put aside that could still be better.
    bool run() {
        walk_.put_aside_ = never;
        walk_.trail_.resize(std::max(walk_.trail_.size(), walk_.steps_.size()));
        labels_.assign(1, {{}, 0.0, walk_.table_[walk_.cuts_[0].offset], 0, 0, 0, 0, 0});
        for (std::size_t t = 0; t < walk_.steps_.size() && !labels_.empty(); ++t) {
            expand(walk_.steps_[t], walk_.cuts_[t + 1]);
            merge();
            met_favoured_ += walk_.steps_[t].in_favoured;
            met_other_ += walk_.steps_[t].in_other;
            if (labels_.size() > many_labels) tighten();
            if (labels_.size() > room_) make_room();
            if (!record(t)) return false;
        }
        const auto best = std::max_element(labels_.begin(), labels_.end(),
                                           [](const auto& a, const auto& b) { return a.bound < b.bound; });
        if (best != labels_.end() && best->bound > walk_.best_value_) {
            walk_.best_value_ = best->bound;
            walk_.keep_best(static_cast<std::size_t>(best - labels_.begin()));
        }
        return walk_.put_aside_ <= walk_.best_value_ + walk_.tolerance_;
    }

private:
    using Labels = std::vector<Label<Words>>;

    bool hopeless(double bound) const { return bound <= walk_.best_value_ + walk_.tolerance_; }

    void add(Labels& to, Label<Words>& label, const Cut& next) const {
        if (!next.has(label.excess)) return;
        const double below = walk_.table_[next.row(label.excess) + label.remembered];
        label.bound = label.value + walk_.level(static_cast<std::size_t>(label.count)) * below;
        if (!hopeless(label.bound)) to.push_back(label);
    }

    // Takes both decisions for the unknown of a step, or the one that was taken where it was met before.
    void expand(const Step& step, const Cut& next) {
        const bool single = step.in_favoured != step.in_other, decided = single && step.closes;
        if (single && !step.closes) unknowns_[slot_[step.unknown] = slots_.take()] = step.unknown;
        const std::size_t place = slot_[step.unknown];
        const int bit = single ? walk_.bit_[step.unknown] : -1;
        const int change = static_cast<int>(step.in_favoured) - static_cast<int>(step.in_other);
        without_.clear();
        with_.clear();
        for (std::uint32_t position = 0; position < labels_.size(); ++position) {
            Label<Words> label = labels_[position];
            const double a = walk_.level(label.count_favoured()), b = walk_.level(label.count_other());
            label.value += step.favoured.known * a - step.other.known * b;
            label.from = position << 1;
            const bool relevant = decided && label.straddlers.test(place);
            if (!relevant) add(without_, label, next);
            if (decided && !relevant) continue;
            label.value += step.favoured.slope * a - step.other.slope * b;
            label.from |= 1;
            if (single) {
                label.straddlers.flip(place);
                if (bit >= 0)
                    label.remembered ^= std::uint32_t{1} << bit;
                else
                    label.excess += change;
                label.count += step.in_favoured ? label.ahead < 0 : label.ahead > 0;
                label.ahead += change;
            } else {
                ++label.count;
            }
            add(with_, label, next);
        }
        if (decided) slots_.give_back(place);
    }

    // Both are in order, because a decision changes the same straddler or count of all.
    void merge() {
        labels_.clear();
        for (auto i = without_.begin(), j = with_.begin(); i != without_.end() || j != with_.end();) {
            const bool second = i == without_.end() || (j != with_.end() && j->before(*i));
            const Label<Words>& label = second ? *j++ : *i++;
            if (labels_.empty() || !labels_.back().same_place(label))
                labels_.push_back(label);
            else if (label.value > labels_.back().value)
                labels_.back() = label;
        }
    }

    // A second bound, which knows every straddler: all that was not met yet is relevant in the favoured list alone.
    void tighten() {
        const double none = walk_.describe_favoured(met_favoured_, met_other_);
        const double other_none = walk_.other_known_[met_other_];
        std::size_t taken = 0;
        std::erase_if(labels_, [&](Label<Words>& label) {
            take_straddlers(label);
            taken += walk_.taken_.size() + walk_.other_taken_.size();
            const double a = walk_.level(label.count_favoured()), b = walk_.level(label.count_other());
            const double most =
                a * (none + walk_.change_by(walk_.taken_)) - b * (other_none + walk_.change_by(walk_.other_taken_));
            label.bound = std::min(label.bound, label.value + most);
            return hopeless(label.bound);
        });
        budget_.spend(walk_.reached_ - met_favoured_ + work_of_straddler * taken);
    }

    // Those that are relevant: each is still to be met in one of the lists.
    void take_straddlers(const Label<Words>& label) {
        walk_.taken_.clear();
        walk_.other_taken_.clear();
        label.straddlers.each([&](std::size_t slot) {
            const std::uint32_t unknown = unknowns_[slot], place = walk_.alignment_.places_in_favoured()[unknown];
            if (place < met_favoured_)
                walk_.other_taken_.push_back(walk_.other_turns_[unknown]);
            else if (place < walk_.reached_)
                walk_.taken_.push_back(walk_.turns_[unknown]);
        });
    }

    void make_room() {
        bounds_.clear();
        for (const auto& label : labels_) bounds_.push_back(label.bound);
        std::nth_element(bounds_.begin(), bounds_.begin() + static_cast<std::ptrdiff_t>(room_), bounds_.end(),
                         std::greater<>());
        const double aside = bounds_[room_];
        walk_.put_aside_ = std::max(walk_.put_aside_, aside);
        std::size_t kept = 0;
        for (const auto& label : labels_)
            if (label.bound > aside || (kept == 0 && label.bound == aside)) labels_[kept++] = label;
        labels_.resize(kept);
    }

    // Remembers where the labels come from. Returns false when there is no room or effort left.
    bool record(std::size_t t) {
        recorded_ += labels_.size();
        if (recorded_ > most_recorded || !budget_.spend(work_of_label * labels_.size())) {
            for (const auto& label : labels_) walk_.put_aside_ = std::max(walk_.put_aside_, label.bound);
            return false;
        }
        walk_.trail_[t].clear();
        for (const auto& label : labels_) walk_.trail_[t].push_back(label.from);
        return true;
    }

    Walk& walk_;
    std::size_t room_;
    Budget& budget_;
    std::size_t recorded_ = 0;
    Slots slots_;
    std::vector<std::size_t> slot_;                 // by unknown
    std::vector<std::uint32_t> unknowns_;           // by slot
    std::size_t met_favoured_ = 0, met_other_ = 0;  // unknowns, in each list
    Labels &labels_, &without_, &with_;
    std::vector<double>& bounds_;
};

}  // namespace medir
