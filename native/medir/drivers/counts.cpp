#include "drivers/counts.hpp"

namespace medir {

void Counts::add(const Matching& matching) {
    repeats += matching.repeats();
    without_relevant += !matching.has_relevant();
    without_length += matching.without_length();
}

Counts total(const std::vector<Counts>& parts) {
    Counts sum;
    for (const Counts& part : parts) {
        sum.repeats += part.repeats;
        sum.without_relevant += part.without_relevant;
        sum.short_lists += part.short_lists;
        sum.without_length += part.without_length;
    }
    return sum;
}

}  // namespace medir
