#include "pairs/merging.hpp"

#include "base/bytes.hpp"

namespace medir {

bool Merging::merge(const Numbering<Entry>& documents, const Clusters& clusters) {
    numbers_.resize(documents.size());
    clusters_.resize(documents.size());
    index_.reset(documents.size());
    count_ = documents.size();
    for (std::uint32_t document = 0; document < documents.size(); ++document) {
        numbers_[document] = document;
        clusters_[document] = clusters.find(documents[document]);
        if (clusters_[document] == Clusters::none) continue;
        const std::uint32_t first =
            index_.find_or_add(hash_word(clusters_[document]), document,
                               [&](std::uint32_t other) { return clusters_[other] == clusters_[document]; });
        if (first == ByteIndex::none) continue;
        if (numbers_[first] == first) numbers_[first] = static_cast<std::uint32_t>(count_++);
        numbers_[document] = numbers_[first];
    }
    return count_ > documents.size();
}

}  // namespace medir
