#include "drivers/sums.hpp"

namespace medir {

void add_up(const double* values, std::size_t rows, std::size_t columns, const double* weights, double* sums) {
    for (std::size_t row = 0; row < rows; ++row, values += columns) {
        Sum sum;
        for (std::size_t i = 0; i < columns; ++i)
            weights == nullptr ? sum.add(values[i]) : sum.add_product(values[i], weights[i]);
        sums[row] = sum.value();
    }
}

}  // namespace medir
