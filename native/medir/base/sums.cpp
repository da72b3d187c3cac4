#include "base/sums.hpp"

namespace medir {

void add_up(const double* values, std::size_t rows, std::size_t columns, Weights weights, double* sums) {
    for (std::size_t row = 0; row < rows; ++row, values += columns) {
        SumInParts sum;
        if (weights.first != nullptr && weights.step == 0)
            sum.add_scaled(values, *weights.first, columns);
        else
            sum.add(values, weights.first, columns);
        sums[row] = sum.value();
    }
}

}  // namespace medir
