// Sums over queries. What rounding takes from a sum is kept beside it and added in the end (Neumaier; Ogita, Rump and
// Oishi), so that the result is as if summed with twice the digits and rounded once, whatever the order of sizes.
#pragma once

#include <cmath>
#include <cstddef>

namespace medir {

class Sum {
public:
    void add(double value) {
        const double next = sum_ + value, without = next - sum_;
        lost_ += (sum_ - (next - without)) + (value - without);
        sum_ = next;
    }
    // The product is not rounded before it is added.
    void add_product(double a, double b) {
        const double product = a * b;
        add(product);
        lost_ += std::fma(a, b, -product);
    }
    void add(const Sum& other) {
        add(other.sum_);
        lost_ += other.lost_;
    }
    // What is infinite or no number stays so.
    double value() const { return std::isfinite(lost_) ? sum_ + lost_ : sum_; }

private:
    double sum_ = 0, lost_ = 0;
};

// Of columns: null for none, or one number after the other; one for all where the step is 0.
struct Weights {
    const double* first;
    std::size_t step;
};

// The sum of each row of a table; where there are weights, of each value times the weight of its column.
void add_up(const double* values, std::size_t rows, std::size_t columns, Weights weights, double* sums);

}  // namespace medir
