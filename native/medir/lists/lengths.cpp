#include "lists/lengths.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "base/bytes.hpp"
#include "base/portable.hpp"

namespace medir {

namespace {

constexpr double most_words = 1e12;  // of a document

}  // namespace

namespace {

constexpr const char* layout = "2 columns (document words)";

std::string_view without_mark(const Text& text) {
    const std::string_view all(text.begin(), text.size());
    return all.starts_with("\xef\xbb\xbf") ? all.substr(3) : all;  // byte order mark
}

}  // namespace

Lengths::Lengths(Text text, double fallback) : text_(std::move(text)), fallback_(fallback) {
    const std::string_view lines = without_mark(text_);
    index_.reset(static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')) + 1);
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

void Lengths::add_line(const char* document, const char* end) {
    const char* document_end = std::min(token_end(document), end);
    const char* first = skip_blanks(document_end);
    const char* last = first < end ? std::min(token_end(first), end) : first;
    if (document == document_end || first >= end || skip_blanks(last) < end)
        throw text_.error(document, "expected " + std::string(layout), "Fix the line or remove it.");
    double words = 0;
    const auto [stop, problem] = from_chars(first, last, words);
    if (stop != last || problem != std::errc{} || !(words >= 0 && words <= most_words))
        throw text_.error(document, "the length '" + std::string(first, last) + "' is not a number of words",
                          "A length is 0 or more.");
    const auto size = static_cast<std::uint32_t>(document_end - document);
    add({document, words, size, hash_bytes(document, size)});
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
    for (const Entry& entry : entries_) sum += mix_hash(entry.hash, std::bit_cast<std::uint64_t>(entry.value));
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
