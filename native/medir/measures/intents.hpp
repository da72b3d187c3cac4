// Measures of novelty and diversity: the mean, over the intents of a query, of a measure of one intent.
//
// A document may be relevant to any of the intents, whatever it is to the others. So each intent is a problem of its
// own; those without judgments are all the same problem.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "measures/multilinear.hpp"

namespace medir {

class IntentAware : public Multilinear {
public:
    // A query has at least `intents`; more where more are judged.
    IntentAware(std::shared_ptr<const Multilinear> one, std::size_t intents)
        : one_(std::move(one)), intents_(intents) {}

    // `relevance` is by intent, then by document: the judged intents, then the others.
    std::unique_ptr<Workspace> workspace() const override { return one_->workspace(); }
    Bounds favour(const Matching& matching, const Side& favoured, const Side& other, std::vector<double>* relevance,
                  Workspace& workspace) const override;
    double score(const Matching& matching) const override;
    bool by_intent() const override { return true; }
    bool at_once() const override { return one_->at_once(); }

    // For one intent.
    double value(std::int32_t grade) const override { return one_->value(grade); }
    double top() const override { return one_->top(); }
    double norm(const Matching& matching) const override { return one_->norm(matching); }
    void sums(const RankColumns& ranks, std::size_t many, double* sums, std::vector<double>& scratch) const override {
        one_->sums(ranks, many, sums, scratch);
    }
    const std::vector<double>* weights() const override { return one_->weights(); }
    std::size_t intents(const Matching& matching) const override { return count(matching); }

private:
    std::size_t count(const Matching& matching) const { return std::max(intents_, matching.intents().size()); }

    std::shared_ptr<const Multilinear> one_;
    std::size_t intents_;
};

}  // namespace medir
