#include "similarity/overlaps.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace medir {

double SetOverlap::value(const Matching& matching, Workspace&) const {
    const auto& documents = matching.documents();
    const auto common = static_cast<double>(
        std::count_if(documents.begin(), documents.end(), [this](const Document& one) { return shared(one); }));
    if (kind_ == Kind::overlap) return common / static_cast<double>(cutoff_);
    const std::size_t sizes = before_size(matching) + after_size(matching);
    return sizes == 0 ? no_value : common / (static_cast<double>(sizes) - common);
}

double AnchorMap::value(const Matching& matching, Workspace&) const {
    const std::size_t relevant = before_size(matching);
    if (relevant == 0) return no_value;
    std::vector<std::uint32_t> ranks;
    for (std::size_t i = 0; i < relevant; ++i)
        if (const std::uint32_t rank = matching.documents()[i].after; rank != 0) ranks.push_back(rank);
    std::sort(ranks.begin(), ranks.end());
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) sum += static_cast<double>(i + 1) / ranks[i];
    return sum / static_cast<double>(relevant);
}

}  // namespace medir
