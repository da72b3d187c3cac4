#include "lists/clusters.hpp"

#include <algorithm>
#include <string>

#include "base/bytes.hpp"
#include "lists/document_lines.hpp"

namespace medir {

Clusters::Clusters(Text text) : text_(std::move(text)) {
    const std::size_t most = count_lines(lines_of(text_));
    index_.reset(most);
    name_index_.reset(most);
    read_document_lines(text_, "2 columns (document cluster)",
                        "Write one document and its cluster on each line, separated by a blank or a tab.",
                        [&](const Entry& entry, std::string_view cluster) { add(entry, number_of(cluster)); });
}

Clusters::Clusters(std::string name, std::shared_ptr<const Lists> lists)
    : text_(Text::copy(std::move(name), "")), lists_(std::move(lists)) {
    std::size_t documents = 0;
    std::vector<Entry> rows;
    const auto clusters = static_cast<std::uint32_t>(lists_->queries());
    for (std::uint32_t cluster = 0; cluster < clusters; ++cluster) {
        lists_->read(cluster, rows);
        documents += rows.size();
    }
    index_.reset(documents);
    for (std::uint32_t cluster = 0; cluster < clusters; ++cluster) {
        lists_->read(cluster, rows);
        firsts_.push_back(static_cast<std::uint32_t>(entries_.size()));
        for (const Entry& row : rows) add(row, cluster);
    }
}

std::uint32_t Clusters::number_of(std::string_view cluster) {
    const auto next = static_cast<std::uint32_t>(names_.size());
    const auto known = name_index_.find_or_add(hash_bytes(cluster), next,
                                               [&](std::uint32_t number) { return names_[number] == cluster; });
    if (known != ByteIndex::none) return known;
    names_.push_back(cluster);
    firsts_.push_back(static_cast<std::uint32_t>(entries_.size()));
    return next;
}

void Clusters::add(Entry entry, std::uint32_t cluster) {
    entry.hash = entry.text_hash();
    entry.value = cluster;
    const auto known = index_.find_or_add(entry.hash, static_cast<std::uint32_t>(entries_.size()),
                                          [&](std::uint32_t i) { return entries_[i].same_document(entry); });
    if (known == ByteIndex::none) {
        entries_.push_back(entry);
        return;
    }
    if (entries_[known].value == cluster) return;
    const std::string problem = "document '" + entry.document() + "' is in two clusters";
    const std::string remedy = "Remove one of them; documents whose clusters overlap belong in one cluster.";
    if (lists_ != nullptr) {
        const auto other = static_cast<std::size_t>(entries_[known].value);
        throw lists_->error(cluster, entry, problem + "; the other is '" + std::string(lists_->query(other)) + "'",
                            remedy);
    }
    throw text_.error(entry.data,
                      problem + "; the other is in line " + std::to_string(text_.line_number(entries_[known].data)),
                      remedy);
}

std::size_t Clusters::largest() const {
    std::vector<std::size_t> sizes(size(), 0);
    for (const Entry& entry : entries_) ++sizes[static_cast<std::size_t>(entry.value)];
    return sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
}

std::uint32_t Clusters::find(const Entry& document) const {
    const auto known =
        index_.find(document.text_hash(), [&](std::uint32_t i) { return entries_[i].same_document(document); });
    return known == ByteIndex::none ? none : static_cast<std::uint32_t>(entries_[known].value);
}

const Entry& Clusters::key(const Entry& document) const {
    const std::uint32_t cluster = find(document);
    return cluster == none ? document : entries_[firsts_[cluster]];
}

std::uint64_t Clusters::digest() const {
    std::uint64_t sum = entries_.size();
    for (const Entry& entry : entries_)
        sum += mix_hash(entry.text_digest(), entries_[firsts_[static_cast<std::size_t>(entry.value)]].text_digest());
    return sum;
}

void Clusters::check_source() const {
    text_.check();
    if (lists_ != nullptr) lists_->check_source();
}

}  // namespace medir
