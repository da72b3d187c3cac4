// What the comparison asks of a measure.
#pragma once

#include "matching.hpp"

namespace medir {

enum class Unseen { anything, nothing };  // what the ranks below a list hold

struct Difference {
    double med, gain, loss, lower, gap;
};

class Measure {
public:
    virtual ~Measure() = default;

    virtual Difference difference(const Matching& matching, Unseen unseen) const = 0;
    // Effectiveness of the list `before`: what is not judged is not relevant.
    virtual double score(const Matching& matching) const = 0;
};

// One of the two lists of a matching.
struct Side {
    std::uint32_t Document::* rank;
    std::size_t size;
};

}  // namespace medir
