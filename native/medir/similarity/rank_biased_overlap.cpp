#include "similarity/rank_biased_overlap.hpp"

#include <algorithm>
#include <cmath>

namespace medir {

void spans_of(const std::vector<std::uint32_t>& firsts, std::size_t size, std::vector<Span>& spans) {
    spans.resize(size + 1);
    for (std::uint32_t rank = static_cast<std::uint32_t>(size); rank > 0; --rank) {
        const std::uint32_t first = firsts.empty() ? rank : firsts[rank - 1];
        const bool goes_on = rank < size && spans[rank + 1].first == first;
        spans[rank] = {first, goes_on ? spans[rank + 1].last : rank};
    }
}

// What both lists show. Depths count from 1, down to the end of the longer list.
struct RankBiasedOverlap::Seen : Workspace {
    std::vector<Span> shorter, longer;
    std::vector<double> overlap;      // X_d
    std::vector<double> begun;        // what ties that are not complete add to it
    std::vector<double> norm;         // N_d
    std::vector<std::uint8_t> known;  // by rank of the longer list: the shorter one has the document too
    std::size_t end_of_shorter = 0, end = 0;
};

namespace {

// How much of a document of a tie lies above a depth: the probability, over all its orders.
double share(std::size_t depth, Span tie) {
    if (depth < tie.first) return 0;
    return std::min(1.0, static_cast<double>(depth - tie.first + 1) / (tie.last - tie.first + 1));
}

double unit(double value) { return std::clamp(value, 0.0, 1.0); }

// The tie at a rank of a list; a list without spans has no ties.
Span tie_at(const std::vector<Span>& spans, std::size_t rank) {
    const auto alone = static_cast<std::uint32_t>(rank);
    return spans.empty() ? Span{alone, alone} : spans[rank];
}

// For each depth below the end of the shorter list: visit(depth, the documents that only the longer list holds above
// the tie at this depth, those in it, how much each of these counts).
template <class Visit>
void only_in_longer(const std::vector<Span>& longer, const std::vector<std::uint8_t>& known, std::size_t end_of_shorter,
                    bool whole_ties, Visit visit) {
    double above = 0;
    for (std::size_t first = 1; first < known.size();) {
        const Span tie = tie_at(longer, first);
        const auto in_both = std::count(known.begin() + tie.first, known.begin() + tie.last + 1, 1);
        const double fresh = static_cast<double>(tie.last - tie.first + 1 - in_both);
        for (std::size_t d = std::max<std::size_t>(first, end_of_shorter + 1); d <= tie.last; ++d)
            visit(d, above, fresh, whole_ties ? 1.0 : share(d, tie));
        above += fresh;
        first = tie.last + 1;
    }
}

}  // namespace

RankBiasedOverlap::RankBiasedOverlap(double p, Rest rest, Ties ties, std::size_t cutoff, std::size_t ranks)
    : Similarity(cutoff), p_(p), rest_(rest), ties_(ties), powers_(ranks + 1), sums_(ranks + 1) {
    for (std::size_t d = 1; d <= ranks; ++d) {
        powers_[d] = (1 - p) * std::pow(p, static_cast<double>(d - 1));
        sums_[d] = sums_[d - 1] + powers_[d] / static_cast<double>(d);
    }
}

std::unique_ptr<Workspace> RankBiasedOverlap::workspace() const { return std::make_unique<Seen>(); }

double RankBiasedOverlap::value(const Matching& matching, Workspace& workspace) const {
    if (rest_ == Rest::ext && ties_ == Ties::none) return extrapolated(matching);
    Seen& seen = static_cast<Seen&>(workspace);
    agree(matching, seen);
    if (seen.end_of_shorter == 0) {
        if (rest_ == Rest::ext) return no_value;
        return rest_ == Rest::min ? 0 : 1;
    }
    switch (rest_) {
        case Rest::ext:
            return extrapolated(seen);
        case Rest::min:
            return least(seen);
        case Rest::max:
            return most(seen);
        case Rest::res: {
            const double least_value = least(seen);
            return most(seen) - least_value;
        }
    }
    return no_value;
}

// X_d, and what it is divided by.
void RankBiasedOverlap::agree(const Matching& matching, Seen& seen) const {
    const std::size_t before = before_size(matching), after = after_size(matching);
    const bool before_is_longer = before > after;
    seen.end_of_shorter = std::min(before, after);
    seen.end = std::max(before, after);
    seen.overlap.assign(seen.end + 1, 0.0);
    seen.known.assign(seen.end + 1, 0);
    const bool tied = ties_ != Ties::none;
    if (tied) {
        spans_of(matching.before_ties(), before, before_is_longer ? seen.longer : seen.shorter);
        spans_of(matching.after_ties(), after, before_is_longer ? seen.shorter : seen.longer);
        seen.begun.assign(seen.end + 1, 0.0);
    } else {
        seen.longer.clear();
    }
    for (std::size_t i = 0; i < before; ++i) {
        const Document& document = matching.documents()[i];
        if (!shared(document)) continue;
        const std::size_t in_longer = before_is_longer ? document.before : document.after;
        seen.known[in_longer] = 1;
        if (tied)
            add_tied(seen, seen.longer[in_longer], seen.shorter[before_is_longer ? document.after : document.before]);
        else
            seen.overlap[std::max(document.before, document.after)] += 1;
    }
    for (std::size_t d = 1; d <= seen.end; ++d) seen.overlap[d] += seen.overlap[d - 1];
    if (tied)
        for (std::size_t d = 1; d <= seen.end; ++d) seen.overlap[d] += seen.begun[d];
    divide(seen);
}

void RankBiasedOverlap::add_tied(Seen& seen, Span x, Span y) const {
    if (ties_ == Ties::w) x.last = x.first, y.last = y.first;  // the whole tie counts from its first rank
    const std::size_t complete = std::max(x.last, y.last);
    seen.overlap[complete] += 1;
    for (std::size_t d = std::max(x.first, y.first); d < complete; ++d) seen.begun[d] += share(d, x) * share(d, y);
}

// w: the documents down to the end of the tie; b: the overlap of a list with itself.
void RankBiasedOverlap::divide(Seen& seen) const {
    seen.norm.resize(seen.end + 1);
    for (std::size_t d = 1; d <= seen.end; ++d) seen.norm[d] = static_cast<double>(d);
    if (ties_ == Ties::none || ties_ == Ties::a) return;
    const auto weight = [&](const std::vector<Span>& spans, std::size_t d) {
        if (d >= spans.size() || spans[d].last == d) return static_cast<double>(d);
        const double above = static_cast<double>(d - spans[d].first + 1);
        return ties_ == Ties::w ? spans[d].last
                                : spans[d].first - 1 + above * above / (spans[d].last - spans[d].first + 1);
    };
    for (std::size_t d = 1; d <= seen.end; ++d) {
        const double x = weight(seen.shorter, d), y = weight(seen.longer, d);
        seen.norm[d] = ties_ == Ties::w ? (x + y) / 2 : std::sqrt(x * y);
    }
}

double RankBiasedOverlap::weighted(const Seen& seen) const {
    double sum = 0;
    for (std::size_t d = 1; d <= seen.end; ++d) sum += powers_[d] * seen.overlap[d] / seen.norm[d];
    return sum;
}

// p^d
double RankBiasedOverlap::power(std::size_t d) const { return powers_[d] * p_ / (1 - p_); }

// Without ties, depth by depth is not needed: a document that both lists hold from depth m on adds
// (1-p) sum_{d>=m} p^(d-1) / d. Below the end s of the shorter list, (d-s) X_s / s is added to X_d, and
// (1-p) sum_{d>s} p^(d-1) = p^s.
double RankBiasedOverlap::extrapolated(const Matching& matching) const {
    const std::size_t before = before_size(matching), after = after_size(matching);
    const std::size_t s = std::min(before, after), end = std::max(before, after);
    if (s == 0) return no_value;
    std::size_t common = 0, common_in_s = 0;
    double missed = 0;  // of each document, the depths above
    for (std::size_t i = 0; i < before; ++i) {
        const Document& document = matching.documents()[i];
        if (!shared(document)) continue;
        const std::size_t depth = std::max(document.before, document.after);
        ++common;
        common_in_s += depth <= s;
        missed += sums_[depth - 1];
    }
    const double agreement = static_cast<double>(common_in_s) / static_cast<double>(s);
    const double seen = static_cast<double>(common) * sums_[end] - missed;
    const double extended = power(s) - power(end) - static_cast<double>(s) * (sums_[end] - sums_[s]);
    const double final_overlap = static_cast<double>(common) + static_cast<double>(end - s) * agreement;
    return unit(seen + agreement * extended + final_overlap / static_cast<double>(end) * power(end));
}

// Below their ends, the lists agree as they have so far.
double RankBiasedOverlap::extrapolated(Seen& seen) const {
    const double agreement = seen.overlap[seen.end_of_shorter] / seen.norm[seen.end_of_shorter];
    const auto extend = [&](std::size_t d, double above, double fresh, double part) {
        const double mean = (above + fresh * part) / (above + fresh);
        seen.overlap[d] += static_cast<double>(d - seen.end_of_shorter) * agreement * mean;
    };
    if (seen.end > seen.end_of_shorter)
        only_in_longer(seen.longer, seen.known, seen.end_of_shorter, ties_ == Ties::w, extend);
    return unit(weighted(seen) + seen.overlap[seen.end] / seen.norm[seen.end] * power(seen.end));
}

// Nothing new is shared: X_d / d from here on, and sum_{d>=1} p^d / d = -ln(1 - p).
double RankBiasedOverlap::least(const Seen& seen) const {
    double powers = 0;
    for (std::size_t d = 1; d <= seen.end; ++d) powers += powers_[d] / static_cast<double>(d);
    const double below = std::max(0.0, -std::log1p(-p_) * (1 - p_) / p_ - powers);
    return unit(weighted(seen) + seen.overlap[seen.end] * below);
}

// All that can be shared is.
double RankBiasedOverlap::most(Seen& seen) const {
    const double common = seen.overlap[seen.end];
    const auto extend = [&](std::size_t d, double above, double fresh, double part) {
        const auto room = static_cast<double>(d - seen.end_of_shorter);
        const double complete = std::min(room, above);
        seen.overlap[d] += complete + std::min(room - complete, fresh) * part;
    };
    if (seen.end > seen.end_of_shorter)
        only_in_longer(seen.longer, seen.known, seen.end_of_shorter, ties_ == Ties::w, extend);
    const std::size_t both = seen.end_of_shorter + seen.end;
    const std::size_t full = both - static_cast<std::size_t>(std::lround(common));
    double below = 0;
    for (std::size_t d = seen.end + 1; d <= full; ++d)
        below +=
            powers_[d] * (2.0 * static_cast<double>(d) - static_cast<double>(both) + common) / static_cast<double>(d);
    return unit(weighted(seen) + below + power(full));
}

}  // namespace medir
