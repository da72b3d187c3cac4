#include "heuristics.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "measures/effectiveness.hpp"

namespace medir {

namespace {

struct Ranks {
    std::uint32_t favoured, other;
};

// One direction: what is decided from the start, and what is to be searched.
struct Direction {
    std::vector<Ranks> bound;  // by rank in the favoured list
    std::vector<char> free;    // by rank in the favoured list, from 1
    std::size_t other_size;

    std::size_t size() const { return free.size() - 1; }
};

Direction direction(const Matching& matching, Side favoured, Side other) {
    Direction result{{}, std::vector<char>(favoured.size + 1, 0), other.size};
    for (const Document& document : matching.documents()) {
        const Ranks ranks{document.*favoured.rank, document.*other.rank};
        if (ranks.favoured != 0 && ranks.other != 0)
            result.bound.push_back(ranks);
        else if (ranks.favoured != 0)
            result.free[ranks.favoured] = 1;
    }
    std::sort(result.bound.begin(), result.bound.end(),
              [](const Ranks& a, const Ranks& b) { return a.favoured < b.favoured; });
    return result;
}

template <typename Search>
double larger_direction(const Matching& matching, const Search& search) {
    const Side before = before_side(matching), after = after_side(matching);
    return std::max(search(direction(matching, before, after)), search(direction(matching, after, before)));
}

// Maximises sum_v linear_v x_v + sum_{v<u} weight_vu x_v x_u.
class TabuSearch {
public:
    // `weights` is symmetric, row by row, with zeros on the diagonal.
    TabuSearch(std::vector<double> linear, std::vector<double> weights)
        : changes_(std::move(linear)),
          weights_(std::move(weights)),
          signs_(changes_.size(), 1.0),
          tabu_until_(changes_.size(), 0),
          best_(changes_.size(), 0) {}

    // Which unknowns are 1 at the best value found.
    const std::vector<char>& maximise() {
        const std::size_t n = changes_.size(), tenure = std::min<std::size_t>(20, n / 4);
        const std::size_t most_looks = n == 0 ? 0 : std::max<std::size_t>(500'000, 5'000 * n);
        for (std::size_t step = 1; looks_ < most_looks; ++step) tabu_until_[move(step)] = step + tenure;
        return best_;
    }

private:
    static constexpr double tolerance = 1e-12;  // what counts as an improvement, so that rounding does not

    // Makes one step and returns the unknown that it chose.
    std::size_t move(std::size_t step) {
        double best_change = 0;
        std::size_t choice = changes_.size();
        for (std::size_t v = 0; v < changes_.size(); ++v) {
            if (tabu_until_[v] >= step) continue;
            ++looks_;
            if (value_ + changes_[v] > best_value_ + tolerance) {
                flip(v);
                improve();
                record();
                return v;
            }
            if (choice == changes_.size() || changes_[v] > best_change) {
                best_change = changes_[v];
                choice = v;
            }
        }
        flip(choice);
        return choice;
    }

    void improve() {
        for (bool improved = true; improved;) {
            improved = false;
            looks_ += changes_.size();
            for (std::size_t v = 0; v < changes_.size(); ++v) {
                if (changes_[v] <= tolerance) continue;
                flip(v);
                improved = true;
            }
        }
    }

    void flip(std::size_t v) {
        const double step = signs_[v];
        const double* weights = &weights_[v * changes_.size()];
        value_ += changes_[v];
        changes_[v] = -changes_[v];
        signs_[v] = -step;
        for (std::size_t u = 0; u < changes_.size(); ++u) changes_[u] += step * signs_[u] * weights[u];
    }

    void record() {
        best_value_ = value_;
        std::transform(signs_.begin(), signs_.end(), best_.begin(), [](double sign) { return sign < 0; });
    }

    std::vector<double> changes_, weights_;  // changes_: what a flip would add to the value
    std::vector<double> signs_;              // 1 where the unknown is 0, -1 where it is 1
    std::vector<std::size_t> tabu_until_;    // the last step in which the unknown must stay
    std::vector<char> best_;
    double value_ = 0, best_value_ = 0;
    std::size_t looks_ = 0;
};

// AP of the ranks that are marked relevant, from 1.
double average_precision(const std::vector<char>& relevant) {
    double sum = 0, count = 0;
    for (std::size_t rank = 1; rank < relevant.size(); ++rank) {
        count += relevant[rank];
        if (relevant[rank]) sum += count / static_cast<double>(rank);
    }
    return sum / static_cast<double>(relevant.size() - 1);
}

double reciprocal_of_larger(std::uint32_t a, std::uint32_t b) { return 1.0 / std::max(a, b); }

double favour_by_tabu_search(const Direction& direction, std::size_t cutoff) {
    const std::vector<Ranks>& bound = direction.bound;
    std::vector<char> favoured(cutoff + 1, 1), other(cutoff + 1, 0);
    std::copy(direction.free.begin(), direction.free.end(), favoured.begin());
    std::vector<double> linear, weights;
    for (const Ranks& v : bound) {
        linear.push_back(1.0 / v.favoured - 1.0 / v.other);
        for (std::uint32_t rank = 1; rank <= cutoff; ++rank)
            if (favoured[rank]) linear.back() += reciprocal_of_larger(v.favoured, rank);
        for (const Ranks& u : bound)
            weights.push_back(
                &u == &v ? 0.0 : reciprocal_of_larger(v.favoured, u.favoured) - reciprocal_of_larger(v.other, u.other));
    }
    TabuSearch search(std::move(linear), std::move(weights));
    const std::vector<char>& found = search.maximise();
    for (std::size_t v = 0; v < bound.size(); ++v) favoured[bound[v].favoured] = other[bound[v].other] = found[v];
    return average_precision(favoured) - average_precision(other);
}

constexpr std::size_t most_chosen = 5;
constexpr std::uint32_t deepest = 30;
constexpr double top = 0.75, skip = 1 - top;

// ERR of the ranks that are marked relevant, from 1, with what the ranks below add if they are reached.
double expected_reciprocal_rank(const std::vector<char>& relevant, double below) {
    double sum = 0, reach = 1;
    for (std::size_t rank = 1; rank < relevant.size(); ++rank) {
        if (!relevant[rank]) continue;
        sum += reach * top / static_cast<double>(rank);
        reach *= skip;
    }
    return sum + reach * below;
}

// What the ranks below `size` add, if they are reached and all relevant.
double unseen_value(std::size_t size) {
    double sum = 0, reach = 1;
    for (std::size_t rank = size + 1; reach > 1e-18; ++rank, reach *= skip)
        sum += reach * top / static_cast<double>(rank);
    return sum;
}

class Enumeration {
public:
    explicit Enumeration(const Direction& direction)
        : direction_(direction), below_(unseen_value(direction.size())), gains_(direction.size() + 1) {
        set_gains();
        while (candidates_ < direction.bound.size() && direction.bound[candidates_].favoured <= deepest) ++candidates_;
    }

    // The best difference of the scores.
    double maximise() {
        extend(0, 0, 0, 1);
        std::vector<char> favoured = direction_.free, other(direction_.other_size + 1, 0);
        for (std::size_t i = 0; i < best_count_; ++i) {
            const Ranks& ranks = direction_.bound[best_[i]];
            favoured[ranks.favoured] = other[ranks.other] = 1;
        }
        return expected_reciprocal_rank(favoured, below_) - expected_reciprocal_rank(other, 0);
    }

private:
    using OtherRanks = std::array<std::uint32_t, most_chosen>;

    // What a document at a rank adds to the favoured list when no other bound document is relevant: it is found, and
    // what follows is reached less often.
    void set_gains() {
        std::vector<double> rest(direction_.size() + 1, below_);
        for (std::size_t rank = direction_.size(); rank >= 1; --rank)
            rest[rank - 1] = direction_.free[rank] ? top / static_cast<double>(rank) + skip * rest[rank] : rest[rank];
        double reach = 1;
        for (std::size_t rank = 1; rank <= direction_.size(); ++rank) {
            gains_[rank] = reach * top * (1.0 / static_cast<double>(rank) - rest[rank]);
            if (direction_.free[rank]) reach *= skip;
        }
    }

    // Adds each of the candidates from `first` on, in turn, to those already chosen, which stand above it in the
    // favoured list, and goes on from there. `reach` is the share of users that the chosen ones let pass, and `gain`
    // what they add to the favoured list.
    void extend(std::size_t first, std::size_t count, double gain, double reach) {
        const OtherRanks above = other_ranks_;
        for (std::size_t v = first; v < candidates_; ++v) {
            const Ranks& ranks = direction_.bound[v];
            other_ranks_ = above;
            insert(ranks.other, count);
            chosen_[count] = v;
            const double new_gain = gain + reach * gains_[ranks.favoured];
            const double value = new_gain - other_score(count + 1);
            if (value > best_value_) {
                best_value_ = value;
                best_ = chosen_;
                best_count_ = count + 1;
            }
            if (count + 1 < most_chosen) extend(v + 1, count + 1, new_gain, reach * skip);
        }
        other_ranks_ = above;
    }

    // Puts a rank into its place among the first `count`, which ascend.
    void insert(std::uint32_t rank, std::size_t count) {
        for (; count > 0 && other_ranks_[count - 1] > rank; --count) other_ranks_[count] = other_ranks_[count - 1];
        other_ranks_[count] = rank;
    }

    double other_score(std::size_t count) const {
        double sum = 0, reach = top;
        for (std::size_t i = 0; i < count; ++i, reach *= skip) sum += reach / other_ranks_[i];
        return sum;
    }

    const Direction& direction_;
    double below_;
    std::vector<double> gains_;
    std::size_t candidates_ = 0;
    OtherRanks other_ranks_{};
    std::array<std::size_t, most_chosen> chosen_{}, best_{};  // numbers of bound documents
    std::size_t best_count_ = 0;
    double best_value_ = 0;  // above that of no bound document at all
};

}  // namespace

double tabu_average_precision(const Matching& matching, std::size_t cutoff) {
    return larger_direction(matching,
                            [&](const Direction& direction) { return favour_by_tabu_search(direction, cutoff); });
}

double five_of_thirty(const Matching& matching) {
    return larger_direction(matching, [](const Direction& direction) { return Enumeration(direction).maximise(); });
}

}  // namespace medir
