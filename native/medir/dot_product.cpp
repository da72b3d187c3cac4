#include "dot_product.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace medir {

namespace {

// max(x, 0) without a branch: the sign of a change cannot be predicted.
double positive_part(double x) { return 0.5 * (x + std::abs(x)); }

}  // namespace

Difference DotProduct::difference(const Matching& matching, Unseen unseen) const {
    const double norm = query_norm(matching);
    if (norm == 0) return {0, 0, 0, 0, 0};  // no relevant document is known: every list scores 0, as in trec_eval
    const Side before{&Document::before, matching.before_size()}, after{&Document::after, matching.after_size()};
    const auto bounds = [&](Side favoured, Side other) {
        return available_.empty() ? favour(matching, favoured, other, unseen)
                                  : favour_limited(matching, favoured, other, unseen);
    };
    const Bounds gain = bounds(after, before);
    Bounds loss = bounds(before, after);
    // Without judgments both directions are equal once both lists fill all ranks; keep rounding from hiding it.
    if (!matching.judged() && unseen == Unseen::anything && available_.empty()) loss.most = gain.most;
    const double med = std::max(gain.most, loss.most);
    const double least = unseen == Unseen::nothing ? med : std::clamp(std::max(gain.least, loss.least), 0.0, med);
    return {med / norm, gain.most / norm, loss.most / norm, least / norm, 0};
}

double DotProduct::score(const Matching& matching) const {
    const double norm = query_norm(matching);
    if (norm == 0) return 0;
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

DotProduct::Bounds DotProduct::favour(const Matching& matching, Side favoured, Side other, Unseen unseen) const {
    const double top = values_.back();
    double sum = 0;
    for (const Document& document : matching.documents()) {
        const double change = weight(document.*favoured.rank) - weight(document.*other.rank);
        if (document.grade == Document::unjudged)
            sum += top * positive_part(change);
        else
            sum += values_[static_cast<std::size_t>(document.grade)] * change;
    }
    if (unseen == Unseen::nothing) return {sum, sum};
    const double taken = below(other.size) > 0 ? taken_away(matching, favoured, other) : 0.0;
    return {sum + top * below(favoured.size), sum - taken};
}

// The most that documents which are not in the other list may yet take away, by standing in its unseen ranks.
double DotProduct::taken_away(const Matching& matching, Side favoured, Side other) const {
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
DotProduct::Bounds DotProduct::favour_limited(const Matching& matching, Side favoured, Side other,
                                              Unseen unseen) const {
    std::vector<std::int64_t> left = available_;
    double known = 0;
    // Relevance of judged documents that may yet stand in unseen ranks of either list.
    std::vector<double> not_in_favoured, not_in_other;
    struct Unknown {
        double weight;
        bool absent;  // from the other list
    };
    std::vector<Unknown> unknowns;
    for (const Document& document : matching.documents()) {
        const double mine = weight(document.*favoured.rank), theirs = weight(document.*other.rank);
        if (document.grade == Document::unjudged) {
            if (mine > theirs) unknowns.push_back({mine - theirs, document.*other.rank == 0});
            continue;
        }
        const auto grade = static_cast<std::size_t>(document.grade);
        --left[grade];
        known += values_[grade] * (mine - theirs);
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
    if (unseen == Unseen::nothing) return {seen, seen};
    const double least = seen - in_unseen_ranks(not_in_other, other.size);
    std::vector<double> weights;
    for (const Unknown& unknown : unknowns) weights.push_back(unknown.weight);
    return {known + with_unseen_ranks(grades, not_in_favoured, weights, favoured.size), least};
}

// The most that relevance can add, highest first, when each of `grades` goes to the next of `weights` or to the next
// unseen rank, and each of `judged` to the next unseen rank.
double DotProduct::with_unseen_ranks(const std::vector<double>& grades, std::vector<double>& judged,
                                     const std::vector<double>& weights, std::size_t first) const {
    constexpr double never = -std::numeric_limits<double>::infinity();
    std::sort(judged.begin(), judged.end(), std::greater<>());
    std::vector<double> best{0.0}, next;  // by how many grades went to weights
    std::size_t g = 0, j = 0;
    while (g < grades.size() || j < judged.size()) {
        const bool is_judged = g == grades.size() || (j < judged.size() && judged[j] >= grades[g]);
        const double value = is_judged ? judged[j] : grades[g];
        next.assign(best.size() + 1, never);
        for (std::size_t given = 0; given < best.size(); ++given) {
            const double unseen_rank = weight(first + 1 + g + j - given);
            next[given] = std::max(next[given], best[given] + value * unseen_rank);
            if (!is_judged && given < weights.size())
                next[given + 1] = std::max(next[given + 1], best[given] + value * weights[given]);
        }
        best.swap(next);
        ++(is_judged ? j : g);
    }
    return *std::max_element(best.begin(), best.end());
}

}  // namespace medir
