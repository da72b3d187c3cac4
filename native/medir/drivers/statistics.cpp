#include "drivers/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace medir {

namespace {

// Some queries, one behind the other.
struct Block {
    const double* values;
    const double* weights;  // null where every query counts once
    std::size_t size;

    double weight(std::size_t i) const { return weights == nullptr ? 1 : weights[i]; }
};

// A column as blocks: parts of it as they are, or copied to where they are soon used again.
class Blocks {
public:
    explicit Blocks(const QueryValues& column) : column_(column) {}

    // The block of the queries from `first` on, until another one is asked for.
    Block from(std::size_t first) {
        const std::size_t size = std::min(most, column_.size - first);
        const double* const values = part_of(column_.values, first, size, values_);
        const double* const weights = part_of(column_.weights, first, size, weights_);
        if (column_.gaps == nullptr) return {values, weights, size};
        const double* const gaps = part_of(column_.gaps, first, size, gaps_);
        for (std::size_t i = 0; i < size; ++i) values_[i] = values[i] + gaps[i];
        return {values_.data(), weights, size};
    }
    template <class Visit>
    static void each(const QueryValues& column, Visit visit) {
        Blocks blocks(column);
        for (std::size_t first = 0; first < column.size; first += most) visit(blocks.from(first));
    }

    static constexpr std::size_t most = 512;

private:
    const double* part_of(const double* all, std::size_t first, std::size_t size,
                          std::array<double, most>& room) const {
        if (all == nullptr) return nullptr;
        if (column_.rows == nullptr) return all + first;
        for (std::size_t i = 0; i < size; ++i) room[i] = all[column_.rows[first + i]];
        return room.data();
    }

    const QueryValues& column_;
    std::array<double, most> values_, gaps_, weights_;
};

// Calls visit(value, weight) for each query.
template <class Visit>
void each(const QueryValues& column, Visit visit) {
    Blocks::each(column, [&](const Block& block) {
        for (std::size_t i = 0; i < block.size; ++i) visit(block.values[i], block.weight(i));
    });
}

// The weights of some queries: of those that a function of their values marks.
class SomeWeights {
public:
    template <class IsMarked>
    void add(const Block& block, IsMarked is_marked) {
        std::uint64_t queries = 0;
        for (std::size_t i = 0; i < block.size; ++i) queries += is_marked(i) ? 1u : 0u;
        queries_ += queries;
        if (block.weights == nullptr || queries == 0) return;
        std::array<double, Blocks::most> weights;
        for (std::size_t i = 0; i < block.size; ++i) weights[i] = is_marked(i) ? block.weights[i] : 0.0;
        sum_.add(weights.data(), nullptr, block.size);
    }
    Share share(bool weighted) const { return {queries_, weighted ? sum_.value() : static_cast<double>(queries_)}; }

private:
    std::size_t queries_ = 0;
    SumInParts sum_;
};

// As a number that has the same order.
std::uint64_t in_order(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // there is one zero
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    return (bits & sign) != 0 ? ~bits : bits | sign;
}

// The values of queries that begin with the same bits.
class Bucket {
public:
    void add(double value, double weight) { values_.emplace_back(value, weight); }
    // The least value such that it and those below weigh as much.
    double quantile(double wanted) {
        auto from = values_.begin(), to = values_.end();
        while (to - from > few) {
            const auto middle = from + (to - from) / 2;
            std::nth_element(from, middle, to);
            const double below = weight_of(from, middle);
            if (below >= wanted) {
                to = middle;
            } else {
                wanted -= below;
                from = middle;
            }
        }
        std::sort(from, to);
        for (; to - from > 1 && from->second < wanted; ++from) wanted -= from->second;
        return from->first;
    }

private:
    static constexpr std::ptrdiff_t few = 32;

    template <class Place>
    static double weight_of(Place from, Place to) {
        return std::accumulate(from, to, 0.0, [](double sum, const auto& other) { return sum + other.second; });
    }

    std::vector<std::pair<double, double>> values_;  // and weights
};

// Where values that begin with the same bits are, in their order.
constexpr int place_bits = 16;
constexpr std::size_t places = std::size_t{1} << place_bits;
std::size_t place_of(double value) { return static_cast<std::size_t>(in_order(value) >> (64 - place_bits)); }

// The buckets of some places.
class Buckets {
public:
    void want(std::size_t place) {
        if (numbers_[place] != 0) return;
        buckets_.emplace_back();
        numbers_[place] = static_cast<std::uint32_t>(buckets_.size());
    }
    bool want_zeros() const { return numbers_[place_of(0)] != 0; }
    void forget_zeros() { numbers_[place_of(0)] = 0; }
    void fill(const QueryValues& column) {
        if (std::none_of(numbers_.begin(), numbers_.end(), [](std::uint32_t number) { return number != 0; })) return;
        each(column, [&](double value, double weight) {
            const std::uint32_t number = numbers_[place_of(value)];
            if (number != 0 && weight > 0) buckets_[number - 1].add(value, weight);
        });
    }
    Bucket& operator[](std::size_t place) { return buckets_[numbers_[place] - 1]; }

private:
    std::vector<Bucket> buckets_;
    std::vector<std::uint32_t> numbers_ = std::vector<std::uint32_t>(places);  // by place, from 1; 0 for none
};

// Whether a value is so small that it begins as 0 does.
bool has_tiny(const QueryValues& column) {
    bool is_tiny = false;
    each(column, [&](double value, double) {
        is_tiny |= (value != 0) & (std::abs(value) < std::numeric_limits<double>::min());
    });
    return is_tiny;
}

}  // namespace

Sum weighted_sum(const QueryValues& column) {
    SumInParts sum;
    Blocks::each(column, [&](const Block& block) { sum.add(block.values, block.weights, block.size); });
    return sum.all();
}

Extremes extremes(const QueryValues& column) {
    constexpr std::size_t lanes = 8;  // a comparison waits for the one before
    std::array<double, lanes> least, greatest;
    least.fill(std::numeric_limits<double>::infinity());
    greatest.fill(-std::numeric_limits<double>::infinity());
    const auto add = [&](std::size_t lane, double value) {
        least[lane] = value < least[lane] ? value : least[lane];
        greatest[lane] = value > greatest[lane] ? value : greatest[lane];
    };
    Blocks::each(column, [&](const Block& block) {
        std::size_t i = 0;
        if (block.weights == nullptr)
            for (; i + lanes <= block.size; i += lanes)
                for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, block.values[i + lane]);
        for (; i < block.size; ++i)
            if (block.weight(i) > 0) add(i % lanes, block.values[i]);
    });
    return {*std::min_element(least.begin(), least.end()), *std::max_element(greatest.begin(), greatest.end())};
}

double influence(const QueryValues& column, double sum, double rest, double weight) {
    const double rounded = sum / weight;
    const double center = rounded + (std::fma(-rounded, weight, sum) + rest) / weight;
    const auto number = static_cast<double>(column.size);
    const auto factor = [&](double own, double all) {
        const double ratio = own / std::max(all - own, all * std::numeric_limits<double>::epsilon());
        return ratio * ratio * ((number - 1) / number);
    };
    const double factor_of_one = factor(1, number);
    SumInParts total;
    std::array<double, Blocks::most> squares, factors;
    Blocks::each(column, [&](const Block& block) {
        for (std::size_t i = 0; i < block.size; ++i)
            squares[i] = (block.values[i] - center) * (block.values[i] - center);
        if (block.weights == nullptr) return total.add_scaled(squares.data(), factor_of_one, block.size);
        for (std::size_t i = 0; i < block.size; ++i) factors[i] = factor(block.weights[i], weight);
        total.add(squares.data(), factors.data(), block.size);
    });
    return total.value();
}

std::vector<double> quantiles(const QueryValues& column, std::span<const double> wanted) {
    std::vector<double> reached(places);
    each(column, [&](double value, double weight) { reached[place_of(value)] += weight; });
    std::size_t last = 0;  // where any value is
    double below = 0;
    for (std::size_t place = 0; place < places; ++place) {
        if (reached[place] > 0) last = place;
        below = reached[place] += below;
    }
    const auto place_reached = [&](double weight) {
        constexpr double any = std::numeric_limits<double>::denorm_min();
        const auto found = std::lower_bound(reached.begin(), reached.end(), std::max(weight, any));
        return std::min(last, static_cast<std::size_t>(found - reached.begin()));
    };
    Buckets buckets;
    for (const double weight : wanted) buckets.want(place_reached(weight));
    // Many queries do not change: their zeros need not be looked through, unless tiny values are among them.
    const bool only_zeros = buckets.want_zeros() && !has_tiny(column);
    if (only_zeros) buckets.forget_zeros();
    buckets.fill(column);
    std::vector<double> values;
    for (const double weight : wanted) {
        const std::size_t place = place_reached(weight);
        const double under = place == 0 ? 0 : reached[place - 1];
        values.push_back(only_zeros && place == place_of(0) ? 0 : buckets[place].quantile(weight - under));
    }
    return values;
}

Share share_above(const QueryValues& column, double limit) {
    SomeWeights above;
    Blocks::each(column,
                 [&](const Block& block) { above.add(block, [&](std::size_t i) { return block.values[i] > limit; }); });
    return above.share(column.weights != nullptr);
}

std::vector<double> histogram(const QueryValues& column, std::span<const double> inner_edges) {
    std::vector<double> bins(inner_edges.size() + 1);
    if (column.weights == nullptr) {
        std::vector<SomeWeights> reached(inner_edges.size());
        Blocks::each(column, [&](const Block& block) {
            for (std::size_t edge = 0; edge < reached.size(); ++edge)
                reached[edge].add(block, [&, at = inner_edges[edge]](std::size_t i) { return block.values[i] >= at; });
        });
        double before = static_cast<double>(column.size);
        for (std::size_t edge = 0; edge < reached.size(); ++edge) {
            const double beyond = reached[edge].share(false).weight;
            bins[edge] = before - beyond;
            before = beyond;
        }
        bins.back() = before;
        return bins;
    }
    std::array<std::uint64_t, Blocks::most> bin_of;
    Blocks::each(column, [&](const Block& block) {
        std::fill_n(bin_of.begin(), block.size, 0u);
        for (const double edge : inner_edges)
            for (std::size_t i = 0; i < block.size; ++i) bin_of[i] += block.values[i] >= edge;
        for (std::size_t i = 0; i < block.size; ++i) bins[bin_of[i]] += block.weights[i];
    });
    return bins;
}

std::array<Share, 4> effects(const QueryValues& gains, const QueryValues& losses, double limit) {
    std::array<SomeWeights, 4> found;
    Blocks of_gains(gains), of_losses(losses);
    for (std::size_t first = 0; first < gains.size; first += Blocks::most) {
        const Block gain = of_gains.from(first), loss = of_losses.from(first);
        // In bits, without a branch: nobody could predict it.
        const auto effect = [&](std::size_t i) {
            return int{gain.values[i] > limit} | int{loss.values[i] > limit} << 1;
        };
        found[0].add(gain, [&](std::size_t i) { return effect(i) == 0; });
        found[1].add(gain, [&](std::size_t i) { return effect(i) == 1; });
        found[2].add(gain, [&](std::size_t i) { return effect(i) == 2; });
        found[3].add(gain, [&](std::size_t i) { return effect(i) == 3; });
    }
    std::array<Share, 4> shares;
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = found[i].share(gains.weights != nullptr);
    return shares;
}

std::vector<std::int64_t> furthest(const double* values, const bool* marked, std::size_t size, std::size_t count,
                                   bool greatest) {
    using Found = std::pair<double, std::int64_t>;  // how near to the other end, and the row
    std::vector<Found> heap;                        // the last of those that are kept on top
    const double sign = greatest ? -1 : 1;
    double last = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < size && count > 0; ++i) {
        const double value = sign * values[i];
        if (!(value < last) || !marked[i] || !std::isfinite(value)) continue;
        if (heap.size() == count) {
            std::pop_heap(heap.begin(), heap.end());
            heap.pop_back();
        }
        heap.emplace_back(value, static_cast<std::int64_t>(i));
        std::push_heap(heap.begin(), heap.end());
        if (heap.size() == count) last = heap.front().first;
    }
    std::sort_heap(heap.begin(), heap.end());
    std::vector<std::int64_t> rows;
    for (const Found& found : heap) rows.push_back(found.second);
    return rows;
}

}  // namespace medir
