// Judged values as grades, whatever they come from: whole numbers, shares of the highest grade, or declared levels.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lists/lists.hpp"

namespace medir {

// What is declared of judged values.
struct Grading {
    std::vector<std::pair<double, int>> levels;  // values and their grades; none: whole numbers or shares
    int max_grade = 0;                           // what shares are of; 0: unknown
    std::string remedy;                          // what to do about a value that has no grade
};

// Thrown where a value is a share and all were taken for whole numbers.
struct ShareFound {};

// Judgments whose values are grades: whole numbers from 0. A negative value that is no level counts as 0.
class GradedLists : public Lists {
public:
    enum class Scale { whole, shares, levels };

    static constexpr int highest_grade = 1000;

    GradedLists(std::shared_ptr<const Lists> source, Grading grading, Scale scale);

    std::size_t queries() const override { return source_->queries(); }
    std::string_view query(std::size_t number) const override { return source_->query(number); }
    std::uint32_t find(std::string_view id) const override { return source_->find(id); }
    void read(std::size_t query, std::vector<Entry>& entries) const override;
    bool has_numbers() const override { return source_->has_numbers(); }
    std::string_view intent(std::size_t query, const Entry& entry, std::size_t position) const override {
        return source_->intent(query, entry, position);
    }
    void check_source() const override { source_->check_source(); }
    InputError error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const override {
        return source_->error(query, entry, std::move(problem), std::move(remedy));
    }

    // Whether a value that was read was not its own grade.
    bool changed() const { return changed_.load(std::memory_order_relaxed); }

private:
    double grade(std::size_t query, const Entry& entry) const;
    double whole(std::size_t query, const Entry& entry) const;
    double share(std::size_t query, const Entry& entry) const;
    [[noreturn]] void fail(std::size_t query, const Entry& entry, const std::string& problem) const;

    std::shared_ptr<const Lists> source_;
    Grading grading_;
    Scale scale_;
    mutable std::atomic<bool> changed_{false};
};

}  // namespace medir
