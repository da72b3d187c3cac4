// MED of time-biased gain over documents of known length (Smucker and Clarke 2012):
//     S(C) = sum_k gain c_k exp(-T(k) ln 2 / half_life),
// where T(k) is the time that the expected user takes to come to rank k: for each document above, that of its snippet,
// and that of the document itself as often as its relevance makes the user open it. See timed_difference.hpp.
#pragma once

#include <memory>
#include <vector>

#include "measures/effectiveness.hpp"
#include "solvers/timed_difference.hpp"

namespace medir {

class TimeBiasedGain : public Effectiveness {
public:
    struct Calibration {
        double half_life, gain;                     // seconds; for a relevant document
        double snippet, document, word;             // seconds
        double click_relevant, click_not_relevant;  // probabilities
    };

    static constexpr std::size_t endless = 0xffffffff;  // no cutoff: deeper than any rank

    TimeBiasedGain(const Calibration& calibration, std::size_t cutoff, int rel, Effort effort)
        : calibration_(calibration), cutoff_(cutoff), effort_(effort), rel_(rel) {}

    std::unique_ptr<Workspace> workspace() const override;
    Bounds favour(const Matching& matching, const Side& favoured, const Side& other, std::vector<double>* relevance,
                  Workspace& workspace) const override;
    double score(const Matching& matching) const override;

private:
    struct Memory;
    using Factors = TimedDifference::Factors;
    struct Seen {
        double gain, reach;  // of the ranks that a list has, and of what stands below them
    };

    bool within(std::uint32_t rank) const { return rank != 0 && rank <= cutoff_; }
    bool relevant(const Document& document) const { return document.grade >= rel_; }
    Factors factors(double words) const;
    double below(std::size_t size) const;
    std::vector<std::uint32_t> ranked(const Matching& matching, const Side& side) const;
    Seen read(const std::vector<std::uint32_t>& documents, const TimedDifference& problem) const;
    double least(const TimedDifference& problem, bool other_cut) const;

    Calibration calibration_;
    std::size_t cutoff_;
    Effort effort_;
    int rel_;
};

}  // namespace medir
