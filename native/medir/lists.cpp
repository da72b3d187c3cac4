#include "lists.hpp"

#include <algorithm>

namespace medir {

void sort_entries(std::vector<Entry>& entries, Order order) {
    if (order == Order::file) return;
    const auto before = [order](const Entry& first, const Entry& second) { return precedes(order, first, second); };
    if (!std::is_sorted(entries.begin(), entries.end(), before))
        std::stable_sort(entries.begin(), entries.end(), before);
}

}  // namespace medir
