// The difference of two lists when relevance is a matter of chance: every case of it, or samples.
//
// A query is made of parts: one, or one for each of its intents. In a part, a document has its value or is an unknown
// that is of top relevance with its probability and else not relevant, independently of all others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/sums.hpp"
#include "measures/multilinear.hpp"
#include "pairs/matching.hpp"

namespace medir {

// What is believed of a document, and where its random numbers come from.
struct Chance {
    double probability;
    std::uint64_t key;
};

// The documents of a query, with those of their own that unseen ranks hold behind them.
struct Lottery {
    const Matching* matching;
    std::vector<Chance> chances;               // by document
    std::vector<std::uint32_t> before, after;  // the documents of each list, in rank order
};

struct Sampling {
    std::size_t samples;
    std::vector<double> levels;        // of the quantiles
    std::vector<std::uint32_t> order;  // for each quantile: which sample it is, and those at the ends of its interval
};

// S(after) - S(before).
struct Estimate {
    double expected, variance, variance_error;
    double rounding;             // what is no further from 0 is 0
    double helps, hurts, equal;  // probabilities of a difference above, below and equal to 0
    double samples;              // 0 where all of it is exact
    const double* quantiles;     // each with the ends of its interval
};

// One query after the other; keeps its memory.
class Chances {
public:
    explicit Chances(const Sampling& sampling);

    // Adds the difference of each sample to `sums`.
    Estimate estimate(const Lottery& lottery, const Multilinear& measure, Sum* sums);

private:
    static constexpr std::size_t few = 10;       // unknowns, all of whose assignments are tried
    static constexpr std::size_t at_once = 128;  // samples

    struct Unknown {
        std::uint32_t document;
        double probability, weight;
        std::uint64_t key, threshold;

        // The random number of a sample is a function of its place in a sequence (wyrand), so that any can be asked
        // for.
        bool relevant(std::size_t sample) const {
            constexpr std::uint64_t step = 0xa0761d6478bd642fu, other = 0xe7037ed1a0b428dbu;
            const std::uint64_t state = key + sample * step;
            return folded_product(state, state ^ other) < threshold;
        }
    };
    struct Part {
        std::vector<double> fixed;  // by document
        std::vector<Unknown> unknowns;
        double known = 0;  // what is fixed adds, for a measure with weights
    };

    void set_up(const Lottery& lottery, const Multilinear& measure);
    void weigh(const Lottery& lottery);
    void set_up(Part& part, const Lottery& lottery, std::size_t intent) const;
    double expected(const Part& part, const Lottery& lottery);
    double variance(const Part& part) const;
    double by_weight(const Part& part, const double* rows, std::size_t stride, std::size_t count, double* differences);
    double by_rank(const Part& part, const Lottery& lottery, const double* rows, std::size_t stride, std::size_t count,
                   double* differences);
    // The differences of `count` assignments. Row by row, `rows` is the relevance of the unknowns of all parts.
    // Returns the size of rounding errors.
    double evaluate(const Lottery& lottery, const double* rows, std::size_t stride, std::size_t count,
                    double* differences);
    const double* constant(double value);
    void enumerate(const Lottery& lottery, Estimate& estimate, Sum* sums);
    void sample(const Lottery& lottery, Estimate& estimate, Sum* sums);
    void round(double rounding);

    const Sampling& sampling_;
    const Multilinear* measure_ = nullptr;
    double norm_ = 0;
    std::vector<Part> parts_;  // of which the first `count_` are of this query
    std::size_t count_ = 0, unknowns_ = 0;
    std::vector<double> weights_;        // by document: what its relevance adds, where the measure has weights
    std::vector<char> matters_;          // by document
    std::vector<std::uint32_t> row_of_;  // by document: its row among the unknowns of a part
    std::vector<double> rows_, differences_, cases_, before_, after_, scratch_, quantiles_;
    std::vector<std::pair<double, std::vector<double>>> constants_;
    std::vector<std::uint32_t> ascending_;
    RankColumns first_, second_;
};

}  // namespace medir
