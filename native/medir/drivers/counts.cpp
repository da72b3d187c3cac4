#include "drivers/counts.hpp"

namespace medir {

void Counts::add(const Matching& matching) {
    repeats += matching.repeats();
    without_relevant += !matching.has_relevant();
    without_length += matching.without_length();
}

void Counts::add(const Counts& counts) {
    repeats += counts.repeats;
    without_relevant += counts.without_relevant;
    short_lists += counts.short_lists;
    without_length += counts.without_length;
}

}  // namespace medir
