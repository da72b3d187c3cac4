// Measures that look as deep as the lists, such as trec_eval's map: there is nothing below, whatever `unseen` says.
#pragma once

#include <memory>
#include <utility>

#include "measures/multilinear.hpp"

namespace medir {

class WithinLists : public Multilinear {
public:
    explicit WithinLists(std::shared_ptr<const Multilinear> one) : one_(std::move(one)) {}

    std::unique_ptr<Workspace> workspace() const override { return one_->workspace(); }
    Bounds favour(const Matching& matching, const Side& favoured, const Side& other, std::vector<double>* relevance,
                  Workspace& workspace) const override {
        const auto ended = [](Side side) {
            side.cut = false;
            return side;
        };
        return one_->favour(matching, ended(favoured), ended(other), relevance, workspace);
    }
    bool looks_below() const override { return false; }
    bool unseen_may_count(const Side&) const override { return false; }
    bool at_once() const override { return one_->at_once(); }
    double score(const Matching& matching) const override { return one_->score(matching); }

    double value(std::int32_t grade) const override { return one_->value(grade); }
    double top() const override { return one_->top(); }
    double norm(const Matching& matching) const override { return one_->norm(matching); }
    void sums(const RankColumns& ranks, std::size_t count, double* sums, std::vector<double>& scratch) const override {
        one_->sums(ranks, count, sums, scratch);
    }
    const std::vector<double>* weights() const override { return one_->weights(); }

private:
    std::shared_ptr<const Multilinear> one_;
};

}  // namespace medir
