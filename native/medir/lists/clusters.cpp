#include "lists/clusters.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/bytes.hpp"
#include "base/portable.hpp"

namespace medir {

namespace {

constexpr const char* layout = "2 columns (document cluster)";

}  // namespace

Clusters::Clusters(Text text) : text_(std::move(text)) {
    std::string_view lines(text_.begin(), text_.size());
    if (lines.starts_with("\xef\xbb\xbf")) lines.remove_prefix(3);  // byte order mark
    const auto most = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')) + 1;
    index_.reset(most);
    name_index_.reset(most);
    const char* const end = text_.end();
    for (const char* p = lines.data(); p < end;) {
        const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
        const char* line_end = newline == nullptr ? end : newline;
        p = skip_blanks(p);
        if (p < line_end && *p != '#') add_line(p, line_end);
        p = line_end + 1;
    }
    text_.check();
    if (entries_.empty()) throw text_.error(text_.size() == 0 ? "is empty" : "holds only comments and blank lines", "");
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

void Clusters::add_line(const char* document, const char* end) {
    const char* document_end = std::min(token_end(document), end);
    const char* first = skip_blanks(document_end);
    const char* last = first < end ? std::min(token_end(first), end) : first;
    if (document == document_end || first >= end || skip_blanks(last) < end)
        throw text_.error(document, "expected " + std::string(layout),
                          "Write one document and its cluster on each line, separated by a blank or a tab.");
    const auto size = static_cast<std::uint32_t>(document_end - document);
    add({document, 0, size, hash_bytes(document, size)}, number_of({first, last}));
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
        sum += mix_hash(entry.hash, entries_[firsts_[static_cast<std::size_t>(entry.value)]].hash);
    return sum;
}

void Clusters::check_source() const {
    text_.check();
    if (lists_ != nullptr) lists_->check_source();
}

}  // namespace medir
