// A Fenwick tree: sums of weights from the first place to any other, while weights are added.
#pragma once

#include <cstddef>
#include <vector>

namespace medir {

// Places count from 1.
template <class Weight>
class Fenwick {
public:
    explicit Fenwick(std::size_t size = 0) : sums_(size + 1) {}

    // All weights are 0 again.
    void clear(std::size_t size) { sums_.assign(size + 1, Weight{}); }
    void add(std::size_t place, Weight weight) {
        for (; place < sums_.size(); place += place & -place) sums_[place] += weight;
    }
    // The sum of the first `count` places.
    Weight sum(std::size_t count) const {
        Weight sum{};
        for (; count > 0; count &= count - 1) sum += sums_[count];
        return sum;
    }

private:
    std::vector<Weight> sums_;
};

}  // namespace medir
