#include "lists/lists.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "base/parallel.hpp"

namespace medir {

namespace {

constexpr std::size_t few = 32;  // entries, which are sorted in their place: most of them nearly are

// Whether values alone say that the entries are in order, as in most lists.
template <class Precedes>
bool values_in_order(const std::vector<Entry>& entries, Precedes precedes) {
    bool in_order = true;
    for (std::size_t i = 1; i < entries.size(); ++i) in_order &= precedes(entries[i - 1].value, entries[i].value);
    return in_order;
}

}  // namespace

void sort_entries(std::vector<Entry>& entries, Order order) {
    if (order == Order::file) return;
    if (order == Order::rank ? values_in_order(entries, std::less<>()) : values_in_order(entries, std::greater<>()))
        return;
    const auto before = [order](const Entry& first, const Entry& second) { return precedes(order, first, second); };
    if (entries.size() > few) {
        Looks wanted;
        const auto watched = [&](const Entry& first, const Entry& second) {
            wanted();
            return before(first, second);
        };
        if (!std::is_sorted(entries.begin(), entries.end(), watched))
            std::stable_sort(entries.begin(), entries.end(), watched);
        return;
    }
    for (std::size_t i = 1; i < entries.size(); ++i) {
        if (!before(entries[i], entries[i - 1])) continue;
        const Entry entry = entries[i];
        std::size_t place = i;
        do {
            entries[place] = entries[place - 1];
            --place;
        } while (place > 0 && before(entry, entries[place - 1]));
        entries[place] = entry;
    }
}

std::uint64_t Lists::digest(std::size_t query, bool with_intents, std::uint64_t hash) const {
    std::vector<Entry> entries;
    read(query, entries);
    const Entry* above = nullptr;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        hash = mix_hash(mix_hash(hash, entry.digest()), std::bit_cast<std::uint64_t>(entry.value));
        if (above != nullptr && tied(*above, entry)) hash = mix_hash(hash, 1);
        above = &entry;
        if (with_intents) hash = mix_hash(hash, digest_bytes(intent(query, entry, i)));
    }
    return hash;
}

void check(const Lists& lists, int threads) {
    parallel_blocks(lists.queries(), 64, threads, nullptr, [&](std::size_t first, std::size_t last, int) {
        std::vector<Entry> entries;
        for (std::size_t query = first; query < last; ++query) lists.read(query, entries);
    });
    lists.check_source();
}

std::uint64_t digest(const Lists& lists, Intents intents, int threads) {
    std::vector<std::uint64_t> hashes(lists.queries());
    parallel_blocks(lists.queries(), 64, threads, nullptr, [&](std::size_t first, std::size_t last, int) {
        for (std::size_t query = first; query < last; ++query)
            hashes[query] = lists.digest(query, intents == Intents::kept, digest_bytes(lists.query(query)));
    });
    lists.check_source();
    return std::accumulate(hashes.begin(), hashes.end(), lists.queries() + (std::uint64_t{lists.lengths().asked} << 40),
                           mix_hash);
}

}  // namespace medir
