#include "solvers/quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/walk.hpp"

namespace medir {

namespace {

constexpr char undecided = 2;
// A node looks at all pairs of unknowns a few times.
std::size_t effort_of_a_node(std::size_t unknowns) { return std::max<std::size_t>(100, unknowns * unknowns / 8); }

constexpr double tolerance = 1e-13;  // a node that cannot beat the best value by more is not searched

// The unknowns that persistency leaves, as flips away from a local optimum:
// maximise sum_v linear_v y_v + sum_{v<u} weights_vu y_v y_u, where y = 0 is the local optimum and scores 0.
class FlipSearch {
public:
    FlipSearch(std::vector<double> linear, std::vector<double> weights, std::size_t effort)
        : size_(linear.size()),
          effort_(effort),
          weights_(std::move(weights)),
          shares_(weights_.size()),
          best_(size_, 0),
          levels_(size_ + 1) {
        for (std::size_t i = 0; i < shares_.size(); ++i) shares_[i] = 0.5 * std::max(0.0, weights_[i]);
        Level& root = levels_[0];
        root.slope = std::move(linear);
        root.rise.assign(size_, 0.0);
        root.fall.assign(size_, 0.0);
        root.flipped.assign(size_, 0);
        for (std::size_t v = 0; v < size_; ++v) {
            root.open.push_back(static_cast<std::uint32_t>(v));
            for (std::size_t u = 0; u < size_; ++u) {
                const double w = weights_[v * size_ + u];
                (w > 0 ? root.rise : root.fall)[v] += w;
            }
        }
    }

    Optimum run() {
        explore(0);
        return {best_value_, std::max(0.0, left_open_ - best_value_)};
    }
    const std::vector<char>& best() const { return best_; }

private:
    struct Level {
        std::vector<double> slope, rise, fall;
        std::vector<std::uint32_t> open;
        std::vector<char> flipped;
        double value = 0;
    };

    void decide(Level& level, std::size_t position, bool flip) const {
        const std::size_t v = level.open[position];
        level.open[position] = level.open.back();
        level.open.pop_back();
        level.flipped[v] = flip;
        if (flip) level.value += level.slope[v];
        const double* w = &weights_[v * size_];
        for (const std::size_t u : level.open) {
            (w[u] > 0 ? level.rise : level.fall)[u] -= w[u];
            if (flip) level.slope[u] += w[u];
        }
    }

    void propagate(Level& level) const {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = 0; i < level.open.size();) {
                const std::size_t v = level.open[i];
                const bool always = level.slope[v] + level.fall[v] >= 0, never = level.slope[v] + level.rise[v] <= 0;
                if (always || never) {
                    decide(level, i, always);
                    changed = true;
                } else {
                    ++i;
                }
            }
        }
    }

    void explore(std::size_t depth) {
        Level& level = levels_[depth];
        ++nodes_;
        propagate(level);
        if (level.open.empty()) {
            if (level.value > best_value_) {
                best_value_ = level.value;
                best_ = level.flipped;
            }
            return;
        }
        double bound = level.value;
        for (const std::size_t v : level.open) bound += std::max(0.0, level.slope[v] + 0.5 * level.rise[v]);
        if (bound <= best_value_ + tolerance) return;
        bound = std::min(bound, tightened_bound(level, depth == 0 ? 20 : 4));
        if (bound <= best_value_ + tolerance) return;
        if (nodes_ >= effort_) {
            left_open_ = std::max(left_open_, bound);
            return;
        }
        const std::size_t choice = most_influential(level);
        const std::size_t v = level.open[choice];
        const bool likely = level.slope[v] + 0.5 * (level.rise[v] + level.fall[v]) > 0;
        for (const bool flip : {likely, !likely}) {
            levels_[depth + 1] = levels_[depth];
            decide(levels_[depth + 1], choice, flip);
            explore(depth + 1);
        }
    }

    std::size_t most_influential(const Level& level) const {
        const auto influence = [&](std::size_t v) {
            return std::min(level.slope[v] + level.rise[v], -(level.slope[v] + level.fall[v]));
        };
        const auto most = std::max_element(level.open.begin(), level.open.end(),
                                           [&](std::size_t v, std::size_t u) { return influence(v) < influence(u); });
        return static_cast<std::size_t>(most - level.open.begin());
    }

    // Splits every weight between its two unknowns so as to leave as little positive potential as possible: a positive
    // one is shared out, a negative one is taken from both at the price of a constant. Any split gives an upper bound;
    // that of an earlier node is a good start for the next.
    double tightened_bound(const Level& level, int sweeps) {
        const auto& open = level.open;
        potential_.assign(size_, 0.0);
        double constant = level.value;
        for (const std::size_t v : open) {
            double sum = level.slope[v];
            for (const std::size_t u : open) {
                sum += shares_[v * size_ + u];
                if (weights_[v * size_ + u] < 0) constant -= 0.5 * shares_[v * size_ + u];
            }
            potential_[v] = sum;
        }
        for (int sweep = 0;; ++sweep) {
            double bound = constant;
            for (const std::size_t v : open) bound += std::max(0.0, potential_[v]);
            if (sweep == sweeps || bound <= best_value_ + tolerance) return bound;
            double moved = 0;
            for (std::size_t i = 0; i < open.size(); ++i)
                for (std::size_t j = i + 1; j < open.size(); ++j) moved += share_out(open[i], open[j], constant);
            if (moved < 1e-9) return bound;
        }
    }

    double share_out(std::size_t v, std::size_t u, double& constant) {
        const double w = weights_[v * size_ + u];
        double &mine = shares_[v * size_ + u], &theirs = shares_[u * size_ + v];
        double &p = potential_[v], &q = potential_[u];
        double move = 0;
        if (w > 0) {
            if (p > 0 && q < 0) move = std::min({p, -q, mine});
            if (p < 0 && q > 0) move = -std::min({-p, q, theirs});
            mine -= move;
            theirs += move;
            p -= move;
            q += move;
        } else if (w < 0) {
            if (p > 0 && q > 0) move = std::min({p, q, mine - w});
            if (p < 0 && q < 0) move = -std::min({-p, -q, -mine});
            mine -= move;
            theirs -= move;
            p -= move;
            q -= move;
            constant += move;
        }
        return std::abs(move);
    }

    std::size_t size_, effort_, nodes_ = 0;
    std::vector<double> weights_, shares_, potential_;
    std::vector<char> best_;
    double best_value_ = 0, left_open_ = 0;
    std::vector<Level> levels_;
};

}  // namespace

double QuadraticProblem::weight(std::size_t v, std::size_t u) const {
    return (*reciprocal)[std::max(first[v], first[u])] - (*reciprocal)[std::max(second[v], second[u])];
}

// An unknown whose derivative cannot be negative, whatever the undecided others do, is 1; one whose derivative cannot
// be positive is 0. Each decision narrows the derivatives of the others.
void QuadraticProblem::persist() {
    const std::size_t count = linear.size();
    state_.assign(count, undecided);
    decided_ = 0;
    slope_ = linear;
    rise_.assign(count, 0.0);
    fall_.assign(count, 0.0);
    open_.resize(count);
    for (std::size_t v = 0; v < count; ++v) {
        open_[v] = v;
        for (std::size_t u = v + 1; u < count; ++u) {
            const double w = weight(v, u), up = 0.5 * (w + std::abs(w)), down = w - up;
            rise_[v] += up;
            fall_[v] += down;
            rise_[u] += up;
            fall_[u] += down;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < open_.size();) {
            const std::size_t v = open_[i];
            const bool one = slope_[v] + fall_[v] >= 0, zero = slope_[v] + rise_[v] <= 0;
            if (!one && !zero) {
                ++i;
                continue;
            }
            open_[i] = open_.back();
            open_.pop_back();
            changed = true;
            state_[v] = one;
            if (one) decided_ += slope_[v];
            for (const std::size_t u : open_) {
                const double w = weight(v, u), up = 0.5 * (w + std::abs(w));
                rise_[u] -= up;
                fall_[u] -= w - up;
                if (one) slope_[u] += w;
            }
        }
    }
}

// Decides what is left open; returns the gap.
double QuadraticProblem::search(std::size_t effort) {
    const std::size_t count = open_.size();
    settled_ = decided_;
    std::vector<double> weights(count * count, 0.0), slope(count);
    for (std::size_t i = 0; i < count; ++i) {
        slope[i] = slope_[open_[i]];
        for (std::size_t j = 0; j < i; ++j)
            weights[i * count + j] = weights[j * count + i] = weight(open_[i], open_[j]);
    }
    std::vector<char> x(count, 0);
    const auto gain = [&](std::size_t i) { return x[i] ? -slope[i] : slope[i]; };
    const auto flip = [&](std::size_t i) {
        const double sign = x[i] ? -1.0 : 1.0;
        decided_ += sign * slope[i];
        x[i] = !x[i];
        for (std::size_t j = 0; j < count; ++j) slope[j] += sign * weights[i * count + j];
    };
    // A local optimum, from where the middle of each derivative points.
    for (std::size_t i = 0; i < count; ++i)
        if (slope_[open_[i]] + 0.5 * (rise_[open_[i]] + fall_[open_[i]]) > 0) flip(i);
    for (;;) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < count; ++i)
            if (gain(i) > gain(best)) best = i;
        if (gain(best) <= 1e-15) break;
        flip(best);
    }
    std::vector<double> flips(count);
    for (std::size_t i = 0; i < count; ++i) {
        flips[i] = gain(i);
        for (std::size_t j = 0; j < count; ++j)
            if (x[i] != x[j]) weights[i * count + j] = -weights[i * count + j];
    }
    FlipSearch flip_search(std::move(flips), std::move(weights), effort / (20 * effort_of_a_node(count)) + 1);
    const Optimum found = flip_search.run();
    decided_ += found.value;
    for (std::size_t i = 0; i < count; ++i) state_[open_[i]] = x[i] != flip_search.best()[i];
    return found.gap == 0 ? 0 : walk(effort, decided_ + found.gap);
}

// What a long search leaves open is mostly a matter of few straddlers. Returns the gap.
double QuadraticProblem::walk(std::size_t effort, double bound) {
    Walk walk;
    const std::size_t count = open_.size();
    const auto describe = [&](const std::vector<std::uint32_t>& ranks, bool with_slope, Walk::List& list) {
        list.unknowns.resize(count);
        std::iota(list.unknowns.begin(), list.unknowns.end(), 0);
        std::sort(list.unknowns.begin(), list.unknowns.end(),
                  [&](std::uint32_t i, std::uint32_t j) { return ranks[open_[i]] < ranks[open_[j]]; });
        for (const std::uint32_t i : list.unknowns) {
            list.base.push_back(with_slope ? slope_[open_[i]] : 0.0);
            list.slope.push_back((*reciprocal)[ranks[open_[i]]]);
        }
        list.known.assign(count + 1, 0.0);
    };
    describe(first, true, walk.favoured);
    describe(second, false, walk.other);
    walk.level.resize(count + 1);
    std::iota(walk.level.begin(), walk.level.end(), 0.0);
    const Optimum found = walk.maximise(effort, tolerance);
    const double value = settled_ + found.value;
    if (value > decided_) {
        decided_ = value;
        for (std::size_t i = 0; i < count; ++i) state_[open_[i]] = walk.assignment()[i];
    }
    return std::max(0.0, std::min(bound, value + found.gap) - decided_);
}

Optimum QuadraticProblem::maximise(std::size_t effort) {
    persist();
    const double gap = open_.empty() ? 0.0 : search(effort);
    return {decided_, gap};
}

}  // namespace medir
