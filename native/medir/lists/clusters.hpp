// Documents with the same content: which cluster each of them is in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/index.hpp"
#include "base/text.hpp"
#include "lists/lists.hpp"

namespace medir {

class Clusters {
public:
    static constexpr std::uint32_t none = ByteIndex::none;

    // From lines `document cluster`.
    explicit Clusters(Text text);
    // From lists that have clusters where others have queries.
    Clusters(std::string name, std::shared_ptr<const Lists> lists);

    // How many clusters there are, and how many documents in them.
    std::size_t size() const { return firsts_.size(); }
    std::size_t documents() const { return entries_.size(); }
    // How many documents the largest has.
    std::size_t largest() const;
    // All documents, each with the number of its cluster as value.
    const std::vector<Entry>& entries() const { return entries_; }
    // The number of the cluster that a document is in, or none.
    std::uint32_t find(const Entry& document) const;
    // What stands for a document wherever it is met: the first document of its cluster, itself where it has none.
    const Entry& key(const Entry& document) const;
    // A hash of all of them, whatever clusters are called.
    std::uint64_t digest() const;
    // Throws an error where the file that they are read from has changed.
    void check_source() const;

private:
    void add(Entry entry, std::uint32_t cluster);
    std::uint32_t number_of(std::string_view cluster);

    Text text_;
    std::shared_ptr<const Lists> lists_;  // where the ids are, if not in the text
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> firsts_;    // by cluster: its first document
    std::vector<std::string_view> names_;  // by cluster, where it comes from lines
    ByteIndex index_, name_index_;
};

}  // namespace medir
