// Persistency of a quadratic function of unknowns that are 0 or 1: some are decided whatever the others are.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace medir {

// Some unknowns are decided, the others open. The function is sum_v linear_v x_v + sum_{v<u} w_vu x_v x_u, where
// weight(v, u) gives w_vu.
class PartialAssignment {
public:
    static constexpr char undecided = 2;

    // Nothing is decided.
    template <class Weight>
    void reset(const std::vector<double>& linear, const Weight& weight) {
        const std::size_t count = linear.size();
        slope = linear;
        rise.assign(count, 0.0);
        fall.assign(count, 0.0);
        state.assign(count, undecided);
        open.resize(count);
        std::iota(open.begin(), open.end(), 0);
        value = 0;
        for (std::size_t v = 0; v < count; ++v) {
            for (std::size_t u = v + 1; u < count; ++u) {
                const double w = weight(v, u), up = positive_part(w), down = w - up;
                rise[v] += up;
                fall[v] += down;
                rise[u] += up;
                fall[u] += down;
            }
        }
    }

    // Decides the unknown at a position of `open`, which narrows the derivatives of the others.
    template <class Weight>
    void decide(std::size_t position, bool one, const Weight& weight) {
        const std::size_t v = open[position];
        open[position] = open.back();
        open.pop_back();
        state[v] = one;
        if (one) value += slope[v];
        for (const std::size_t u : open) {
            const double w = weight(v, u), up = positive_part(w);
            rise[u] -= up;
            fall[u] -= w - up;
            if (one) slope[u] += w;
        }
    }

    // An unknown whose derivative cannot be negative, whatever the open others are, is 1; one whose derivative cannot
    // be positive is 0.
    template <class Weight>
    void persist(const Weight& weight) {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = 0; i < open.size();) {
                const std::size_t v = open[i];
                const bool one = slope[v] + fall[v] >= 0, zero = slope[v] + rise[v] <= 0;
                if (one || zero) {
                    decide(i, one, weight);
                    changed = true;
                } else {
                    ++i;
                }
            }
        }
    }

    // The middle of the derivative.
    double tendency(std::size_t v) const { return slope[v] + 0.5 * (rise[v] + fall[v]); }

    std::vector<char> state;  // by unknown: 0, 1 or undecided
    double value = 0;         // what the decided ones add
    // The derivative of an open unknown is slope + what the open others add, between fall and rise.
    std::vector<double> slope, rise, fall;
    std::vector<std::uint32_t> open;

private:
    // max(w, 0) without a branch.
    static double positive_part(double w) { return 0.5 * (w + std::abs(w)); }
};

}  // namespace medir
