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
    std::vector<double> in_other;  // relevance that may yet stand in unseen ranks of the other list
    struct Unknown {
        double weight;
        bool absent;
    };
    std::vector<Unknown> unknowns;
    for (const Document& document : matching.documents()) {
        const double mine = weight(document.*favoured.rank), theirs = weight(document.*other.rank);
        const bool absent = document.*other.rank == 0;
        if (document.grade == Document::unjudged) {
            if (mine > theirs) unknowns.push_back({mine - theirs, absent});
        } else {
            const auto grade = static_cast<std::size_t>(document.grade);
            --left[grade];
            known += values_[grade] * (mine - theirs);
            if (absent && grade > 0) in_other.push_back(values_[grade]);
        }
    }
    std::vector<double> grades;  // relevance values_ still to be given, highest first
    for (std::size_t grade = left.size(); grade-- > 1;)
        grades.insert(grades.end(), static_cast<std::size_t>(std::max<std::int64_t>(left[grade], 0)), values_[grade]);
    const auto assign = [&](auto&& given) {
        std::stable_sort(unknowns.begin(), unknowns.end(),
                         [](const Unknown& a, const Unknown& b) { return a.weight > b.weight; });
        double sum = known;
        for (std::size_t i = 0; i < std::min(unknowns.size(), grades.size()); ++i) {
            sum += grades[i] * unknowns[i].weight;
            given(unknowns[i], grades[i]);
        }
        return sum;
    };
    const double seen = assign([&](const Unknown& unknown, double value) {
        if (unknown.absent) in_other.push_back(value);
    });
    const double least = seen - in_unseen_ranks(in_other, other.size);
    if (unseen == Unseen::nothing) return {seen, least};
    for (std::size_t i = 1; i <= grades.size(); ++i)
        if (const double d = weight(favoured.size + i); d > 0) unknowns.push_back({d, true});
    return {assign([](const Unknown&, double) {}), least};
}

}  // namespace medir
