#include "measures/cascade.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/fenwick.hpp"

namespace medir {

namespace {

constexpr std::uint32_t nobody = 0;  // among the unknowns
constexpr double precision = 1e-13;  // of scores, relative to the largest
constexpr double few_left = 0.6;     // of what stands below a relevant document
constexpr std::size_t work_of_unknown = 32;
constexpr std::size_t most_entries = std::size_t{1} << 16;      // of a table for all straddlers
constexpr std::size_t most_unknowns = 100000, horizon = 10000;  // ranks that are looked at if there are more unknowns

}  // namespace

// The maximum of S(favoured) - S(other), before division by N.
class Cascade::Problem : public Workspace {
public:
    Optimum maximise(const Cascade& cascade, const Matching& matching, const Side& favoured, const Side& other,
                     double unseen);
    // The relevance of each document of the matching at the best value found.
    const std::vector<double>& relevance() const { return relevance_; }

private:
    // One list: what stands at each rank, and, for the unknowns, what is known of the ranks above and below.
    struct List {
        std::vector<double> gains;            // by rank: relevance where it is known
        std::vector<std::uint32_t> unknowns;  // by rank: the unknown that stands there, or nobody
        double unseen = 0;                    // what the unseen ranks add, once reached
        std::vector<double> least, most;      // by rank, from `known` on: of the ranks below, once reached
        std::size_t known = 0;
        std::vector<double> graded;            // by rank: the factors of documents above of less than top relevance
        std::vector<std::uint32_t> open, top;  // by rank: how many above are undecided, and of top relevance

        void clear(std::size_t size) {
            gains.assign(size + 1, 0.0);
            unknowns.assign(size + 1, nobody);
        }
        std::size_t size() const { return gains.size() - 1; }
    };
    struct Unknown {
        std::uint32_t document, n, m;  // its ranks in the favoured and in the other list
    };
    struct Found {
        Optimum optimum;
        const std::vector<char>* assignment;

        double most() const { return optimum.value + optimum.gap; }
    };

    void set_up(const Cascade& cascade, const Matching& matching, const Side& favoured, const Side& other);
    void pass_over_common_top(bool judged);
    void look_above(List& list) const;
    void look_below(List& list, std::size_t rank) const;
    void persist(Budget& budget);
    double look_no_further();
    int sign_of_derivative(const Unknown& unknown, std::uint32_t above_in_both) const;
    void decide(std::uint32_t unknown, bool relevant);
    void decide_all(const std::vector<char>& assignment);
    void choose_one();
    bool walk_narrowly(Budget& budget);
    double search(Budget& budget);
    void number_open();
    void describe(const List& list, CountedList& described) const;
    double evaluate() const;
    double evaluate(const List& list) const;

    const Cascade* cascade_ = nullptr;
    double top_ = 0, keep_ = 0;
    List favoured_, other_;
    std::vector<Unknown> unknowns_;
    std::vector<std::uint32_t> open_;     // in order of their ranks in the other list
    std::vector<std::uint32_t> upwards_;  // the same, from the end of both lists up
    std::vector<std::uint32_t> above_in_both_;
    std::vector<std::uint32_t> number_;  // of each undecided unknown in the search
    std::vector<double> relevance_;
    Fenwick<std::uint32_t> met_;  // by rank in the favoured list: how many undecided
    CountedDifference counted_;
    NarrowWalk narrow_;
    Walk walk_;
    CountSearch counts_;
};

void Cascade::Problem::set_up(const Cascade& cascade, const Matching& matching, const Side& favoured,
                              const Side& other) {
    cascade_ = &cascade;
    top_ = cascade.values_.back();
    keep_ = 1 - cascade.decay_ * top_;
    const std::size_t deepest = cascade.discount_.size() - 1;
    favoured_.clear(std::min(favoured.size, deepest));
    other_.clear(std::min(other.size, deepest));
    const std::vector<Document>& documents = matching.documents();
    relevance_.resize(documents.size());
    unknowns_.resize(documents.size() + 1);
    double *gains = favoured_.gains.data(), *other_gains = other_.gains.data();
    std::uint32_t *at = favoured_.unknowns.data(), *other_at = other_.unknowns.data();
    double* by_document = relevance_.data();
    Unknown* described = unknowns_.data();
    std::uint32_t unknowns = 0;
    // Without branches, as none can tell where a document stands. Where it is not within a list, rank 0 takes what is
    // written, and nobody reads it.
    for (std::uint32_t i = 0; i < documents.size(); ++i) {
        const Document& document = documents[i];
        const std::uint32_t n = document.*favoured.rank <= deepest ? document.*favoured.rank : 0;
        const std::uint32_t m = document.*other.rank <= deepest ? document.*other.rank : 0;
        const bool judged = document.grade != Document::unjudged, relevant = (n != 0) & (m == 0);
        const std::uint32_t unknown = !judged & (n != 0) & (m != 0);
        const double relevance = judged ? cascade.value_of(document) : static_cast<double>(relevant) * top_;
        by_document[i] = gains[n] = other_gains[m] = relevance;
        described[unknowns + 1] = {i, n, m};
        unknowns += unknown;
        at[n] = other_at[m] = unknown * unknowns;
    }
    unknowns_.resize(unknowns + 1);
    open_.resize(unknowns + 1);  // one more, to write what none is
    std::size_t open = 0;
    for (std::size_t rank = 1; rank <= other_.size(); ++rank) {
        open_[open] = other_at[rank];
        open += other_at[rank] != nobody;
    }
    open_.resize(unknowns);
}

// Where both lists begin with the same documents, these add the same to both, and only take from what follows: none of
// them is relevant unless the favoured list is bound to be worse, as only judgments can make it.
void Cascade::Problem::pass_over_common_top(bool judged) {
    const std::size_t shorter = std::min(favoured_.size(), other_.size());
    std::ptrdiff_t unknowns = 0;
    for (std::size_t rank = 1; rank <= shorter; ++rank) {
        const std::uint32_t unknown = favoured_.unknowns[rank];
        if (unknown != other_.unknowns[rank] || favoured_.gains[rank] != other_.gains[rank]) break;
        unknowns += unknown != nobody;
    }
    if (unknowns == 0 || (judged && evaluate() < 0)) return;
    std::for_each(open_.begin(), open_.begin() + unknowns, [&](std::uint32_t unknown) { decide(unknown, false); });
    open_.erase(open_.begin(), open_.begin() + unknowns);
}

void Cascade::Problem::decide(std::uint32_t unknown, bool relevant) {
    const auto [document, n, m] = unknowns_[unknown];
    favoured_.unknowns[n] = other_.unknowns[m] = nobody;
    relevance_[document] = favoured_.gains[n] = other_.gains[m] = static_cast<double>(relevant) * top_;
}

// All that are open.
void Cascade::Problem::decide_all(const std::vector<char>& assignment) {
    for (std::size_t i = 0; i < open_.size(); ++i) decide(open_[i], assignment[i]);
    open_.clear();
}

// What the ranks below `rank` add, once reached, with the decisions that are taken so far.
void Cascade::Problem::look_below(List& list, std::size_t rank) const {
    const double decay = cascade_->decay_;
    for (; list.known > rank; --list.known) {
        const std::size_t next = list.known;
        const bool unknown = list.unknowns[next] != nobody;
        const double low = list.gains[next], high = unknown ? top_ : low, d = cascade_->discount_[next];
        list.least[next - 1] = low * d + (1 - decay * low) * list.least[next];
        list.most[next - 1] = high * d + (1 - decay * high) * list.most[next];
    }
}

void Cascade::Problem::look_above(List& list) const {
    const std::size_t size = list.size();
    const double decay = cascade_->decay_;
    for (auto* by_rank : {&list.least, &list.most, &list.graded}) by_rank->resize(size + 1);
    for (auto* by_rank : {&list.open, &list.top}) by_rank->resize(size + 1);
    list.known = size;
    list.least[size] = list.most[size] = list.unseen;
    double graded = 1;
    std::uint32_t open = 0, top = 0;
    for (std::size_t rank = 1; rank <= size; ++rank) {
        list.graded[rank] = graded;
        list.open[rank] = open;
        list.top[rank] = top;
        const double gain = list.gains[rank];
        if (list.unknowns[rank] != nobody)
            ++open;
        else if (gain == top_)
            ++top;
        else
            graded *= 1 - decay * gain;
    }
}

// The derivative of an unknown at ranks n and m is r times
//     reach_n (d_n - rho rest_n) - reach'_m (d_m - rho rest'_m),
// where rest is what the ranks below add, once reached. Undecided documents above in both lists scale both terms alike
// and leave its sign as it is: only the others make the reaches uncertain. 1, -1, or 0 where the sign is not known.
int Cascade::Problem::sign_of_derivative(const Unknown& unknown, std::uint32_t above_in_both) const {
    const auto [document, n, m] = unknown;
    const std::vector<double>&d = cascade_->discount_, &powers = cascade_->powers_;
    const double decay = cascade_->decay_;
    const std::uint32_t common = std::min(favoured_.top[n], other_.top[m]);
    const double reach = powers[favoured_.top[n] - common] * favoured_.graded[n];
    const double other_reach = powers[other_.top[m] - common] * other_.graded[m];
    const double least_reach = reach * powers[favoured_.open[n] - above_in_both];
    const double least_other_reach = other_reach * powers[other_.open[m] - above_in_both];
    const double low =
        least_reach * (d[n] - decay * favoured_.most[n]) - other_reach * (d[m] - decay * other_.least[m]);
    if (low >= 0) return 1;
    const double high =
        reach * (d[n] - decay * favoured_.least[n]) - least_other_reach * (d[m] - decay * other_.most[m]);
    return high <= 0 ? -1 : 0;
}

// Decides every unknown whose derivative keeps its sign whatever the undecided others do; each decision narrows the
// derivatives of the others. From the end of the lists up, so that a decision serves those above at once. A first round
// is made whatever the effort.
void Cascade::Problem::persist(Budget& budget) {
    Looks wanted;
    upwards_ = open_;
    std::sort(upwards_.begin(), upwards_.end(), [&](std::uint32_t a, std::uint32_t b) {
        wanted();
        return unknowns_[a].n + unknowns_[a].m > unknowns_[b].n + unknowns_[b].m;
    });
    above_in_both_.resize(unknowns_.size());
    for (std::size_t before = 0; !open_.empty() && before != open_.size();) {
        if (before != 0 && !budget.spend(work_of_unknown * open_.size())) return;
        before = open_.size();
        look_above(favoured_);
        look_above(other_);
        met_.clear(favoured_.size());
        for (const std::uint32_t unknown : open_) {
            wanted();
            const std::uint32_t n = unknowns_[unknown].n;
            above_in_both_[unknown] = met_.sum(n - 1);
            met_.add(n, 1);
        }
        std::erase_if(upwards_, [&](std::uint32_t unknown) {
            wanted();
            look_below(favoured_, unknowns_[unknown].n);
            look_below(other_, unknowns_[unknown].m);
            const int sign = sign_of_derivative(unknowns_[unknown], above_in_both_[unknown]);
            if (sign != 0) decide(unknown, sign > 0);
            return sign != 0;
        });
        std::erase_if(open_, [&](std::uint32_t unknown) { return favoured_.unknowns[unknowns_[unknown].n] == nobody; });
    }
}

double Cascade::Problem::evaluate(const List& list) const {
    double sum = 0, reach = 1;
    for (std::size_t rank = 1; rank <= list.size(); ++rank) {
        sum += reach * list.gains[rank] * cascade_->discount_[rank];
        reach *= 1 - cascade_->decay_ * list.gains[rank];
    }
    return sum + reach * list.unseen;
}

double Cascade::Problem::evaluate() const { return evaluate(favoured_) - evaluate(other_); }

// Where a document of top relevance ends the list, one unknown at most is relevant: a second one adds nothing to the
// favoured list, or the first adds nothing. So a list adds what it does down to that one, and nothing below.
void Cascade::Problem::choose_one() {
    const auto sums_with = [&](const List& list, std::vector<double>& sums) {
        sums.assign(list.size() + 1, 0.0);
        double sum = 0, reach = 1;
        for (std::size_t rank = 1; rank <= list.size(); ++rank) {
            const double d = cascade_->discount_[rank];
            sums[rank] = sum + reach * top_ * d;
            sum += reach * list.gains[rank] * d;
            reach *= 1 - cascade_->decay_ * list.gains[rank];
        }
    };
    sums_with(favoured_, favoured_.most);
    sums_with(other_, other_.most);
    std::uint32_t best = nobody;
    double value = evaluate();
    for (const std::uint32_t unknown : open_) {
        const double with = favoured_.most[unknowns_[unknown].n] - other_.most[unknowns_[unknown].m];
        if (with > value) {
            value = with;
            best = unknown;
        }
    }
    for (const std::uint32_t unknown : open_) decide(unknown, unknown == best);
}

// The undecided as the searches know them: numbered in the order of the other list.
void Cascade::Problem::number_open() {
    number_.resize(unknowns_.size());
    std::vector<std::uint32_t>&mine = counted_.favoured.unknowns, &theirs = counted_.other.unknowns;
    mine.resize(open_.size() + 1);  // one more, to write what none is
    theirs.resize(open_.size());
    for (std::uint32_t i = 0; i < open_.size(); ++i) number_[open_[i]] = theirs[i] = i;
    std::size_t place = 0;
    for (std::size_t rank = 1; rank <= favoured_.size(); ++rank) {
        const std::uint32_t unknown = favoured_.unknowns[rank];
        mine[place] = number_[unknown];
        place += unknown != nobody;
    }
    mine.resize(place);
}

// What stands between the undecided of a list, and what they add: levels for those above, all else in the numbers.
void Cascade::Problem::describe(const List& list, CountedList& described) const {
    described.slope.resize(open_.size() + 1);  // one more, to write what none adds
    described.known.resize(open_.size() + 1);
    double *slope = described.slope.data(), *by_place = described.known.data(), reach = 1, known = 0;
    std::size_t place = 0;
    for (std::size_t rank = 1; rank <= list.size(); ++rank) {
        const double d = cascade_->discount_[rank], gain = list.gains[rank];
        const int open = list.unknowns[rank] != nobody;
        slope[place] = reach * top_ * d;
        by_place[place] = known;
        place += static_cast<std::size_t>(open);
        known = (known + reach * gain * d) * static_cast<double>(1 - open);
        reach *= 1 - cascade_->decay_ * gain;
    }
    by_place[place] = known + reach * list.unseen;
    described.slope.resize(place);
}

// Of very many unknowns, the undecided are looked at that stand near the top of a list, and the others are taken as not
// relevant. Returns what these may add. How many there are at first is what counts: with more effort there are fewer
// undecided, and that must not make it worse.
double Cascade::Problem::look_no_further() {
    if (unknowns_.size() <= most_unknowns + 1 || open_.empty()) return 0;  // nobody is one of them
    look_above(favoured_);
    look_below(favoured_, std::min(horizon, favoured_.size()));
    const double beyond = favoured_.most[favoured_.known] - favoured_.least[favoured_.known];
    std::erase_if(open_, [&](std::uint32_t unknown) {
        const bool far = unknowns_[unknown].n > horizon && unknowns_[unknown].m > horizon;
        if (far) decide(unknown, false);
        return far;
    });
    return beyond;
}

// Decides all unknowns where the two lists are so much alike, or so short, that this takes no longer than a round of
// persistency. Returns whether they are.
bool Cascade::Problem::walk_narrowly(Budget& budget) {
    if (open_.empty()) return true;
    number_open();
    const bool narrow = narrow_.lay_out(counted_.favoured.unknowns, counted_.other.unknowns,
                                        std::min(work_of_unknown * open_.size(), most_entries));
    if (!narrow || !budget.affords(narrow_.entries())) return false;
    budget.spend(narrow_.entries());
    describe(favoured_, counted_.favoured);
    describe(other_, counted_.other);
    narrow_.maximise(counted_, keep_);
    decide_all(narrow_.assignment());
    return true;
}

// Two searches, each quick where the other may be slow. Where little is left below a relevant document, a few of them
// matter, and the walk knows which; elsewhere how many there are.
double Cascade::Problem::search(Budget& budget) {
    if (walk_narrowly(budget)) return 0;
    describe(favoured_, counted_.favoured);
    describe(other_, counted_.other);
    counted_.linear.assign(open_.size(), 0.0);
    counted_.level = &cascade_->powers_;
    const double scale = std::max(top_ * cascade_->discount_[1], cascade_->below(0)), tolerance = precision * scale;
    const std::vector<char> none(open_.size(), 0);
    // More relevant documents than these are worth less than the tolerance.
    const auto size = static_cast<double>(open_.size());
    const double most = keep_ < 1 ? std::ceil(std::log(0.1 * precision) / std::log(keep_)) : size;
    const int most_counted = static_cast<int>(std::min(most, size));
    const auto by_walk = [&](Budget& share) {
        return Found{walk_.maximise(counted_, keep_, most_counted, tolerance, share), &walk_.assignment()};
    };
    const auto by_counts = [&](Budget& share) {
        const std::vector<char> all(open_.size(), 1);
        const double bound =
            counted_.favoured.value(all, *counted_.level) - counted_.other.value(none, *counted_.level);
        return Found{counts_.maximise(counted_, none, bound, most_counted, tolerance, share), &counts_.assignment()};
    };
    Budget half = budget.part(2);
    const Found first = keep_ < few_left ? by_walk(half) : by_counts(half);
    Found best = first;
    if (first.optimum.gap > 0) {
        budget.take_back(half);
        const Found second = keep_ < few_left ? by_counts(budget) : by_walk(budget);
        const double bound = std::min(first.most(), second.most());
        if (second.optimum.value > first.optimum.value) best = second;
        best.optimum.gap = second.optimum.gap == 0 ? 0.0 : std::max(0.0, bound - best.optimum.value);
    }
    decide_all(*best.assignment);
    return best.optimum.gap;
}

Optimum Cascade::Problem::maximise(const Cascade& cascade, const Matching& matching, const Side& favoured,
                                   const Side& other, double unseen) {
    set_up(cascade, matching, favoured, other);
    favoured_.unseen = unseen;
    double gap = 0;
    if (keep_ <= 0) {
        choose_one();
    } else {
        Budget budget(cascade.effort_);
        pass_over_common_top(matching.judged());
        if (!walk_narrowly(budget)) {
            persist(budget);
            gap = look_no_further();
            gap += search(budget);
        }
    }
    return {evaluate(), gap};
}

Cascade::Cascade(std::vector<double> discount, std::vector<double> tail, std::vector<double> values, double decay,
                 double norm, Effort effort)
    : discount_(std::move(discount)),
      tail_(std::move(tail)),
      values_(std::move(values)),
      powers_(2 * discount_.size() + 2, 1.0),
      decay_(decay),
      norm_(norm),
      effort_(effort) {
    for (std::size_t i = 1; i < powers_.size(); ++i) powers_[i] = powers_[i - 1] * (1 - decay_ * values_.back());
}

double Cascade::sum(const std::vector<double>& gains, double unseen) const {
    double sum = 0, reach = 1;
    for (std::size_t rank = 1; rank < gains.size(); ++rank) {
        sum += reach * gains[rank] * discount_[rank];
        reach *= 1 - decay_ * gains[rank];
    }
    return sum + reach * unseen;
}

double Cascade::score(const Matching& matching) const {
    std::vector<double> gains(discount_.size(), 0.0);
    for (const Document& document : matching.documents())
        if (document.grade != Document::unjudged && within(document.before))
            gains[document.before] = value_of(document);
    return sum(gains, 0) / norm_;
}

std::unique_ptr<Workspace> Cascade::workspace() const { return std::make_unique<Problem>(); }

Bounds Cascade::favour(const Matching& matching, const Side& favoured, const Side& other,
                       std::vector<double>* relevance, Workspace& workspace) const {
    Problem& problem = static_cast<Problem&>(workspace);
    const double added = favoured.cut ? below(favoured.size) : 0.0;
    const Optimum optimum = problem.maximise(*this, matching, favoured, other, added);
    const bool all_seen = added == 0 && (!other.cut || below(other.size) == 0);
    const double lowest = all_seen ? optimum.value : least(matching, favoured, other, problem.relevance());
    if (relevance != nullptr) *relevance = problem.relevance();
    return {optimum.value / norm_, lowest / norm_, optimum.gap / norm_};
}

// What the maximum cannot fall below, whatever the unseen ranks hold: the same assignment when nothing relevant stands
// in the unseen ranks of the favoured list, and all that is relevant and not in the other list stands at its first
// unseen ranks, if it has any, the most relevant first.
double Cascade::least(const Matching& matching, const Side& favoured, const Side& other,
                      const std::vector<double>& relevance) const {
    std::vector<double> mine(discount_.size(), 0.0), theirs(discount_.size(), 0.0), absent;
    for (std::size_t i = 0; i < relevance.size(); ++i) {
        const std::uint32_t n = matching.documents()[i].*favoured.rank, m = matching.documents()[i].*other.rank;
        if (within(n)) mine[n] = relevance[i];
        if (within(m)) theirs[m] = relevance[i];
        if (m == 0 && relevance[i] > 0) absent.push_back(relevance[i]);
    }
    std::sort(absent.begin(), absent.end(), std::greater<>());
    for (std::size_t i = 0, rank = other.size + 1; other.cut && i < absent.size() && rank < theirs.size(); ++i, ++rank)
        theirs[rank] = absent[i];
    return sum(mine, 0) - sum(theirs, 0);
}

void Cascade::sums(const RankColumns& ranks, std::size_t count, double* sums, std::vector<double>& scratch) const {
    scratch.assign(count, 1.0);
    double* reach = scratch.data();
    std::fill_n(sums, count, 0.0);
    for (std::size_t rank = 1; rank <= ranks.size() && rank < discount_.size(); ++rank) {
        const double* relevance = ranks[rank - 1];
        if (relevance == nullptr) continue;
        const double d = discount_[rank];
        for (std::size_t i = 0; i < count; ++i) {
            sums[i] += reach[i] * relevance[i] * d;
            reach[i] *= 1 - decay_ * relevance[i];
        }
    }
}

}  // namespace medir
