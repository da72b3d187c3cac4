#include "drivers/chances.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/bytes.hpp"

namespace medir {

namespace {

constexpr double rounding_error = 1e-12;  // of a score
constexpr std::uint32_t nobody = 0xffffffff;

// A value or 0, without a branch that nothing could predict.
double choose(bool chosen, double value) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & -static_cast<std::uint64_t>(chosen));
}

// Brings the elements at these places, ascending, to where sorting would bring them.
void select(double* values, std::size_t first, std::size_t last, const std::size_t* place, const std::size_t* end) {
    if (place == end || last - first < 2) return;
    const std::size_t* middle = place + (end - place) / 2;
    std::nth_element(values + first, values + *middle, values + last);
    select(values, first, *middle, place, middle);
    const std::size_t* next = std::upper_bound(middle, end, *middle);
    select(values, *middle + 1, last, next, end);
}

}  // namespace

Chances::Chances(const Sampling& sampling) : sampling_(sampling), quantiles_(sampling.order.size()) {}

Estimate Chances::estimate(const Lottery& lottery, const Multilinear& measure, Sum* sums) {
    set_up(lottery, measure);
    Estimate estimate{};
    for (std::size_t p = 0; p < count_; ++p) estimate.expected += expected(parts_[p], lottery);
    estimate.expected /= static_cast<double>(count_);
    if (unknowns_ <= few)
        enumerate(lottery, estimate, sums);
    else
        sample(lottery, estimate, sums);
    estimate.quantiles = quantiles_.data();
    return estimate;
}

void Chances::set_up(const Lottery& lottery, const Multilinear& measure) {
    measure_ = &measure;
    norm_ = measure.norm(*lottery.matching);
    const std::size_t documents = lottery.chances.size();
    matters_.assign(documents, 0);
    if (norm_ != 0 && lottery.before != lottery.after)
        for (const auto* list : {&lottery.before, &lottery.after})
            for (const std::uint32_t d : *list) matters_[d] = 1;
    if (measure.weights() != nullptr) weigh(lottery);
    row_of_.assign(documents, nobody);
    count_ = std::max<std::size_t>(measure.intents(*lottery.matching), 1);
    if (parts_.size() < count_) parts_.resize(count_);
    unknowns_ = 0;
    for (std::size_t p = 0; p < count_; ++p) {
        set_up(parts_[p], lottery, p);
        unknowns_ += parts_[p].unknowns.size();
    }
}

// (d_n - d_m) / N of each document at rank n after and m before the change.
void Chances::weigh(const Lottery& lottery) {
    const std::vector<double>& by_rank = *measure_->weights();
    weights_.assign(lottery.chances.size(), 0.0);
    const auto add = [&](const std::vector<std::uint32_t>& list, double sign) {
        for (std::size_t i = 0; i < list.size() && i + 1 < by_rank.size(); ++i)
            weights_[list[i]] += sign * by_rank[i + 1];
    };
    add(lottery.before, -1);
    add(lottery.after, 1);
    for (std::size_t d = 0; d < weights_.size(); ++d) {
        weights_[d] = norm_ == 0 ? 0 : weights_[d] / norm_;
        if (weights_[d] == 0) matters_[d] = 0;
    }
}

void Chances::set_up(Part& part, const Lottery& lottery, std::size_t intent) const {
    const Matching& matching = *lottery.matching;
    const bool by_intent = measure_->intents(matching) != 0;
    const double top = measure_->top();
    part.fixed.assign(lottery.chances.size(), 0.0);
    part.unknowns.clear();
    part.known = 0;
    for (std::uint32_t d = 0; d < lottery.chances.size(); ++d) {
        std::int32_t grade = Document::unjudged;
        if (d < matching.documents().size())
            grade = by_intent ? matching.grade(intent, d) : matching.documents()[d].grade;
        const auto [probability, key] = lottery.chances[d];
        if (grade != Document::unjudged) {
            part.fixed[d] = measure_->value(grade);
        } else if (probability >= 1) {
            part.fixed[d] = top;
        } else if (probability > 0 && matters_[d]) {
            part.unknowns.push_back({d, probability, measure_->weights() == nullptr ? 0.0 : weights_[d],
                                     mix_hash(key, intent), static_cast<std::uint64_t>(std::ldexp(probability, 64))});
        }
        if (measure_->weights() != nullptr) part.known += weights_[d] * part.fixed[d];
    }
}

double Chances::expected(const Part& part, const Lottery& lottery) {
    const double top = measure_->top();
    rows_.resize(std::max<std::size_t>(rows_.size(), part.unknowns.size()));
    for (std::size_t k = 0; k < part.unknowns.size(); ++k) rows_[k] = top * part.unknowns[k].probability;
    double difference = 0;
    if (measure_->weights() != nullptr)
        by_weight(part, rows_.data(), 1, 1, &difference);
    else
        by_rank(part, lottery, rows_.data(), 1, 1, &difference);
    return difference;
}

double Chances::variance(const Part& part) const {
    double sum = 0;
    for (const Unknown& unknown : part.unknowns) {
        const double step = unknown.weight * measure_->top();
        sum += step * step * unknown.probability * (1 - unknown.probability);
    }
    return sum;
}

double Chances::by_weight(const Part& part, const double* rows, std::size_t stride, std::size_t count,
                          double* differences) {
    double scale = 0;
    for (std::size_t d = 0; d < part.fixed.size(); ++d) scale += std::abs(weights_[d] * part.fixed[d]);
    std::fill_n(differences, count, part.known);
    for (std::size_t k = 0; k < part.unknowns.size(); ++k) {
        const double weight = part.unknowns[k].weight;
        const double* row = rows + k * stride;
        for (std::size_t i = 0; i < count; ++i) differences[i] += weight * row[i];
        scale += std::abs(weight) * measure_->top();
    }
    return scale;
}

// A row of one value.
const double* Chances::constant(double value) {
    if (value == 0) return nullptr;
    for (const auto& [known, row] : constants_)
        if (known == value) return row.data();
    return constants_.emplace_back(value, std::vector<double>(std::size_t{1} << few, value)).second.data();
}

double Chances::by_rank(const Part& part, const Lottery& lottery, const double* rows, std::size_t stride,
                        std::size_t count, double* differences) {
    if (norm_ == 0) {
        std::fill_n(differences, count, 0.0);
        return 0;
    }
    for (std::uint32_t k = 0; k < part.unknowns.size(); ++k) row_of_[part.unknowns[k].document] = k;
    const auto lay_out = [&](const std::vector<std::uint32_t>& list, RankColumns& ranks) {
        ranks.resize(list.size());
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::uint32_t row = row_of_[list[i]];
            ranks[i] = row == nobody ? constant(part.fixed[list[i]]) : rows + row * stride;
        }
    };
    lay_out(lottery.before, first_);
    lay_out(lottery.after, second_);
    for (const Unknown& unknown : part.unknowns) row_of_[unknown.document] = nobody;
    before_.resize(std::max(before_.size(), count));
    after_.resize(before_.size());
    measure_->sums(first_, count, before_.data(), scratch_);
    measure_->sums(second_, count, after_.data(), scratch_);
    double scale = 0;
    for (std::size_t i = 0; i < count; ++i) {
        differences[i] = (after_[i] - before_[i]) / norm_;
        scale = std::max(scale, std::max(before_[i], after_[i]));
    }
    return scale / norm_;
}

double Chances::evaluate(const Lottery& lottery, const double* rows, std::size_t stride, std::size_t count,
                         double* differences) {
    const auto parts = static_cast<double>(count_);
    double scale = 0;
    std::fill_n(differences, count, 0.0);
    cases_.resize(std::max(cases_.size(), count));
    for (std::size_t p = 0; p < count_; ++p) {
        const Part& part = parts_[p];
        scale += measure_->weights() != nullptr ? by_weight(part, rows, stride, count, cases_.data())
                                                : by_rank(part, lottery, rows, stride, count, cases_.data());
        for (std::size_t i = 0; i < count; ++i) differences[i] += cases_[i] / parts;
        rows += part.unknowns.size() * stride;
    }
    return rounding_error * scale / parts;
}

void Chances::round(double rounding) {
    for (double& difference : differences_)
        if (std::abs(difference) <= rounding) difference = 0;
}

// Every difference that there can be, with its probability.
void Chances::enumerate(const Lottery& lottery, Estimate& estimate, Sum* sums) {
    const std::size_t cases = std::size_t{1} << unknowns_;
    const double top = measure_->top();
    std::vector<double> shares(cases, 1.0);
    std::vector<const Unknown*> unknowns;
    rows_.resize(std::max(rows_.size(), unknowns_ * cases));
    for (std::size_t p = 0; p < count_; ++p)
        for (const Unknown& unknown : parts_[p].unknowns) {
            const std::size_t k = unknowns.size();
            for (std::size_t i = 0; i < cases; ++i) {
                const bool relevant = (i >> k) & 1;
                rows_[k * cases + i] = relevant ? top : 0.0;
                shares[i] *= relevant ? unknown.probability : 1 - unknown.probability;
            }
            unknowns.push_back(&unknown);
        }
    differences_.resize(cases);
    estimate.rounding = evaluate(lottery, rows_.data(), cases, cases, differences_.data());
    for (std::size_t s = 0; s < sampling_.samples; ++s) {
        std::size_t which = 0;
        for (std::size_t k = 0; k < unknowns.size(); ++k)
            which |= static_cast<std::size_t>(unknowns[k]->relevant(s)) << k;
        sums[s].add(differences_[which]);
    }
    for (std::size_t i = 0; i < cases; ++i) {
        const double off = differences_[i] - estimate.expected;
        estimate.variance += shares[i] * off * off;
    }
    round(estimate.rounding);
    for (std::size_t i = 0; i < cases; ++i) {
        const double difference = differences_[i];
        (difference > 0 ? estimate.helps : difference < 0 ? estimate.hurts : estimate.equal) += shares[i];
    }
    for (double* outcome : {&estimate.helps, &estimate.hurts, &estimate.equal}) *outcome = std::min(*outcome, 1.0);
    ascending_.resize(cases);
    std::iota(ascending_.begin(), ascending_.end(), 0u);
    std::stable_sort(ascending_.begin(), ascending_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return differences_[a] < differences_[b]; });
    std::size_t place = 0;
    double up_to = shares[ascending_[0]];
    for (std::size_t q = 0; q < sampling_.levels.size(); ++q) {
        while (up_to < sampling_.levels[q] - rounding_error && place + 1 < cases) up_to += shares[ascending_[++place]];
        std::fill_n(quantiles_.begin() + static_cast<std::ptrdiff_t>(3 * q), 3, differences_[ascending_[place]]);
    }
}

// Differences of independent assignments.
void Chances::sample(const Lottery& lottery, Estimate& estimate, Sum* sums) {
    const std::size_t samples = sampling_.samples;
    const double top = measure_->top();
    rows_.resize(std::max(rows_.size(), unknowns_ * at_once));
    differences_.resize(samples);
    for (std::size_t first = 0; first < samples; first += at_once) {
        const std::size_t count = std::min(at_once, samples - first);
        double* row = rows_.data();
        for (std::size_t p = 0; p < count_; ++p)
            for (const Unknown& unknown : parts_[p].unknowns) {
                for (std::size_t i = 0; i < count; ++i) row[i] = choose(unknown.relevant(first + i), top);
                row += at_once;
            }
        const double rounding = evaluate(lottery, rows_.data(), at_once, count, differences_.data() + first);
        estimate.rounding = std::max(estimate.rounding, rounding);
    }
    const auto n = static_cast<double>(samples);
    estimate.samples = n;
    double squares = 0, fourths = 0;
    for (std::size_t s = 0; s < samples; ++s) {
        sums[s].add(differences_[s]);
        const double off = differences_[s] - estimate.expected, square = off * off;
        squares += square;
        fourths += square * square;
    }
    if (measure_->weights() != nullptr) {
        for (std::size_t p = 0; p < count_; ++p) estimate.variance += variance(parts_[p]);
        estimate.variance /= static_cast<double>(count_ * count_);
    } else {
        estimate.variance = squares / n;
        const double spread = fourths / n - estimate.variance * estimate.variance;
        estimate.variance_error = std::sqrt(std::max(spread, 0.0) / n);
    }
    round(estimate.rounding);
    std::size_t above = 0, below = 0;
    for (const double difference : differences_) {
        above += difference > 0;
        below += difference < 0;
    }
    estimate.helps = static_cast<double>(above) / n;
    estimate.hurts = static_cast<double>(below) / n;
    estimate.equal = static_cast<double>(samples - above - below) / n;
    std::vector<std::size_t> places(sampling_.order.begin(), sampling_.order.end());
    for (std::size_t& place : places) --place;
    std::sort(places.begin(), places.end());
    select(differences_.data(), 0, samples, places.data(), places.data() + places.size());
    for (std::size_t q = 0; q < quantiles_.size(); ++q) quantiles_[q] = differences_[sampling_.order[q] - 1];
}

}  // namespace medir
