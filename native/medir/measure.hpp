// What the comparison asks of a measure.
#pragma once

#include <vector>

#include "matching.hpp"

namespace medir {

enum class Unseen { anything, nothing };  // what the ranks below a list hold

// One of the two lists of a matching.
struct Side {
    std::uint32_t Document::* rank;
    std::size_t size;
};

// Of S(favoured) - S(other).
struct Bounds {
    double most;   // the maximum, or the most that was found
    double least;  // what the maximum cannot fall below once both lists are known to full depth
    double gap;    // the maximum is proven to lie in [most, most + gap]
};

struct Difference {
    double med, gain, loss, lower, gap;
};

class Measure {
public:
    virtual ~Measure() = default;

    // The maximum of S(favoured) - S(other) over every assignment of relevance. `relevance` takes the value that each
    // document of the matching has there, unless it is null.
    virtual Bounds favour(const Matching& matching, Side favoured, Side other, Unseen unseen,
                          std::vector<double>* relevance) const = 0;
    // Effectiveness of the list `before`: what is not judged is not relevant.
    virtual double score(const Matching& matching) const = 0;
    // Both directions.
    virtual Difference difference(const Matching& matching, Unseen unseen) const;
};

inline Side before_side(const Matching& matching) { return {&Document::before, matching.before_size()}; }
inline Side after_side(const Matching& matching) { return {&Document::after, matching.after_size()}; }

Difference difference_of(const Bounds& gain, const Bounds& loss, Unseen unseen);

}  // namespace medir
