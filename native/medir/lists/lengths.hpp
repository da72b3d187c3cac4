// How long documents are: a number of words for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/index.hpp"
#include "base/text.hpp"
#include "lists/clusters.hpp"
#include "lists/lists.hpp"

namespace medir {

class Lengths {
public:
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    // From lines `document words`. `fallback` is the length of documents that are not named, or unknown.
    Lengths(Text text, double fallback);
    // From ids one behind the other, where each ends, and the words of each.
    Lengths(Text ids, const std::vector<std::uint64_t>& ends, const std::vector<double>& words, double fallback);

    // From lists that hold all documents as one, which has the words as values.
    Lengths(std::string name, std::shared_ptr<const Lists> lists, double fallback);

    // From those of documents: one length for each cluster, that of its longest document.
    Lengths(std::shared_ptr<const Lengths> documents, std::shared_ptr<const Clusters> clusters);

    std::size_t size() const { return entries_.size(); }
    // How many clusters have documents of different lengths.
    std::size_t uneven_clusters() const { return uneven_clusters_; }
    double fallback() const { return fallback_; }
    // The words of a document as it is named here; unknown where it is not.
    double find(const Entry& document) const;
    // A hash of all of them, in whatever order.
    std::uint64_t digest() const;
    // Throws an error where the file that they are read from has changed.
    void check_source() const;
    // That a document in a list has no length.
    InputError missing(std::string_view document) const;

private:
    void add(const Entry& entry);

    Text text_;
    // Where the ids are, if not in the text.
    std::shared_ptr<const Lists> lists_;
    std::shared_ptr<const Lengths> documents_;
    std::shared_ptr<const Clusters> clusters_;
    std::vector<Entry> entries_;
    ByteIndex index_;
    double fallback_;
    std::size_t uneven_clusters_ = 0;
};

}  // namespace medir
