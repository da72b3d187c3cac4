#include "pairs/pool.hpp"

#include <algorithm>

namespace medir {

Pool::Pool(std::vector<std::shared_ptr<const Lists>> runs) : runs_(std::move(runs)) {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
        for (std::uint32_t number = 0; number < runs_[r]->queries(); ++number) {
            const std::string_view id = runs_[r]->query(number);
            // Runs mostly have the same queries in the same order: look there first, then in the index.
            const auto in_run = [&](const Lists& run) {
                return number < run.queries() && run.query(number) == id ? number : run.find(id);
            };
            const auto known = [&](const auto& run) { return in_run(*run) != ByteIndex::none; };
            const auto here = runs_.begin() + static_cast<std::ptrdiff_t>(r);
            if (std::any_of(runs_.begin(), here, known)) continue;
            for (const auto& run : runs_) queries_.push_back(in_run(*run));
        }
    }
}

std::string_view Pool::query(std::size_t i) const {
    std::size_t r = 0;
    while (number(i, r) == ByteIndex::none) ++r;
    return runs_[r]->query(number(i, r));
}

bool Pool::has_numbers() const {
    return std::any_of(runs_.begin(), runs_.end(), [](const auto& run) { return run->has_numbers(); });
}

bool Pool::in_all(std::size_t i) const {
    const auto first = queries_.begin() + static_cast<std::ptrdiff_t>(i * runs_.size());
    return std::find(first, first + static_cast<std::ptrdiff_t>(runs_.size()), ByteIndex::none) ==
           first + static_cast<std::ptrdiff_t>(runs_.size());
}

void Pool::keep_common() {
    std::vector<std::uint32_t> common;
    for (std::size_t i = 0; i < size(); ++i)
        if (in_all(i))
            for (std::size_t r = 0; r < runs_.size(); ++r) common.push_back(number(i, r));
    queries_ = std::move(common);
}

}  // namespace medir
