#include "lists/grading.hpp"

#include <cmath>

#include "platform/portable.hpp"

namespace medir {

namespace {

constexpr double rounding = 1e-9;

// Equal but for rounding, also where one of them was kept in single precision.
bool same_value(double one, double other) {
    return std::abs(one - other) <= rounding || static_cast<float>(one) == static_cast<float>(other);
}

std::string text_of(double value) {
    char digits[32];
    return {digits, to_chars(digits, digits + sizeof digits, value).ptr};
}

}  // namespace

GradedLists::GradedLists(std::shared_ptr<const Lists> source, Grading grading, Scale scale)
    : source_(std::move(source)), grading_(std::move(grading)), scale_(scale) {
    lengths_ = source_->lengths();
}

void GradedLists::read(std::size_t query, std::vector<Entry>& entries) const {
    source_->read(query, entries);
    bool changed = false;
    for (Entry& entry : entries) {
        const double value = entry.value;
        // The plain case first.
        if (scale_ == Scale::whole && value >= 0 && value <= highest_grade && value == std::trunc(value)) continue;
        entry.value = grade(query, entry);
        changed = true;
    }
    if (changed) changed_.store(true, std::memory_order_relaxed);
}

double GradedLists::grade(std::size_t query, const Entry& entry) const {
    const double value = entry.value;
    if (!std::isfinite(value)) fail(query, entry, "is not a number");
    for (const auto& [level, grade] : grading_.levels)
        if (same_value(value, level)) return grade;
    if (value < 0) return 0;
    if (scale_ == Scale::levels) fail(query, entry, "is none of the declared levels");
    return scale_ == Scale::whole ? whole(query, entry) : share(query, entry);
}

double GradedLists::whole(std::size_t query, const Entry& entry) const {
    const double nearest = std::round(entry.value);
    if (std::abs(entry.value - nearest) > rounding) {
        if (grading_.max_grade > 0) throw ShareFound();
        fail(query, entry, "is a fraction");
    }
    if (nearest > highest_grade) fail(query, entry, "is above " + std::to_string(highest_grade));
    return nearest;
}

double GradedLists::share(std::size_t query, const Entry& entry) const {
    const std::string highest = "max_grade=" + std::to_string(grading_.max_grade);
    if (entry.value > 1 + rounding)
        fail(query, entry, "is above 1, and there are fractions, which are shares of " + highest);
    const double scaled = entry.value * grading_.max_grade, nearest = std::round(scaled);
    if (!same_value(entry.value, nearest / grading_.max_grade))
        fail(query, entry, "is no whole grade: as a share of " + highest + " it is " + text_of(scaled));
    return nearest;
}

void GradedLists::fail(std::size_t query, const Entry& entry, const std::string& problem) const {
    throw error(query, entry, "the grade " + text_of(entry.value) + " " + problem, grading_.remedy);
}

}  // namespace medir
