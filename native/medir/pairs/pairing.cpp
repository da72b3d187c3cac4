#include "pairs/pairing.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/parallel.hpp"

namespace medir {

Pairing::Pairing(std::shared_ptr<const Lists> before, std::shared_ptr<const Lists> after, int threads)
    : before_(std::move(before)), after_(std::move(after)) {
    const auto before_count = static_cast<std::uint32_t>(before_->queries());
    const auto after_count = static_cast<std::uint32_t>(after_->queries());
    const std::uint32_t both = std::min(before_count, after_count);
    pairs_.resize(before_count);
    // Both runs mostly have the same queries in the same order, which may be known.
    const void* const same = before_->same_queries();
    const bool is_known = same != nullptr && same == after_->same_queries();
    std::atomic<bool> all_in_order = before_count == after_count;
    parallel_blocks(before_count, 4096, threads, nullptr, [&](std::size_t first, std::size_t last, int) {
        bool in_order = true;
        for (auto i = static_cast<std::uint32_t>(first); i < last; ++i) {
            const bool here = is_known || (i < both && same_id(before_->query(i), after_->query(i)));
            pairs_[i] = {i, here ? i : ByteIndex::none};
            in_order = in_order && here;
        }
        if (!in_order) all_in_order = false;
    });
    if (!all_in_order) look_up_others(threads);
    only_after_ = pairs_.size() - before_count;
    only_before_ = pairs_.size() - after_count;
}

// Finds the queries of `after` that `before` does not have at the same place.
void Pairing::look_up_others(int threads) {
    const std::size_t before_count = pairs_.size();
    const auto after_count = static_cast<std::uint32_t>(after_->queries());
    const auto in_order = [&](std::size_t j) { return j < before_count && pairs_[j].after == j; };
    std::vector<std::uint32_t> partner(after_count);
    parallel_blocks(after_count, 4096, threads, nullptr, [&](std::size_t first, std::size_t last, int) {
        for (std::size_t j = first; j < last; ++j)
            partner[j] = in_order(j) ? static_cast<std::uint32_t>(j) : before_->find(after_->query(j));
    });
    for (std::uint32_t j = 0; j < after_count; ++j) {
        if (partner[j] == ByteIndex::none)
            pairs_.push_back({ByteIndex::none, j});
        else
            pairs_[partner[j]].after = j;
    }
}

ComparedLists Pairing::compared(std::size_t i) const {
    const auto [before, after] = pairs_[i];
    if (before == ByteIndex::none || after == ByteIndex::none) return {0, 0, nullptr};
    const ComparedList one = before_->compared(before), other = after_->compared(after);
    return {one.size, other.size, one.places == other.places ? one.places : nullptr};
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

namespace {

// Some bytes of an id as a number that has their order; bytes behind its end count as 0.
std::uint64_t bytes_in_order(std::string_view id, std::size_t first) {
    std::uint64_t key = 0;
    for (std::size_t i = first; i < first + sizeof key; ++i)
        key = key << 8 | (i < id.size() ? static_cast<std::uint8_t>(id[i]) : 0);
    return key;
}

}  // namespace

// Ids mostly begin alike, and differ in the next few bytes: these are compared first, without a look at the ids.
void Pairing::sort(std::size_t first, std::size_t last) {
    struct Keyed {
        std::uint64_t key;
        Pair pair;
    };
    const auto id = [&](const Pair& pair) {
        return pair.before != ByteIndex::none ? before_->query(pair.before) : after_->query(pair.after);
    };
    std::size_t common = first < last ? query(first).size() : 0;
    for (std::size_t i = first; i < last && common > 0; ++i) {
        const std::string_view one = query(first), other = query(i);
        common = std::min(common, other.size());
        common = static_cast<std::size_t>(std::mismatch(one.begin(), one.begin() + common, other.begin()).first -
                                          one.begin());
    }
    std::vector<Keyed> keyed;
    keyed.reserve(last - first);
    for (std::size_t i = first; i < last; ++i) keyed.push_back({bytes_in_order(query(i), common), pairs_[i]});
    std::sort(keyed.begin(), keyed.end(), [&](const Keyed& one, const Keyed& other) {
        return one.key != other.key ? one.key < other.key : id(one.pair) < id(other.pair);
    });
    for (std::size_t i = first; i < last; ++i) pairs_[i] = keyed[i - first].pair;
}

void Pairing::sort() {
    const auto middle = static_cast<std::size_t>(only_after_begin() - pairs_.cbegin());
    sort(0, middle);
    sort(middle, size());
    sorted_ = true;
}

void Pairing::prefetch(std::size_t position) const {
    constexpr std::size_t list = 8, entries = 4;  // positions ahead
    const auto ask = [&](std::size_t ahead, auto of) {
        if (position + ahead >= size()) return;
        const auto [before, after] = pairs_[position + ahead];
        if (before != ByteIndex::none) (*before_.*of)(before);
        if (after != ByteIndex::none) (*after_.*of)(after);
    };
    ask(list, &Lists::prefetch_list);
    ask(entries, &Lists::prefetch_entries);
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
