#include "drivers/counts.hpp"

namespace medir {

void Counts::add(const Matching& matching, const std::vector<std::size_t>& reaches) {
    repeats += matching.dropped();
    without_relevant += !matching.has_relevant();
    without_length += matching.without_length();
    for (std::size_t m = 0; m < reaches.size(); ++m) {
        by_measure_[m].unseen += matching.has_unseen(reaches[m]);
        by_measure_[m].ended += matching.has_ended(reaches[m]);
    }
}

void Counts::add(const Counts& counts) {
    repeats += counts.repeats;
    without_relevant += counts.without_relevant;
    without_length += counts.without_length;
    for (std::size_t m = 0; m < counts.by_measure_.size(); ++m) {
        by_measure_[m].unseen += counts.by_measure_[m].unseen;
        by_measure_[m].ended += counts.by_measure_[m].ended;
    }
}

std::vector<std::size_t> Counts::unseen() const {
    std::vector<std::size_t> numbers;
    for (const OfMeasure& one : by_measure_) numbers.push_back(one.unseen);
    return numbers;
}

std::vector<std::size_t> Counts::ended() const {
    std::vector<std::size_t> numbers;
    for (const OfMeasure& one : by_measure_) numbers.push_back(one.ended);
    return numbers;
}

}  // namespace medir
