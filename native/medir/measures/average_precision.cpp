#include "measures/average_precision.hpp"

#include <algorithm>

namespace medir {

AveragePrecision::AveragePrecision(std::size_t cutoff, int rel, double norm, Effort effort)
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
    if (norm == 0) return 0;  // as in trec_eval
    std::vector<char> ranks(cutoff_ + 1, 0);
    for (const Document& document : matching.documents())
        if (within(document.before) && relevant(document)) ranks[document.before] = 1;
    return sum(ranks) / norm;
}

struct AveragePrecision::Memory : Workspace {
    QuadraticProblem problem;
};

std::unique_ptr<Workspace> AveragePrecision::workspace() const { return std::make_unique<Memory>(); }

Bounds AveragePrecision::favour(const Matching& matching, Side favoured, Side other, std::vector<double>* relevance,
                                Workspace& workspace) const {
    std::vector<double> assigned(matching.documents().size(), 0.0);
    const double norm = query_norm(matching);
    if (norm == 0) {
        if (relevance != nullptr) *relevance = std::move(assigned);
        return {no_value, no_value, 0};
    }
    std::vector<char> mine(cutoff_ + 1, 0), theirs(cutoff_ + 1, 0);  // ranks that are known to be relevant
    QuadraticProblem& problem = static_cast<Memory&>(workspace).problem;
    problem.clear();
    problem.function.reciprocal = &reciprocal_;
    std::vector<std::size_t> unknowns;
    for (std::size_t i = 0; i < assigned.size(); ++i) {
        const Document& document = matching.documents()[i];
        const std::uint32_t n = document.*favoured.rank, m = document.*other.rank;
        if (document.grade == Document::unjudged && within(n) && within(m)) {
            problem.function.first.push_back(n);
            problem.function.second.push_back(m);
            unknowns.push_back(i);
        } else if (document.grade == Document::unjudged ? within(n) : relevant(document)) {
            assigned[i] = 1;
            if (within(n)) mine[n] = 1;
            if (within(m)) theirs[m] = 1;
        }
    }
    if (favoured.cut)
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
    for (std::size_t v = 0; v < problem.function.first.size(); ++v)
        problem.function.linear.push_back(gains[problem.function.first[v]] - costs[problem.function.second[v]]);
    Budget budget(effort_);
    const Optimum optimum = problem.maximise(budget);
    for (std::size_t v = 0; v < unknowns.size(); ++v) assigned[unknowns[v]] = problem.assignment()[v];
    const double most = sum(mine) - sum(theirs) + optimum.value;
    const bool all_seen = (!favoured.cut || favoured.size >= cutoff_) && (!other.cut || other.size >= cutoff_);
    const double lowest = all_seen ? most : least(matching, favoured, other, assigned);
    if (relevance != nullptr) *relevance = std::move(assigned);
    return {most / norm, lowest / norm, optimum.gap / norm};
}

// What the maximum cannot fall below, whatever the unseen ranks hold: the score of the same assignment when nothing
// relevant stands in the unseen ranks of the favoured list, and all that is relevant and not in the other list stands
// at its first unseen ranks, if it has any.
double AveragePrecision::least(const Matching& matching, Side favoured, Side other,
                               const std::vector<double>& relevance) const {
    std::vector<char> mine(cutoff_ + 1, 0), theirs(cutoff_ + 1, 0);
    std::size_t absent = 0;
    for (std::size_t i = 0; i < relevance.size(); ++i) {
        if (relevance[i] == 0) continue;
        const std::uint32_t n = matching.documents()[i].*favoured.rank, m = matching.documents()[i].*other.rank;
        if (within(n)) mine[n] = 1;
        if (within(m)) theirs[m] = 1;
        absent += m == 0;
    }
    for (std::size_t rank = other.size + 1; other.cut && rank <= cutoff_ && absent > 0; ++rank, --absent)
        theirs[rank] = 1;
    return sum(mine) - sum(theirs);
}

void AveragePrecision::sums(const RankColumns& ranks, std::size_t count, double* sums,
                            std::vector<double>& scratch) const {
    scratch.assign(count, 1.0);
    double* above = scratch.data();  // one more than are relevant above
    std::fill_n(sums, count, 0.0);
    for (std::size_t rank = 1; rank <= ranks.size() && rank <= cutoff_; ++rank) {
        const double* relevance = ranks[rank - 1];
        if (relevance == nullptr) continue;
        for (std::size_t i = 0; i < count; ++i) {
            sums[i] += relevance[i] * above[i] * reciprocal_[rank];
            above[i] += relevance[i];
        }
    }
}

}  // namespace medir
