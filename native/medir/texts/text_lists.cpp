#include "texts/text_lists.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/parallel.hpp"
#include "base/tokens.hpp"

namespace medir {

void TextLists::scan_all(const std::vector<const char*>& cuts, bool intents, int threads) {
    chunks_.resize(cuts.size() - 1);
    parallel_blocks(chunks_.size(), 1, threads, nullptr, [&](std::size_t i, std::size_t, int) {
        chunks_[i].begin = cuts[i];
        chunks_[i].end = cuts[i + 1];
        try {
            scan(chunks_[i]);
        } catch (const InputError&) {
            chunks_[i].error = std::current_exception();
        }
    });
    for (const Chunk& chunk : chunks_)  // what is wrong first may make what follows look wrong
        if (chunk.error) std::rethrow_exception(chunk.error);
    index_queries();
    if (intents) find_intents();
    text_.check();
}

void TextLists::add_row(Chunk& chunk, const char* p, std::string_view query) const {
    if (!chunk.blocks.empty() && chunk.blocks.back().query == query)
        ++chunk.blocks.back().rows;
    else
        add_list(chunk, p, query, 1);
}

void TextLists::add_list(Chunk& chunk, const char* p, std::string_view query, std::uint64_t rows) const {
    if (query.empty()) throw row_error(p, "there is no query id here", "Every row has the id of a query.");
    if (!chunk.blocks.empty()) chunk.blocks.back().end = p;
    Block block{p, chunk.end, query, rows, hash_bytes(query), 0, 0};
    block.respelt = static_cast<std::uint32_t>(chunk.respelt.size());
    chunk.blocks.push_back(block);
}

void TextLists::refuse_repeated() const {
    for (const Block* block : first_blocks_) {
        if (block->next == nullptr) continue;
        throw row_error(
            block->next->begin, "query '" + std::string(block->query) + "' has two lists",
            "The other is in line " + std::to_string(text_.line_number(block->begin)) + ". Keep one of them.");
    }
}

std::string_view TextLists::kept_query(Chunk& chunk, std::string_view query) {
    if (!chunk.blocks.empty() && chunk.blocks.back().query == query) return chunk.blocks.back().query;
    std::string& kept = chunk.queries.emplace_back(query);
    kept.append(8, '\0');  // words of bytes are read
    return {kept.data(), query.size()};
}

void TextLists::add_respelt(Chunk& chunk, const char* at, std::string_view spelling) {
    chunk.respelt.push_back({at, chunk.bytes.size(), spelling.size()});
    chunk.bytes.append(spelling).append(8, '\0');  // words of bytes are read
}

std::string_view TextLists::respelt(const Block& block, const char* at, std::uint32_t& next) const {
    const Chunk& chunk = chunks_[block.chunk];
    while (next < chunk.respelt.size() && chunk.respelt[next].at != at) ++next;
    if (next == chunk.respelt.size()) throw text_.changed();  // it was not there before
    const Respelt& id = chunk.respelt[next++];
    return {chunk.bytes.data() + id.first, id.size};
}

// Numbers the queries in the order in which they first appear, and chains the blocks of each.
void TextLists::index_queries() {
    std::size_t count = 0;
    for (const Chunk& chunk : chunks_) count += chunk.blocks.size();
    index_.reset(count);
    first_blocks_.reserve(count);
    std::vector<Block*> last_blocks;
    last_blocks.reserve(count);
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
        std::vector<Block>& blocks = chunks_[c].blocks;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            Block& block = blocks[b];
            block.chunk = static_cast<std::uint32_t>(c);
            if (b + 16 < blocks.size()) index_.prefetch(blocks[b + 16].hash);
            const auto known = index_.find_or_add(block.hash, static_cast<std::uint32_t>(first_blocks_.size()),
                                                  [&](std::uint32_t number) { return query(number) == block.query; });
            if (known == ByteIndex::none) {
                first_blocks_.push_back(&block);
                last_blocks.push_back(&block);
            } else {
                last_blocks[known]->next = &block;
                last_blocks[known] = &block;
            }
        }
    }
    for (const Block* block : first_blocks_) {
        std::size_t rows = 0;
        for (; block != nullptr; block = block->next) rows += block->rows;
        lengths_.add(rows);
        rows_ += rows;
    }
}

void TextLists::read(std::size_t query, std::vector<Entry>& entries) const {
    entries.clear();
    for (const Block* block = first_blocks_[query]; block != nullptr; block = block->next)
        parse(*block, entries, nullptr);
    sort_entries(entries, order_);
}

void TextLists::find_intents() {
    std::vector<Entry> entries;
    Places places;
    for (const Chunk& chunk : chunks_) {
        for (const Block& block : chunk.blocks) {
            entries.clear();
            places.clear();
            parse(block, entries, &places);
            for (const Place& place : places) intents_.emplace_back(place.document, place.intent);
        }
    }
    std::sort(intents_.begin(), intents_.end(),
              [](const auto& one, const auto& other) { return std::less<>()(one.first, other.first); });
}

std::string_view TextLists::intent(std::size_t, const Entry& entry, std::size_t) const {
    const auto found =
        std::lower_bound(intents_.begin(), intents_.end(), entry.data,
                         [](const auto& one, const char* document) { return std::less<>()(one.first, document); });
    return found == intents_.end() ? std::string_view{} : found->second;
}

InputError TextLists::error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const {
    std::vector<Entry> entries;
    Places places;
    for (const Block* block = first_blocks_[query]; block != nullptr; block = block->next)
        parse(*block, entries, &places);
    for (const Place& place : places)
        if (place.document == entry.data) return row_error(place.row, std::move(problem), std::move(remedy));
    return text_.error(std::move(problem), std::move(remedy));
}

void TextLists::add(std::string_view document, std::string_view number_token, const char* row,
                    std::vector<Entry>& entries) const {
    add_ranked(document, values_ ? number(number_token, row) : 0, row, entries);
}

void TextLists::add_ranked(std::string_view document, double value, const char* row,
                           std::vector<Entry>& entries) const {
    if (document.empty())
        throw row_error(row, "there is no document id here", "Every result has the id of a document.");
    const auto size = static_cast<std::uint32_t>(document.size());
    entries.push_back({document.data(), value, size, hash_bytes(document)});
}

double TextLists::number(std::string_view token, const char* row) const {
    if (values_ == Values::scores) return score(token, row);
    if (values_ == Values::words) return words(token, row);
    return values_ == Values::ranks ? rank(token, row) : grade(token, row);
}

double TextLists::score(std::string_view token, const char* row) const {
    const char *first = token.data(), *last = first + token.size();
    double value = 0;
    if (token.empty() || (!plain_decimal(first, last, &value) && !any_number(first, last, &value)))
        throw row_error(row, "the score " + quoted(first, last) + " is not a number",
                        "Fix the score, or choose --order file to order results without it.");
    if (std::isnan(value))
        throw row_error(row, "the score is NaN, which has no place in an order",
                        "Fix the score, or choose --order file to order results without it.");
    return static_cast<double>(static_cast<float>(value));  // single precision, as trec_eval
}

// A whole number, which may be written as 1.0.
double TextLists::rank(std::string_view token, const char* row) const {
    const char *first = token.data(), *last = first + token.size();
    double value = 0;
    const bool is_number = !token.empty() && (plain_decimal(first, last, &value) || any_number(first, last, &value));
    if (!is_number || value != std::floor(value) || std::isinf(value))
        throw row_error(row, "the rank " + quoted(first, last) + " is not a whole number",
                        "Fix the rank, or choose --order file to order results without it.");
    return value;
}

double TextLists::words(std::string_view token, const char* row) const {
    constexpr double most_words = 1e12;  // of a document
    const char *first = token.data(), *last = first + token.size();
    double value = 0;
    if (token.empty() || !any_number(first, last, &value) || !(value >= 0 && value <= most_words))
        throw row_error(row, "the length " + quoted(first, last) + " is not a number of words",
                        "A length is 0 or more, up to 10^12.");
    return value;
}

// Any number: what it means is declared elsewhere.
double TextLists::grade(std::string_view token, const char* row) const {
    const char *first = skip_blanks(token.data()), *last = token.data() + token.size();
    while (last > first && is_blank(last[-1])) --last;
    for (const auto& [label, number] : labels_)
        if (label == std::string_view(first, std::max(first, last))) return number;
    double value = 0;
    if (first >= last || !any_number(first, last, &value) || !std::isfinite(value))
        throw row_error(row, "the grade " + quoted(token.data(), token.data() + token.size()) + " is not a number",
                        "Grades are 0, 1, 2, ...; declare which grade a text stands for: grades={'relevant': 1, ...} "
                        "(--grades relevant=1,...).");
    return value;
}

}  // namespace medir
