#include "drivers/sums.hpp"

namespace medir {

void add_up(const double* values, std::size_t rows, std::size_t columns, Weights weights, double* sums) {
    constexpr std::size_t at_once = 4;  // an addition waits for the one before
    for (std::size_t row = 0; row < rows; ++row, values += columns) {
        Sum parts[at_once];
        const auto add = [&](Sum& part, std::size_t i) {
            weights.first == nullptr ? part.add(values[i])
                                     : part.add_product(values[i], weights.first[i * weights.step]);
        };
        std::size_t i = 0;
        for (; i + at_once <= columns; i += at_once)
            for (std::size_t part = 0; part < at_once; ++part) add(parts[part], i + part);
        for (; i < columns; ++i) add(parts[0], i);
        for (std::size_t part = 1; part < at_once; ++part) parts[0].add(parts[part]);
        sums[row] = parts[0].value();
    }
}

}  // namespace medir
