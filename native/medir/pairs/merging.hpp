// The clusters of one query: documents of the same content as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/index.hpp"
#include "lists/clusters.hpp"
#include "pairs/numbering.hpp"

namespace medir {

// What is compared has numbers: that of a document where no other of the query has its content, and one behind all
// documents for each cluster that several are in. In a list, the first document of a cluster has the number of the
// cluster. Those below it repeat it: they keep numbers of their own, which are those of documents that are worth
// nothing. One merging serves many queries, one after the other, and keeps its memory.
class Merging {
public:
    // Whether several documents are in one cluster.
    bool merge(const Numbering<Entry>& documents, const Clusters& clusters);

    // How many numbers there are.
    std::size_t size() const { return count_; }
    // Of a document where it does not repeat another.
    std::uint32_t number(std::uint32_t document) const { return numbers_[document]; }
    // Whether this is the number of a document that repeats another wherever it has it.
    bool repeats(std::uint32_t number) const { return number < numbers_.size() && numbers_[number] != number; }

private:
    std::vector<std::uint32_t> numbers_;   // by document
    std::vector<std::uint32_t> clusters_;  // by document, or none
    ByteIndex index_;
    std::size_t count_ = 0;
};

}  // namespace medir
