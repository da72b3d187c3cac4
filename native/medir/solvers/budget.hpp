// How much work a search may do.
#pragma once

#include <cstddef>

namespace medir {

class Budget {
public:
    explicit Budget(std::size_t effort) : left_(effort > most / unit ? most : effort * unit) {}

    // Returns whether there is enough left for so much work; where there is not, nothing is left.
    bool spend(std::size_t work) {
        const bool enough = work <= left_;
        left_ = enough ? left_ - work : 0;
        return enough;
    }
    void exhaust() { left_ = 0; }
    bool affords(std::size_t work) const { return work <= left_; }
    // Sets one part of so many of what is left apart.
    Budget part(std::size_t parts) {
        Budget apart = *this;
        apart.left_ = left_ / parts;
        left_ -= apart.left_;
        return apart;
    }
    void take_back(const Budget& apart) { left_ += apart.left_; }
    bool exhausted() const { return left_ == 0; }

private:
    static constexpr std::size_t unit = 64;  // entries of a table that are filled for one of effort
    static constexpr std::size_t most = std::size_t{1} << 60;

    std::size_t left_;
};

}  // namespace medir
