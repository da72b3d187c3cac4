#include "lists.hpp"

#include <algorithm>
#include <bit>

namespace medir {

void sort_entries(std::vector<Entry>& entries, Order order) {
    if (order == Order::file) return;
    const auto before = [order](const Entry& first, const Entry& second) { return precedes(order, first, second); };
    if (!std::is_sorted(entries.begin(), entries.end(), before))
        std::stable_sort(entries.begin(), entries.end(), before);
}

std::uint64_t Lists::digest(std::size_t query, bool with_intents, std::uint64_t hash) const {
    std::vector<Entry> entries;
    read(query, entries);
    const Entry* above = nullptr;
    for (const Entry& entry : entries) {
        hash = mix_hash(mix_hash(hash, entry.hash), std::bit_cast<std::uint64_t>(entry.value));
        if (above != nullptr && tied(*above, entry)) hash = mix_hash(hash, 1);
        above = &entry;
        if (with_intents) hash = mix_hash(hash, hash_bytes(intent(query, entry)));
    }
    return hash;
}

}  // namespace medir
