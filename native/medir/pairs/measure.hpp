// What the comparison of many queries asks of a measure, whether it knows of relevance or not.
#pragma once

#include "pairs/difference.hpp"
#include "pairs/matching.hpp"

namespace medir {

class Measure {
public:
    virtual ~Measure() = default;

    virtual Difference difference(const Matching& matching, Unseen unseen) const = 0;
};

}  // namespace medir
