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

Pairing::Pairs::const_iterator Pairing::only_after_begin() const {
    return std::partition_point(pairs_.begin(), pairs_.end(),
                                [](const Pair& pair) { return pair.before != ByteIndex::none; });
}

// Queries of `before` come first. These stand in its order, those of `after` alone in its order, also where some are
// left out; or both by id.
std::size_t Pairing::find(std::string_view query) const {
    const std::uint32_t before = before_->find(query), after = after_->find(query);
    const bool of_before = before != ByteIndex::none;
    const auto middle = only_after_begin();
    const auto first = of_before ? pairs_.begin() : middle, last = of_before ? middle : pairs_.end();
    const auto found = std::partition_point(first, last, [&](const Pair& pair) {
        if (of_before) return sorted_ ? before_->query(pair.before) < query : pair.before < before;
        return sorted_ ? after_->query(pair.after) < query : pair.after < after;
    });
    const auto position = static_cast<std::size_t>(found - pairs_.begin());
    return position < size() && this->query(position) == query ? position : size();
}

void Pairing::keep_common() {
    std::erase_if(pairs_,
                  [](const Pair& pair) { return pair.before == ByteIndex::none || pair.after == ByteIndex::none; });
}

void Pairing::sort() {
    const auto middle = pairs_.begin() + (only_after_begin() - pairs_.cbegin());
    std::sort(pairs_.begin(), middle, [&](const Pair& one, const Pair& other) {
        return before_->query(one.before) < before_->query(other.before);
    });
    std::sort(middle, pairs_.end(), [&](const Pair& one, const Pair& other) {
        return after_->query(one.after) < after_->query(other.after);
    });
    sorted_ = true;
}

Pairing Pairing::take_only_after() {
    const auto middle = only_after_begin();
    Pairing taken;
    taken.before_ = before_;
    taken.after_ = after_;
    taken.sorted_ = sorted_;
    taken.pairs_.assign(middle, pairs_.cend());
    taken.only_after_ = taken.pairs_.size();
    pairs_.erase(middle, pairs_.cend());
    only_after_ = 0;
    return taken;
}

}  // namespace medir
