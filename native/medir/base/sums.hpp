// Sums over queries. What rounding takes from a sum is kept beside it and added in the end (Neumaier; Ogita, Rump and
// Oishi), so that the result is as if summed with twice the digits and rounded once, whatever the order of sizes.
#pragma once

#include <array>
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
    // What rounding took from that value.
    double rest() const { return std::isfinite(lost_) ? (sum_ - value()) + lost_ : 0; }

private:
    double sum_ = 0, lost_ = 0;
};

// A sum in parts that take turns, as an addition waits for the one before.
class SumInParts {
public:
    // Values, or values times weights where there are any.
    void add(const double* values, const double* weights, std::size_t count) {
        if (weights == nullptr)
            add_each(count, [values](Sum& part, std::size_t i) { part.add(values[i]); });
        else
            add_each(count, [values, weights](Sum& part, std::size_t i) { part.add_product(values[i], weights[i]); });
    }
    void add_scaled(const double* values, double weight, std::size_t count) {
        add_each(count, [values, weight](Sum& part, std::size_t i) { part.add_product(values[i], weight); });
    }
    Sum all() const {
        Sum all = parts_[0];
        for (std::size_t part = 1; part < parts_.size(); ++part) all.add(parts_[part]);
        return all;
    }
    double value() const { return all().value(); }

private:
    template <class Add>
    void add_each(std::size_t count, Add add) {
        std::array<Sum, 4> parts = parts_;
        std::size_t i = 0;
        for (; i + parts.size() <= count; i += parts.size())
            for (std::size_t part = 0; part < parts.size(); ++part) add(parts[part], i + part);
        for (; i < count; ++i) add(parts[0], i);
        parts_ = parts;
    }

    std::array<Sum, 4> parts_;
};

// Of columns: null for none, or one number after the other; one for all where the step is 0.
struct Weights {
    const double* first;
    std::size_t step;
};

// The sum of each row of a table; where there are weights, of each value times the weight of its column.
void add_up(const double* values, std::size_t rows, std::size_t columns, Weights weights, double* sums);

}  // namespace medir
