#include "measures/time_biased_gain.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace medir {

// What a document leaves of all below it.
TimeBiasedGain::Factors TimeBiasedGain::factors(double words) const {
    const auto& [half_life, gain, snippet, document, word, click_relevant, click_not_relevant] = calibration_;
    const double rate = std::numbers::ln2 / half_life, reading = document + word * words;
    return {std::exp(-rate * (snippet + click_not_relevant * reading)),
            std::exp(-rate * (snippet + click_relevant * reading))};
}

// The most that the ranks below a list can add, once reached: all of them relevant, and of no words. With f the factor
// of such a document, a rank adds gain + f V where V stands below it, and V <= gain / (1 - f). A longer document adds
// less. One that is not relevant adds at most V, and V <= gain + f V.
double TimeBiasedGain::below(std::size_t size) const {
    if (size >= cutoff_) return 0;
    const double rate = std::numbers::ln2 / calibration_.half_life;
    const double seconds = calibration_.snippet + calibration_.click_relevant * calibration_.document;
    const double ranks =
        cutoff_ == endless ? std::numeric_limits<double>::infinity() : static_cast<double>(cutoff_ - size);
    return calibration_.gain * std::expm1(-rate * seconds * ranks) / std::expm1(-rate * seconds);
}

std::vector<std::uint32_t> TimeBiasedGain::ranked(const Matching& matching, const Side& side) const {
    std::vector<std::uint32_t> documents(std::min(side.size, cutoff_));
    for (std::uint32_t d = 0; d < matching.documents().size(); ++d) {
        const std::uint32_t rank = matching.documents()[d].*side.rank;
        if (within(rank)) documents[rank - 1] = d;
    }
    return documents;
}

TimeBiasedGain::Seen TimeBiasedGain::read(const std::vector<std::uint32_t>& documents,
                                          const TimedDifference& problem) const {
    Seen seen{0, 1};
    for (const std::uint32_t document : documents) {
        const Factors f = problem.factors[document];
        if (problem.relevance[document]) seen.gain += seen.reach * calibration_.gain;
        seen.reach *= problem.relevance[document] ? f.relevant : f.other;
    }
    return seen;
}

double TimeBiasedGain::score(const Matching& matching) const {
    double sum = 0, reach = 1;
    for (const std::uint32_t d : ranked(matching, before_side(matching))) {
        const Factors factor = factors(matching.lengths()[d]);
        const bool is_relevant = relevant(matching.documents()[d]);
        if (is_relevant) sum += reach * calibration_.gain;
        reach *= is_relevant ? factor.relevant : factor.other;
    }
    return sum;
}

struct TimeBiasedGain::Memory : Workspace {
    TimedDifference problem;
};

std::unique_ptr<Workspace> TimeBiasedGain::workspace() const { return std::make_unique<Memory>(); }

Bounds TimeBiasedGain::favour(const Matching& matching, const Side& favoured, const Side& other,
                              std::vector<double>* relevance, Workspace& workspace) const {
    TimedDifference& problem = static_cast<Memory&>(workspace).problem;
    const std::vector<Document>& documents = matching.documents();
    problem.gain = calibration_.gain;
    problem.favoured = {ranked(matching, favoured), favoured.cut ? below(favoured.size) : 0.0};
    problem.other = {ranked(matching, other), 0.0};
    problem.factors.resize(documents.size());
    problem.relevance.resize(documents.size());
    for (std::size_t d = 0; d < documents.size(); ++d) {
        const bool seen = within(documents[d].before) || within(documents[d].after);
        const bool judged = documents[d].grade != Document::unjudged;
        // A document that is only judged may have no known length: with no words it stands for any.
        const double words = matching.lengths()[d];
        problem.factors[d] = factors(seen || !std::isnan(words) ? words : 0.0);
        problem.relevance[d] = judged || !seen ? relevant(documents[d]) : TimedDifference::undecided;
    }
    constexpr double precision = 1e-14;
    // No list scores more than this.
    const auto ranks = static_cast<double>(std::max({favoured.size, other.size, std::size_t{1}}));
    const double most =
        std::max(std::min(below(0), calibration_.gain * ranks + problem.favoured.unseen), calibration_.gain);
    Budget budget(effort_);
    const Optimum optimum = problem.maximise(precision * most, budget);
    const bool all_seen = problem.favoured.unseen == 0 && (!other.cut || below(other.size) == 0);
    const double lowest = all_seen ? optimum.value : least(problem, other.cut);
    if (relevance != nullptr) relevance->assign(problem.relevance.begin(), problem.relevance.end());
    return {optimum.value, lowest, optimum.gap};
}

// What the maximum cannot fall below, whatever the unseen ranks hold: the same assignment when nothing relevant stands
// in the unseen ranks of the favoured list, and all that is relevant and not in the other list stands at its first
// unseen ranks, if it has any, the shortest first.
double TimeBiasedGain::least(const TimedDifference& problem, bool other_cut) const {
    std::vector<char> in_other(problem.relevance.size(), 0);
    for (const std::uint32_t document : problem.other.documents) in_other[document] = 1;
    std::vector<double> absent;
    for (std::size_t d = 0; d < in_other.size(); ++d)
        if (!in_other[d] && problem.relevance[d]) absent.push_back(problem.factors[d].relevant);
    std::sort(absent.begin(), absent.end(), std::greater<>());
    Seen theirs = read(problem.other.documents, problem);
    const std::size_t unseen = other_cut ? cutoff_ - problem.other.documents.size() : 0;
    for (std::size_t i = 0; i < absent.size() && i < unseen; ++i) {
        theirs.gain += theirs.reach * calibration_.gain;
        theirs.reach *= absent[i];
    }
    return read(problem.favoured.documents, problem).gain - theirs.gain;
}

}  // namespace medir
