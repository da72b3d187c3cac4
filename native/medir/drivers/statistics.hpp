// What the values of many queries say together: sums, quantiles, shares, histograms. Nothing of them is copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/sums.hpp"

namespace medir {

// A column of values, of all queries or of those in some rows, without NaN.
struct QueryValues {
    const double* values;
    const double* gaps;        // are added to the values; null for none
    const double* weights;     // null: every query counts once
    const std::int64_t* rows;  // null for all queries
    std::size_t size;          // of the rows, or of all
};

// How many queries, and what they weigh.
struct Share {
    std::size_t queries = 0;
    double weight = 0;
};

struct Extremes {
    double least, greatest;
};

// Σ wv.
Sum weighted_sum(const QueryValues& column);
// Of the queries that have a weight above 0. There must be one.
Extremes extremes(const QueryValues& column);
// Σ u (v - Σwv / Σw)², with the factors u of the jackknife's variance, which come from leaving out each query.
// The sum comes with what rounding took from it.
double influence(const QueryValues& column, double sum, double rest, double weight);
// The least value for each wanted weight such that it and those below weigh as much.
std::vector<double> quantiles(const QueryValues& column, std::span<const double> wanted);
// Of the queries above a limit.
Share share_above(const QueryValues& column, double limit);
// The weight between edges, of which those between the first and the last are given.
std::vector<double> histogram(const QueryValues& column, std::span<const double> inner_edges);
// By whether a gain is above a limit, and then a loss: neither, gain alone, loss alone, both. Weights are those of
// gains.
std::array<Share, 4> effects(const QueryValues& gains, const QueryValues& losses, double limit);
// The rows of the `count` greatest values, or least, of those that are marked and finite: the furthest first, equal
// ones in order.
std::vector<std::int64_t> furthest(const double* values, const bool* marked, std::size_t size, std::size_t count,
                                   bool greatest);

}  // namespace medir
