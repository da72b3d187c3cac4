#include "lists/columns.hpp"

#include <algorithm>

namespace medir {

ColumnLists::ColumnLists(std::string name, Strings queries, std::vector<std::uint64_t> ends, Strings documents,
                         Strings intents, std::vector<double> values, Order order)
    : name_(std::move(name)),
      queries_(std::move(queries)),
      ends_(std::move(ends)),
      documents_(std::move(documents)),
      intents_(std::move(intents)),
      values_(std::move(values)),
      order_(order) {
    index_.reset(queries_.size());
    std::uint64_t first = 0;
    for (std::size_t number = 0; number < queries_.size(); ++number) {
        index_.find_or_add(hash_bytes(queries_[number]), static_cast<std::uint32_t>(number),
                           [&](std::uint32_t other) { return queries_[other] == queries_[number]; });
        lengths_.add(ends_[number] - first);
        first = ends_[number];
    }
}

void ColumnLists::read(std::size_t query, std::vector<Entry>& entries) const {
    entries.clear();
    for (std::uint64_t i = query == 0 ? 0 : ends_[query - 1]; i < ends_[query]; ++i) {
        const std::string_view id = documents_[i];
        entries.push_back({id.data(), values_[i], static_cast<std::uint32_t>(id.size()), hash_bytes(id)});
    }
    sort_entries(entries, order_);
}

std::string_view ColumnLists::intent(std::size_t, const Entry& entry, std::size_t) const {
    return intents_.size() == 0 ? std::string_view{} : intents_[documents_.number(entry.data)];
}

InputError ColumnLists::error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const {
    const std::string text = "query " + std::string(queries_[query]) + ", document " + entry.document();
    return InputError(name_, 0, text, std::move(problem), std::move(remedy));
}

}  // namespace medir
