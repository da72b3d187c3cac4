#include "average_precision.hpp"

#include <algorithm>

namespace medir {

AveragePrecision::AveragePrecision(std::size_t cutoff, int rel, double norm, std::size_t effort)
    : cutoff_(cutoff), effort_(effort), rel_(rel), norm_(norm), reciprocal_(cutoff + 1, 0.0) {
    for (std::size_t i = 1; i <= cutoff; ++i) reciprocal_[i] = 1.0 / static_cast<double>(i);
}

double AveragePrecision::query_norm(const Matching& matching) const {
    if (norm_ > 0) return norm_;
    return static_cast<double>(std::count_if(matching.documents().begin(), matching.documents().end(),
                                             [&](const Document& document) { return relevant(document); }));
}

double AveragePrecision::sum(const std::vector<char>& relevant) const {
    double total = 0, count = 0;
    for (std::size_t i = 1; i <= cutoff_; ++i) {
        count += relevant[i];
        if (relevant[i]) total += count * reciprocal_[i];
    }
    return total;
}

double AveragePrecision::score(const Matching& matching) const {
    const double norm = query_norm(matching);
    if (norm == 0) return 0;
    std::vector<char> ranks(cutoff_ + 1, 0);
    for (const Document& document : matching.documents())
        if (within(document.before) && relevant(document)) ranks[document.before] = 1;
    return sum(ranks) / norm;
}

Difference AveragePrecision::difference(const Matching& matching, Unseen unseen) const {
    const double norm = query_norm(matching);
    if (norm == 0) return {0, 0, 0, 0, 0};  // no relevant document is known: every list scores 0, as in trec_eval
    const Side before{&Document::before, matching.before_size()}, after{&Document::after, matching.after_size()};
    const Bounds gain = favour(matching, after, before, unseen), loss = favour(matching, before, after, unseen);
    const double med = std::max(gain.most, loss.most);
    const double gap = std::max(gain.gap, loss.gap);  // so that 0 proves both directions
    const double least = unseen == Unseen::nothing ? med : std::clamp(std::max(gain.least, loss.least), 0.0, med);
    return {med / norm, gain.most / norm, loss.most / norm, least / norm, gap / norm};
}

AveragePrecision::Bounds AveragePrecision::favour(const Matching& matching, Side favoured, Side other,
                                                  Unseen unseen) const {
    std::vector<char> mine(cutoff_ + 1, 0), theirs(cutoff_ + 1, 0);  // ranks that are known to be relevant
    QuadraticProblem problem;
    problem.reciprocal = &reciprocal_;
    for (const Document& document : matching.documents()) {
        const std::uint32_t n = document.*favoured.rank, m = document.*other.rank;
        if (document.grade == Document::unjudged) {
            if (within(n) && within(m)) {
                problem.first.push_back(n);
                problem.second.push_back(m);
            } else if (within(n)) {
                mine[n] = 1;
            }
        } else if (relevant(document)) {
            if (within(n)) mine[n] = 1;
            if (within(m)) theirs[m] = 1;
        }
    }
    if (unseen == Unseen::anything)
        for (std::size_t rank = favoured.size + 1; rank <= cutoff_; ++rank) mine[rank] = 1;
    // What a document at a rank adds by itself and with those that are known to be relevant:
    // (1 + how many above) / rank, and 1/i for each of them below.
    const auto added = [&](const std::vector<char>& known) {
        std::vector<double> sums(cutoff_ + 1, 0.0);
        double count = 0, below = 0;
        for (std::size_t rank = 1; rank <= cutoff_; ++rank) {
            sums[rank] = (1 + count) * reciprocal_[rank];
            count += known[rank];
        }
        for (std::size_t rank = cutoff_; rank >= 1; --rank) {
            sums[rank] += below;
            if (known[rank]) below += reciprocal_[rank];
        }
        return sums;
    };
    const std::vector<double> gains = added(mine), costs = added(theirs);
    for (std::size_t v = 0; v < problem.first.size(); ++v)
        problem.linear.push_back(gains[problem.first[v]] - costs[problem.second[v]]);
    const Optimum optimum = problem.maximise(effort_);
    const double most = sum(mine) - sum(theirs) + optimum.value;
    return {most, optimum.gap, unseen == Unseen::anything ? least(matching, favoured, other, problem) : most};
}

// What the maximum cannot fall below, whatever the unseen ranks hold: the score of the same assignment when nothing
// relevant stands in the unseen ranks of the favoured list, and all that is relevant and not in the other list stands
// at its first unseen ranks.
double AveragePrecision::least(const Matching& matching, Side favoured, Side other,
                               const QuadraticProblem& problem) const {
    std::vector<char> mine(cutoff_ + 1, 0), theirs(cutoff_ + 1, 0);
    std::size_t unknown = 0, absent = 0;
    for (const Document& document : matching.documents()) {
        const std::uint32_t n = document.*favoured.rank, m = document.*other.rank;
        bool is_relevant = relevant(document);
        if (document.grade == Document::unjudged)
            is_relevant = within(n) && (!within(m) || problem.assignment()[unknown++] == 1);
        if (!is_relevant) continue;
        if (within(n)) mine[n] = 1;
        if (within(m)) theirs[m] = 1;
        absent += m == 0;
    }
    for (std::size_t rank = other.size + 1; rank <= cutoff_ && absent > 0; ++rank, --absent) theirs[rank] = 1;
    return sum(mine) - sum(theirs);
}

}  // namespace medir
