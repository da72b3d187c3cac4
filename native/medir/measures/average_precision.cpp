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

double AveragePrecision::sum(const std::vector<double>& relevant) const {
    double total = 0, count = 0;
    for (std::size_t i = 1; i <= cutoff_; ++i) {
        count += relevant[i];
        total += relevant[i] * (count * reciprocal_[i]);
    }
    return total;
}

// Rank by rank, so that what both lists hold there is not rounded twice.
double AveragePrecision::score_difference(const std::vector<double>& mine, const std::vector<double>& theirs) const {
    double total = 0, count = 0, other_count = 0;
    for (std::size_t i = 1; i <= cutoff_; ++i) {
        count += mine[i];
        other_count += theirs[i];
        total += (mine[i] * count - theirs[i] * other_count) * reciprocal_[i];
    }
    return total;
}

// By rank: what a document there adds by itself and with those that are relevant: (1 + how many above) / rank, and 1/i
// for each of them below.
void AveragePrecision::find_slopes(const std::vector<double>& relevant, std::vector<double>& slopes) const {
    slopes.resize(cutoff_ + 1);
    double count = 1, below = 0;
    for (std::size_t rank = 1; rank <= cutoff_; ++rank) {
        slopes[rank] = count * reciprocal_[rank];
        count += relevant[rank];
    }
    for (std::size_t rank = cutoff_; rank >= 1; --rank) {
        slopes[rank] += below;
        below += relevant[rank] * reciprocal_[rank];
    }
}

double AveragePrecision::score(const Matching& matching) const {
    const double norm = query_norm(matching);
    if (norm == 0) return 0;  // as in trec_eval
    std::vector<double> ranks(cutoff_ + 1, 0.0);
    for (const Document& document : matching.documents())
        if (within(document.before) && relevant(document)) ranks[document.before] = 1;
    return sum(ranks) / norm;
}

struct AveragePrecision::Memory : Workspace {
    QuadraticProblem problem;
    std::vector<double> relevance;        // by document
    std::vector<std::uint32_t> unknowns;  // their documents
    std::vector<double> mine, theirs;     // by rank of the favoured and of the other list: relevance
    std::vector<double> gain_slopes, cost_slopes;
};

std::unique_ptr<Workspace> AveragePrecision::workspace() const { return std::make_unique<Memory>(); }

Bounds AveragePrecision::favour(const Matching& matching, const Side& favoured, const Side& other,
                                std::vector<double>* relevance, Workspace& workspace) const {
    auto& [problem, assigned, unknowns, mine, theirs, gains, costs] = static_cast<Memory&>(workspace);
    const std::vector<Document>& documents = matching.documents();
    const double norm = query_norm(matching);
    if (norm == 0) {
        if (relevance != nullptr) relevance->assign(documents.size(), 0.0);
        return {no_value, no_value, 0};
    }
    auto& [linear, first, second, reciprocal] = problem.function;
    reciprocal = &reciprocal_;
    for (auto* list : {&mine, &theirs}) list->assign(cutoff_ + 1, 0.0);
    assigned.resize(documents.size());
    for (auto* unknown : {&first, &second, &unknowns}) unknown->resize(documents.size() + 1);
    double *by_document = assigned.data(), *by_rank = mine.data(), *by_other_rank = theirs.data();
    std::uint32_t *ranks = first.data(), *other_ranks = second.data(), *by_unknown = unknowns.data();
    const std::size_t cutoff = cutoff_;
    std::size_t size = 0;
    // Without branches, as none can tell where a document stands. Where it is not within a list, rank 0 takes what is
    // written, and nobody reads it.
    for (std::uint32_t i = 0; i < documents.size(); ++i) {
        const Document& document = documents[i];
        const std::uint32_t n = document.*favoured.rank <= cutoff ? document.*favoured.rank : 0;
        const std::uint32_t m = document.*other.rank <= cutoff ? document.*other.rank : 0;
        const bool judged = document.grade != Document::unjudged;
        const bool is_relevant = judged ? relevant(document) : (n != 0) & (m == 0);
        by_document[i] = by_rank[n] = by_other_rank[m] = static_cast<double>(is_relevant);
        ranks[size] = n;
        other_ranks[size] = m;
        by_unknown[size] = i;
        size += !judged & (n != 0) & (m != 0);
    }
    for (auto* unknown : {&first, &second, &unknowns}) unknown->resize(size);
    if (favoured.cut)
        for (std::size_t rank = favoured.size + 1; rank <= cutoff_; ++rank) mine[rank] = 1;
    find_slopes(mine, gains);
    find_slopes(theirs, costs);
    linear.resize(size);
    for (std::size_t v = 0; v < size; ++v) linear[v] = gains[first[v]] - costs[second[v]];
    Budget budget(effort_);
    const double gap = problem.maximise(budget);
    for (std::size_t v = 0; v < size; ++v)
        assigned[unknowns[v]] = mine[first[v]] = theirs[second[v]] = problem.assignment()[v];
    const double most = score_difference(mine, theirs);
    const bool all_seen = (!favoured.cut || favoured.size >= cutoff_) && (!other.cut || other.size >= cutoff_);
    const double lowest = all_seen ? most : least(matching, favoured, other, assigned);
    if (relevance != nullptr) *relevance = assigned;
    return {most / norm, lowest / norm, gap / norm};
}

// What the maximum cannot fall below, whatever the unseen ranks hold: the score of the same assignment when nothing
// relevant stands in the unseen ranks of the favoured list, and all that is relevant and not in the other list stands
// at its first unseen ranks, if it has any.
double AveragePrecision::least(const Matching& matching, const Side& favoured, const Side& other,
                               const std::vector<double>& relevance) const {
    std::vector<double> mine(cutoff_ + 1, 0.0), theirs(cutoff_ + 1, 0.0);
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
    return score_difference(mine, theirs);
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
