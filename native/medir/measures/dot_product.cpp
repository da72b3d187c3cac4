#include "measures/dot_product.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace medir {

namespace {

// max(x, 0) without a branch: the sign of a change cannot be predicted.
double positive_part(double x) { return 0.5 * (x + std::abs(x)); }

}  // namespace

Bounds DotProduct::favour(const Matching& matching, const Side& favoured, const Side& other,
                          std::vector<double>* relevance, Workspace&) const {
    const double norm = query_norm(matching);
    if (relevance != nullptr) relevance->assign(matching.documents().size(), 0.0);
    if (norm == 0) return {no_value, no_value, 0};
    const Bounds bounds = available_.empty() ? favour_unlimited(matching, favoured, other, relevance)
                                             : favour_limited(matching, favoured, other, relevance);
    return {bounds.most / norm, bounds.least / norm, 0};
}

// Without judgments, where both lists hold the same ranks.
bool DotProduct::symmetric(const Matching& matching) const {
    if (matching.judged() || !available_.empty()) return false;
    const auto ranks = [&](const Side& side) { return side.cut ? discount_.size() : side.size; };
    const Side before = before_side(matching), after = after_side(matching);
    return ranks(before) == ranks(after) || below(std::min(ranks(before), ranks(after))) == 0;
}

double DotProduct::score(const Matching& matching) const {
    const double norm = query_norm(matching);
    if (norm == 0) return 0;  // as in trec_eval
    double sum = 0;
    for (const Document& document : matching.documents())
        if (document.grade != Document::unjudged)
            sum += values_[static_cast<std::size_t>(document.grade)] * weight(document.before);
    return sum / norm;
}

double DotProduct::query_norm(const Matching& matching) const {
    if (norm_ > 0) return norm_;
    std::vector<double> ideal;
    for (const Document& document : matching.documents())
        if (document.grade > 0) ideal.push_back(values_[static_cast<std::size_t>(document.grade)]);
    return in_unseen_ranks(ideal, 0);
}

// The most that documents of these relevance values_ can score at distinct ranks below `first`.
double DotProduct::in_unseen_ranks(std::vector<double>& relevance, std::size_t first) const {
    std::sort(relevance.begin(), relevance.end(), std::greater<>());
    double sum = 0;
    for (std::size_t i = 0; i < relevance.size(); ++i) sum += relevance[i] * weight(first + i + 1);
    return sum;
}

Bounds DotProduct::favour_unlimited(const Matching& matching, const Side& favoured, const Side& other,
                                    std::vector<double>* relevance) const {
    const double top = values_.back();
    const auto change = [&](const Document& document) {
        return weight(document.*favoured.rank) - weight(document.*other.rank);
    };
    double sum = 0;
    for (const Document& document : matching.documents()) {
        if (document.grade == Document::unjudged)
            sum += top * positive_part(change(document));
        else
            sum += values_[static_cast<std::size_t>(document.grade)] * change(document);
    }
    if (relevance != nullptr)
        std::transform(matching.documents().begin(), matching.documents().end(), relevance->begin(),
                       [&](const Document& document) {
                           if (document.grade != Document::unjudged)
                               return values_[static_cast<std::size_t>(document.grade)];
                           return change(document) > 0 ? top : 0.0;
                       });
    const double added = favoured.cut ? top * below(favoured.size) : 0.0;
    const double taken = other.cut && below(other.size) > 0 ? taken_away(matching, favoured, other) : 0.0;
    return {sum + added, sum - taken, 0};
}

// The most that documents which are not in the other list may yet take away, by standing in its unseen ranks.
double DotProduct::taken_away(const Matching& matching, const Side& favoured, const Side& other) const {
    const double top = values_.back();
    double unjudged = 0;  // by unjudged documents alone, paired with the unseen ranks in order
    double together = 0;  // by all of them, in distinct ranks
    std::size_t count = 0;
    std::vector<double> judged;
    for (const Document& document : matching.documents()) {
        if (document.*other.rank != 0) continue;
        if (document.grade != Document::unjudged) {
            if (document.grade > 0) judged.push_back(values_[static_cast<std::size_t>(document.grade)]);
        } else if (document.*favoured.rank != 0) {
            const double unseen_rank = weight(other.size + ++count);
            unjudged += top * std::min(weight(document.*favoured.rank), unseen_rank);
            together += top * unseen_rank;
        }
    }
    if (judged.empty()) return unjudged;
    together += in_unseen_ranks(judged, other.size + count);
    return std::min(together, unjudged + in_unseen_ranks(judged, other.size));
}

// With knowledge of the collection: the highest grades go to the largest positive weights.
Bounds DotProduct::favour_limited(const Matching& matching, const Side& favoured, const Side& other,
                                  std::vector<double>* relevance) const {
    std::vector<std::int64_t> left = available_;
    double known = 0;
    // Relevance of judged documents that may yet stand in unseen ranks of either list.
    std::vector<double> not_in_favoured, not_in_other;
    struct Unknown {
        double weight;
        std::size_t document;
        bool absent;  // from the other list
    };
    std::vector<Unknown> unknowns;
    for (std::size_t i = 0; i < matching.documents().size(); ++i) {
        const Document& document = matching.documents()[i];
        const double mine = weight(document.*favoured.rank), theirs = weight(document.*other.rank);
        if (document.grade == Document::unjudged) {
            if (mine > theirs) unknowns.push_back({mine - theirs, i, document.*other.rank == 0});
            continue;
        }
        const auto grade = static_cast<std::size_t>(document.grade);
        --left[grade];
        known += values_[grade] * (mine - theirs);
        if (relevance != nullptr) (*relevance)[i] = values_[grade];
        if (grade > 0 && document.*favoured.rank == 0) not_in_favoured.push_back(values_[grade]);
        if (grade > 0 && document.*other.rank == 0) not_in_other.push_back(values_[grade]);
    }
    std::vector<double> grades;  // relevance that is still to be given, highest first
    for (std::size_t grade = left.size(); grade-- > 1;)
        grades.insert(grades.end(), static_cast<std::size_t>(std::max<std::int64_t>(left[grade], 0)), values_[grade]);
    std::stable_sort(unknowns.begin(), unknowns.end(),
                     [](const Unknown& a, const Unknown& b) { return a.weight > b.weight; });
    double seen = known;
    for (std::size_t i = 0; i < std::min(unknowns.size(), grades.size()); ++i) {
        seen += grades[i] * unknowns[i].weight;
        if (unknowns[i].absent) not_in_other.push_back(grades[i]);
    }
    const auto give = [&](const std::vector<double>& given) {
        if (relevance == nullptr) return;
        for (std::size_t i = 0; i < std::min(unknowns.size(), given.size()); ++i)
            (*relevance)[unknowns[i].document] = given[i];
    };
    const double least = other.cut ? seen - in_unseen_ranks(not_in_other, other.size) : seen;
    if (!favoured.cut || below(favoured.size) == 0) {
        give(grades);
        return {seen, least, 0};
    }
    std::vector<double> weights, to_weights;
    for (const Unknown& unknown : unknowns) weights.push_back(unknown.weight);
    const double added = with_unseen_ranks(grades, not_in_favoured, weights, favoured.size, to_weights);
    give(to_weights);
    return {known + added, least, 0};
}

// The most that relevance can add, highest first, when each of `grades` goes to the next of `weights` or to the next
// unseen rank, and each of `judged` to the next unseen rank. `to_weights` takes those that go to weights.
double DotProduct::with_unseen_ranks(const std::vector<double>& grades, std::vector<double>& judged,
                                     const std::vector<double>& weights, std::size_t first,
                                     std::vector<double>& to_weights) const {
    constexpr double never = -std::numeric_limits<double>::infinity();
    std::sort(judged.begin(), judged.end(), std::greater<>());
    struct Choice {
        double value;
        std::vector<char> weight;  // by how many went to weights: whether this one did
    };
    std::vector<Choice> choices;
    std::vector<double> best{0.0}, next;  // by how many grades went to weights
    std::size_t g = 0, j = 0;
    while (g < grades.size() || j < judged.size()) {
        const bool is_judged = g == grades.size() || (j < judged.size() && judged[j] >= grades[g]);
        const double value = is_judged ? judged[j] : grades[g];
        next.assign(best.size() + 1, never);
        choices.push_back({value, std::vector<char>(next.size(), 0)});
        for (std::size_t given = 0; given < best.size(); ++given) {
            const double unseen_rank = best[given] + value * weight(first + 1 + g + j - given);
            if (unseen_rank > next[given]) {
                next[given] = unseen_rank;
                choices.back().weight[given] = 0;
            }
            if (!is_judged && given < weights.size()) {
                next[given + 1] = best[given] + value * weights[given];
                choices.back().weight[given + 1] = 1;
            }
        }
        best.swap(next);
        ++(is_judged ? j : g);
    }
    const auto most = std::max_element(best.begin(), best.end());
    auto given = static_cast<std::size_t>(most - best.begin());
    to_weights.clear();
    for (std::size_t i = choices.size(); i-- > 0;) {
        if (!choices[i].weight[given]) continue;
        to_weights.push_back(choices[i].value);
        --given;
    }
    std::reverse(to_weights.begin(), to_weights.end());
    return *most;
}

void DotProduct::sums(const RankColumns& ranks, std::size_t count, double* sums, std::vector<double>&) const {
    std::fill_n(sums, count, 0.0);
    for (std::size_t rank = 1; rank <= ranks.size(); ++rank) {
        const double* relevance = ranks[rank - 1];
        const double d = weight(rank);
        if (relevance == nullptr || d == 0) continue;
        for (std::size_t i = 0; i < count; ++i) sums[i] += d * relevance[i];
    }
}

}  // namespace medir
