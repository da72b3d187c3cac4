#include "drivers/counts.hpp"

namespace medir {

void Counts::add(const Matching& matching, const std::vector<std::size_t>& reaches) {
    repeats += matching.dropped();
    without_relevant += !matching.has_relevant();
    without_length += matching.without_length();
    for (std::size_t m = 0; m < reaches.size(); ++m) {
        unseen[m] += matching.has_unseen(reaches[m]);
        ended[m] += matching.has_ended(reaches[m]);
    }
}

void Counts::add(const Counts& counts) {
    repeats += counts.repeats;
    without_relevant += counts.without_relevant;
    without_length += counts.without_length;
    for (std::size_t m = 0; m < counts.unseen.size(); ++m) {
        unseen[m] += counts.unseen[m];
        ended[m] += counts.ended[m];
    }
}

}  // namespace medir
