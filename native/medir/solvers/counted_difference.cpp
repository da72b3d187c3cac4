#include "solvers/counted_difference.hpp"

namespace medir {

void CountedList::clear() {
    unknowns.clear();
    slope.clear();
    known.clear();
}

double CountedList::value(const std::vector<char>& relevance, const std::vector<double>& level) const {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
        const bool relevant = relevance[unknowns[i]];
        sum += (known[i] + (relevant ? slope[i] : 0.0)) * level[count];
        count += relevant;
    }
    return sum + known.back() * level[count];
}

void CountedList::find_derivatives(const std::vector<char>& relevance, const std::vector<double>& level,
                                   std::vector<double>& derivatives) const {
    derivatives.resize(unknowns.size());
    std::size_t count = 0;
    for (const std::uint32_t unknown : unknowns) count += relevance[unknown];
    // By how much all below adds more with one more relevant above, and less with one less.
    double more = 0, less = 0;
    const auto add = [&](double sum) {
        more += sum * (level[count + 1] - level[count]);
        if (count > 0) less += sum * (level[count] - level[count - 1]);
    };
    add(known.back());
    for (std::size_t i = unknowns.size(); i-- > 0;) {
        const bool relevant = relevance[unknowns[i]];
        count -= relevant;
        derivatives[unknowns[i]] = slope[i] * level[count] + (relevant ? less : more);
        add(known[i] + (relevant ? slope[i] : 0.0));
    }
}

double CountedDifference::value(const std::vector<char>& relevance) const {
    double sum = favoured.value(relevance, *level) - other.value(relevance, *level);
    for (std::size_t v = 0; v < linear.size(); ++v)
        if (relevance[v]) sum += linear[v];
    return sum;
}

}  // namespace medir
