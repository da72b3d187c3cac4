#include "solvers/quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace medir {

namespace {

// A node looks at all pairs of unknowns a few times.
std::size_t effort_of_a_node(std::size_t unknowns) { return std::max<std::size_t>(100, unknowns * unknowns / 8); }

constexpr double tolerance = 1e-13;  // a node that cannot beat the best value by more is not searched

// The unknowns that persistency leaves, as flips away from a local optimum:
// maximise sum_v linear_v y_v + sum_{v<u} weights_vu y_v y_u, where y = 0 is the local optimum and scores 0.
class FlipSearch {
public:
    FlipSearch(const std::vector<double>& linear, std::vector<double> weights, std::size_t effort)
        : size_(linear.size()),
          effort_(effort),
          weights_(std::move(weights)),
          shares_(weights_.size()),
          best_(size_, 0),
          levels_(size_ + 1) {
        for (std::size_t i = 0; i < shares_.size(); ++i) shares_[i] = 0.5 * std::max(0.0, weights_[i]);
        levels_[0].reset(linear, weight());
    }

    Optimum run() {
        explore(0);
        return {best_value_, std::max(0.0, left_open_ - best_value_)};
    }
    const std::vector<char>& best() const { return best_; }

private:
    struct Weights {
        const double* weights;
        std::size_t size;

        double operator()(std::size_t v, std::size_t u) const { return weights[v * size + u]; }
    };
    Weights weight() const { return {weights_.data(), size_}; }

    void explore(std::size_t depth) {
        PartialAssignment& level = levels_[depth];
        ++nodes_;
        level.persist(weight());
        if (level.open.empty()) {
            if (level.value > best_value_) {
                best_value_ = level.value;
                best_ = level.state;
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
        const bool likely = level.tendency(v) > 0;
        for (const bool flip : {likely, !likely}) {
            levels_[depth + 1] = levels_[depth];
            levels_[depth + 1].decide(choice, flip, weight());
            explore(depth + 1);
        }
    }

    std::size_t most_influential(const PartialAssignment& level) const {
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
    double tightened_bound(const PartialAssignment& level, int sweeps) {
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
    std::vector<PartialAssignment> levels_;
};

}  // namespace

double QuadraticProblem::weight(std::size_t v, std::size_t u) const {
    return (*reciprocal)[std::max(first[v], first[u])] - (*reciprocal)[std::max(second[v], second[u])];
}

void QuadraticProblem::clear() {
    linear.clear();
    first.clear();
    second.clear();
}

void QuadraticProblem::persist() {
    const auto weight_of = [this](std::size_t v, std::size_t u) { return weight(v, u); };
    partial_.reset(linear, weight_of);
    partial_.persist(weight_of);
}

// Decides what is left open; returns the gap.
double QuadraticProblem::search(std::size_t effort) {
    const auto& open = partial_.open;
    const std::size_t count = open.size();
    settled_ = partial_.value;
    std::vector<double> weights(count * count, 0.0), slope(count);
    for (std::size_t i = 0; i < count; ++i) {
        slope[i] = partial_.slope[open[i]];
        for (std::size_t j = 0; j < i; ++j) weights[i * count + j] = weights[j * count + i] = weight(open[i], open[j]);
    }
    std::vector<char> x(count, 0);
    const auto gain = [&](std::size_t i) { return x[i] ? -slope[i] : slope[i]; };
    const auto flip = [&](std::size_t i) {
        const double sign = x[i] ? -1.0 : 1.0;
        partial_.value += sign * slope[i];
        x[i] = !x[i];
        for (std::size_t j = 0; j < count; ++j) slope[j] += sign * weights[i * count + j];
    };
    // A local optimum, from where the middle of each derivative points.
    for (std::size_t i = 0; i < count; ++i)
        if (partial_.tendency(open[i]) > 0) flip(i);
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
    FlipSearch flip_search(flips, std::move(weights), effort / (20 * effort_of_a_node(count)) + 1);
    const Optimum found = flip_search.run();
    partial_.value += found.value;
    for (std::size_t i = 0; i < count; ++i) partial_.state[open[i]] = x[i] != flip_search.best()[i];
    return found.gap == 0 ? 0 : walk(effort, partial_.value + found.gap);
}

// What a long search leaves open is mostly a matter of few straddlers. Returns the gap.
double QuadraticProblem::walk(std::size_t effort, double bound) {
    const auto& open = partial_.open;
    const std::size_t count = open.size();
    const auto describe = [&](const std::vector<std::uint32_t>& ranks, bool with_slope, Walk::List& list) {
        list.clear();
        list.unknowns.resize(count);
        std::iota(list.unknowns.begin(), list.unknowns.end(), 0);
        std::sort(list.unknowns.begin(), list.unknowns.end(),
                  [&](std::uint32_t i, std::uint32_t j) { return ranks[open[i]] < ranks[open[j]]; });
        for (const std::uint32_t i : list.unknowns) {
            list.base.push_back(with_slope ? partial_.slope[open[i]] : 0.0);
            list.slope.push_back((*reciprocal)[ranks[open[i]]]);
        }
        list.known.assign(count + 1, 0.0);
    };
    describe(first, true, walk_.favoured);
    describe(second, false, walk_.other);
    walk_.level.resize(count + 1);
    std::iota(walk_.level.begin(), walk_.level.end(), 0.0);
    const Optimum found = walk_.maximise(effort, tolerance);
    const double value = settled_ + found.value;
    if (value > partial_.value) {
        partial_.value = value;
        for (std::size_t i = 0; i < count; ++i) partial_.state[open[i]] = walk_.assignment()[i];
    }
    return std::max(0.0, std::min(bound, value + found.gap) - partial_.value);
}

Optimum QuadraticProblem::maximise(std::size_t effort) {
    persist();
    const double gap = partial_.open.empty() ? 0.0 : search(effort);
    return {partial_.value, gap};
}

}  // namespace medir
