#include "lists/lengths.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "base/bytes.hpp"
#include "lists/document_lines.hpp"
#include "platform/portable.hpp"

namespace medir {

namespace {

constexpr double most_words = 1e12;  // of a document

}  // namespace

Lengths::Lengths(Text text, double fallback) : text_(std::move(text)), fallback_(fallback) {
    index_.reset(count_lines(lines_of(text_)));
    read_document_lines(
        text_, "2 columns (document words)", "Fix the line or remove it.", [&](Entry entry, std::string_view length) {
            const auto [stop, problem] = from_chars(length.data(), length.data() + length.size(), entry.value);
            const bool whole = stop == length.data() + length.size() && problem == std::errc{};
            if (!whole || !(entry.value >= 0 && entry.value <= most_words))
                throw text_.error(entry.data, "the length '" + std::string(length) + "' is not a number of words",
                                  "A length is 0 or more.");
            add(entry);
        });
}

Lengths::Lengths(Text ids, const std::vector<std::uint64_t>& ends, const std::vector<double>& words, double fallback)
    : text_(std::move(ids)), fallback_(fallback) {
    index_.reset(ends.size());
    const char* document = text_.begin();
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const char* end = text_.begin() + ends[i];
        const auto size = static_cast<std::uint32_t>(end - document);
        add({document, words[i], size, hash_bytes(document, size)});
        document = end;
    }
}

Lengths::Lengths(std::string name, std::shared_ptr<const Lists> lists, double fallback)
    : text_(Text::copy(std::move(name), "")), lists_(std::move(lists)), fallback_(fallback) {
    std::vector<Entry> rows;
    lists_->read(0, rows);
    index_.reset(rows.size());
    for (const Entry& row : rows) add(row);
}

Lengths::Lengths(std::shared_ptr<const Lengths> documents, std::shared_ptr<const Clusters> clusters)
    : text_(Text::copy(documents->text_.name(), "")),
      documents_(std::move(documents)),
      clusters_(std::move(clusters)),
      fallback_(documents_->fallback_) {
    std::vector<double> longest(clusters_->size(), unknown);
    std::vector<char> uneven(clusters_->size(), 0);
    for (const Entry& entry : clusters_->entries()) {
        const double words = documents_->find(entry);
        if (std::isnan(words)) continue;
        const auto cluster = static_cast<std::size_t>(entry.value);
        if (!std::isnan(longest[cluster]) && longest[cluster] != words) uneven[cluster] = 1;
        if (!(longest[cluster] >= words)) longest[cluster] = words;
    }
    uneven_clusters_ = static_cast<std::size_t>(std::count(uneven.begin(), uneven.end(), 1));
    index_.reset(clusters_->documents() + documents_->size());
    for (Entry entry : clusters_->entries()) {
        entry.value = longest[static_cast<std::size_t>(entry.value)];
        if (!std::isnan(entry.value)) add(entry);
    }
    for (const Entry& entry : documents_->entries_)
        if (clusters_->find(entry) == Clusters::none) add(entry);
}

void Lengths::add(const Entry& entry) {
    const auto known = index_.find_or_add(entry.hash, static_cast<std::uint32_t>(entries_.size()),
                                          [&](std::uint32_t i) { return entries_[i].same_document(entry); });
    if (known == ByteIndex::none) {
        entries_.push_back(entry);
        return;
    }
    if (entries_[known].value == entry.value) return;
    if (lists_ != nullptr)
        throw lists_->error(0, entry, "document '" + entry.document() + "' has two lengths", "Remove one of them.");
    throw text_.error(entry.data,
                      "document '" + entry.document() + "' has two lengths; the other is in line " +
                          std::to_string(text_.line_number(entries_[known].data)),
                      "Remove one of them.");
}

double Lengths::find(const Entry& document) const {
    const auto known =
        index_.find(document.text_hash(), [&](std::uint32_t i) { return entries_[i].same_document(document); });
    return known == ByteIndex::none ? unknown : entries_[known].value;
}

std::uint64_t Lengths::digest() const {
    std::uint64_t sum = entries_.size();
    for (const Entry& entry : entries_) sum += mix_hash(entry.digest(), std::bit_cast<std::uint64_t>(entry.value));
    return sum;
}

void Lengths::check_source() const {
    text_.check();
    if (lists_ != nullptr) lists_->check_source();
    if (documents_ != nullptr) documents_->check_source();
}

InputError Lengths::missing(std::string_view document) const {
    return text_.error("there is no length of document '" + std::string(document) + "'",
                       "Add it, or choose a length for all documents without: --default-length N "
                       "(medir.Lengths.of(..., default=N)).");
}

}  // namespace medir
