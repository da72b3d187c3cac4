#include "pairs/pairing.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"

namespace medir {

Pairing::Pairing(std::shared_ptr<const Lists> before, std::shared_ptr<const Lists> after, int threads)
    : before_(std::move(before)), after_(std::move(after)) {
    const auto before_count = static_cast<std::uint32_t>(before_->queries());
    const auto after_count = static_cast<std::uint32_t>(after_->queries());
    pairs_.resize(before_count);
    // Both runs mostly have the same queries in the same order: look there first, then in the index.
    std::vector<std::uint32_t> partner(after_count);
    parallel_blocks(after_count, 4096, threads, nullptr, [&](std::size_t first, std::size_t last, int) {
        for (std::size_t j = first; j < last; ++j) {
            const std::string_view id = after_->query(j);
            const bool in_order = j < before_count && before_->query(j) == id;
            partner[j] = in_order ? static_cast<std::uint32_t>(j) : before_->find(id);
        }
    });
    for (std::uint32_t i = 0; i < before_count; ++i) pairs_[i] = {i, ByteIndex::none};
    for (std::uint32_t j = 0; j < after_count; ++j) {
        if (partner[j] == ByteIndex::none)
            pairs_.push_back({ByteIndex::none, j});
        else
            pairs_[partner[j]].after = j;
    }
    only_after_ = pairs_.size() - before_count;
    only_before_ = pairs_.size() - after_count;
}

// Queries stand in the order of `before`, then in that of `after`, also where some are left out.
std::size_t Pairing::find(std::string_view query) const {
    const std::uint32_t number = before_->find(query);
    const auto found = number != ByteIndex::none
                           ? std::lower_bound(pairs_.begin(), pairs_.end(), number,
                                              [](const Pair& pair, std::uint32_t n) { return pair.before < n; })
                           : std::lower_bound(pairs_.begin(), pairs_.end(), after_->find(query),
                                              [](const Pair& pair, std::uint32_t n) {
                                                  return pair.before != ByteIndex::none || pair.after < n;
                                              });
    const auto position = static_cast<std::size_t>(found - pairs_.begin());
    return position < size() && this->query(position) == query ? position : size();
}

void Pairing::keep_common() {
    std::erase_if(pairs_,
                  [](const Pair& pair) { return pair.before == ByteIndex::none || pair.after == ByteIndex::none; });
}

}  // namespace medir
