#include "texts/trec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/parallel.hpp"
#include "base/tokens.hpp"
#include "platform/plain_lines.hpp"

namespace medir {

namespace {

// The number that eight digits make, the first in the lowest byte: pairs, then all of them at once.
std::uint64_t eight_digits(std::uint64_t digits) {
    constexpr std::uint64_t of_pairs = 0x000000ff000000ffu;
    const std::uint64_t pairs = digits * 10 + (digits >> 8);
    const std::uint64_t first = (pairs & of_pairs) * (100 + (std::uint64_t{1000000} << 32));
    const std::uint64_t second = (pairs >> 16 & of_pairs) * (1 + (std::uint64_t{10000} << 32));
    return (first + second) >> 32;
}

constexpr double tenths[] = {1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};

// A token such as 12.3456: at most eight bytes, digits with a point among them. Returns false for all else.
MEDIR_ALWAYS_INLINE bool short_decimal(const char* p, int size, double* value) {
    constexpr std::uint64_t ones = 0x0101010101010101u, high = ones * 0x80;
    if (size < 2 || size > 8) return false;
    // The token ends with the word, behind digits of zero.
    const std::uint64_t word = (load_word(p) ^ ones * '0') << (64 - 8 * size);
    const std::uint64_t is_point = word ^ ones * ('.' ^ '0');
    const std::uint64_t points = (is_point - ones) & ~is_point & high;
    if (points == 0) return false;
    const int point = std::countr_zero(points) & 56;  // bits of what is before it
    // The point's gap is closed.
    const std::uint64_t front = (word & ((std::uint64_t{1} << point) - 1)) << 8;
    const std::uint64_t digits = front | (word & (~std::uint64_t{0xff} << point));
    if (((digits + ones * 0x76) | digits) & high) return false;  // a byte is no digit
    *value = static_cast<double>(eight_digits(digits)) * tenths[(56 - point) >> 3];
    return true;
}

// As trec_eval keeps scores.
double single_precision(double value) { return static_cast<double>(static_cast<float>(value)); }

constexpr const char* run_layout = "6 columns (query Q0 document rank score tag)";
constexpr const char* qrels_layout = "4 columns (query 0 document grade)";

}  // namespace

TrecLists::TrecLists(std::shared_ptr<QueryBlocks> blocks, int threads)
    : blocks_(std::move(blocks)), text_(blocks_->text()) {
    blocks_->find(threads);
    std::size_t count = 0;
    for (const QueryChunk& chunk : blocks_->chunks()) count += chunk.blocks.size();
    first_blocks_.reserve(count);
    ascending_ = number_ascending();
    has_whole_blocks_ = ascending_ && first_blocks_.size() == count;
    if (!ascending_) number_scattered();
    counted_ = std::make_unique<std::atomic<bool>[]>(first_blocks_.size());
    text_.check();
    if (first_blocks_.empty())
        throw text_.error(text_.size() == 0 ? "is empty" : "holds only comments and blank lines", "");
}

// Numbers the queries in the order in which they first appear, and chains the blocks of each. Where each id comes
// behind the one before, by bytes or shorter ones first, no query is scattered. Returns false where that is not so.
bool TrecLists::number_ascending() {
    IdOrder order;
    QueryBlock* last = nullptr;
    std::size_t lines = 0;
    for (const QueryChunk& chunk : blocks_->chunks()) {
        if (chunk.blocks.empty()) continue;
        QueryBlock& first = chunk.blocks.front();
        if (last != nullptr && id(*last) == id(first)) {
            last->next = &first;
        } else {
            if (last != nullptr) order.add(id(*last), id(first));
            lengths_.add(lines);
            lines = 0;
            first_blocks_.push_back(&first);
        }
        order.add(chunk.order);
        if (!order.ascends()) return false;
        lines += first.lines;
        last = &chunk.blocks.back();
        if (last == &first) continue;
        lengths_.add(lines);
        lengths_.add(chunk.inner);
        for (QueryBlock& block : chunk.blocks.subspan(1)) first_blocks_.push_back(&block);
        lines = last->lines;
    }
    lengths_.add(lines);
    return true;
}

void TrecLists::number_scattered() {
    first_blocks_.clear();
    lengths_ = {};
    index_.reset(first_blocks_.capacity());
    std::vector<QueryBlock*> last_blocks;
    last_blocks.reserve(first_blocks_.capacity());
    for (const auto& chunk : blocks_->chunks()) {
        const std::span<QueryBlock> blocks = chunk.blocks;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            QueryBlock& block = blocks[b];
            if (b + 16 < blocks.size()) index_.prefetch(blocks[b + 16].id_hash);
            const auto known =
                index_.find_or_add(block.id_hash, static_cast<std::uint32_t>(first_blocks_.size()),
                                   [&](std::uint32_t number) { return id(*first_blocks_[number]) == id(block); });
            if (known == ByteIndex::none) {
                first_blocks_.push_back(&block);
                last_blocks.push_back(&block);
            } else {
                last_blocks[known]->next = &block;
                last_blocks[known] = &block;
            }
        }
    }
    for (const QueryBlock* block : first_blocks_) {
        std::size_t lines = 0;
        for (; block != nullptr; block = block->next) lines += block->lines;
        lengths_.add(lines);
    }
}

std::uint32_t TrecLists::find(std::string_view id) const {
    if (ascending_)
        std::call_once(indexed_, [&] {
            index_.reset(first_blocks_.size());
            for (std::uint32_t number = 0; number < first_blocks_.size(); ++number)
                index_.find_or_add(first_blocks_[number]->id_hash, number, [](std::uint32_t) { return false; });
        });
    return Lists::find(id);
}

void TrecLists::read(std::size_t query, std::vector<Entry>& entries) const {
    entries.clear();
    std::size_t longer = 0;
    for_each_block(query,
                   [&](std::string_view lines, std::size_t id_size) { longer += parse(lines, id_size, entries); });
    if (longer > 0 && !counted_[query].exchange(true)) long_lines_ += longer;
    sort(entries);
}

InputError TrecLists::error(std::size_t, const Entry& entry, std::string problem, std::string remedy) const {
    return text_.error(entry.data, std::move(problem), std::move(remedy));
}

ComparedList TrecRun::compared(std::size_t query) const {
    const QueryBlock* const block = first_block(query);
    const bool is_whole = block->next == nullptr;
    return {block->lines, order_ == Order::score && is_whole ? block->places : nullptr};
}

void TrecRun::refuse_passages() const {
    constexpr int most_lines = 100;
    constexpr std::size_t columns = 6;  // up to the length: a tag may follow
    const auto is_whole = [](std::string_view token) {
        return !token.empty() && std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    std::string_view second;
    bool varies = false;
    int lines = 0;
    for (const char* p = first_line(text_); p < text_.end() && lines < most_lines; p = next_line(p, text_.end())) {
        const char* const begin = skip_blanks(p);
        if (begin < text_.end() && *begin == '#') continue;  // whatever a comment holds
        std::array<std::string_view, columns> tokens;
        std::size_t found = 0;
        for (const char* first = begin; found < columns && first < text_.end() && *first != '\n';) {
            const char* last = std::min(token_end(first), text_.end());
            if (last == first) return;  // no text
            tokens[found++] = {first, static_cast<std::size_t>(last - first)};
            first = skip_blanks(last);
        }
        if (found == 0) continue;
        if (found < columns || !is_whole(tokens[4]) || !is_whole(tokens[5])) return;
        varies = varies || (lines > 0 && tokens[1] != second);
        second = tokens[1];
        ++lines;
    }
    if (varies)
        throw text_.error("holds passages (topic document rank score offset length tag)",
                          "Use medir passages, or give a run of documents (query Q0 document rank score tag).");
}

MEDIR_ALWAYS_INLINE void TrecRun::add(const char* document, const char* document_end, double value,
                                      std::vector<Entry>& entries) const {
    const auto size = static_cast<std::uint32_t>(document_end - document);
    entries.push_back({document, value, size, hash_bytes(document, size)});
}

// The plain case, much faster: the columns behind the query id within 64 bytes, and a score without an exponent. Null
// for all else.
template <class Masks>
MEDIR_ALWAYS_INLINE const char* TrecRun::parse_short_line(Masks masks, const char* p, std::vector<Entry>& entries,
                                                          std::size_t& longer) const {
    prefetch(p + far_ahead);
    const std::uint64_t blanks = masks.equal(p, ' ') | masks.equal(p, '\t');
    const std::uint64_t others = masks.up_to(p, ' ') ^ blanks;  // the first should be the end of the line
    const int line_end = std::countr_zero(others);
    if (others == 0 || p[line_end] != '\n' || order_ != Order::score) return nullptr;
    const std::uint64_t blank = blanks | -(std::uint64_t{1} << line_end);
    std::uint64_t starts = ~blank & blank << 1, ends = blank & ~(blank << 1);
    const auto drop = [](std::uint64_t mask) { return mask & (mask - 1); };
    starts = drop(starts);
    ends = drop(drop(ends));  // the id ends first
    const int document = std::countr_zero(starts), document_end = std::countr_zero(ends);
    starts = drop(drop(starts));
    ends = drop(drop(ends));
    if (drop(starts) == 0) return nullptr;
    const int score = std::countr_zero(starts), score_end = std::countr_zero(ends);
    double value;
    if (!short_decimal(p + score, score_end - score, &value) && !plain_decimal(p + score, p + score_end, &value))
        return nullptr;
    add(p + document, p + document_end, single_precision(value), entries);
    longer += drop(drop(starts)) != 0;
    return p + line_end + 1;
}

bool TrecRun::parse_plain(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const {
    if (order_ != Order::score || !has_lanes()) return false;
    const std::size_t known = entries.size();
    Looks wanted;
    const auto take = [&](const PlainLines& group) {
        wanted();
        const std::size_t first = entries.size();
        for (std::size_t i = 0; i < group.count; ++i)
            entries.push_back(
                {lines.data() + group.document[i], group.score[i], group.document_size[i], group.document_hash[i]});
        for (std::uint32_t others = group.other_scores; others != 0; others &= others - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(others));
            const char* const end = lines.data() + group.score_end[i];
            entries[first + i].value = score(end - group.score_size[i], end);
        }
    };
    if (take_plain_lines(lines.data(), lines.size(), id_size, hash_seed, take)) return true;
    entries.resize(known);
    return false;
}

std::size_t TrecRun::parse(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const {
    if (parse_plain(lines, id_size, entries)) return 0;
    std::size_t longer = 0;
    Looks wanted;
    with_widest_masks([&](auto masks) MEDIR_INLINE_LAMBDA {
        for_each_line(lines, id_size, [&](const char* p) MEDIR_INLINE_LAMBDA {
            wanted();
            const char* next = parse_short_line(masks, p, entries, longer);
            return next != nullptr ? next : parse_line(p, entries, longer);
        });
    });
    return longer;
}

const char* TrecRun::parse_line(const char* p, std::vector<Entry>& entries, std::size_t& longer) const {
    const auto column = [&](const char* from, std::size_t found) {
        const char* first = skip_blanks(from);
        if (static_cast<unsigned char>(*first) < 0x21) fail(first, found, run_layout);
        return first;
    };
    p = token_end(column(p, 1));
    const char* document = column(p, 2);
    const char* document_end = token_end(document);
    const char* rank_begin = column(document_end, 3);
    const char* rank_end = token_end(rank_begin);
    const char* score_begin = column(rank_end, 4);
    const char* score_end = token_end(score_begin);
    const char* tag = column(score_end, 5);
    double value = 0;
    if (order_ == Order::score) value = score(score_begin, score_end);
    if (order_ == Order::rank) value = rank(rank_begin, rank_end);
    add(document, document_end, value, entries);
    p = token_end(tag);
    if (is_binary(p)) fail(p, 6, run_layout);
    p = skip_blanks(p);
    longer += p < text_.end() && *p != '\n';
    return *p == '\n' ? p + 1 : next_line(std::min(p, text_.end()), text_.end());
}

double TrecLists::score(const char* p, const char* end) const {
    double value = 0;
    if (!plain_decimal(p, end, &value) && !any_number(p, end, &value))
        throw text_.error(p, "the score " + quoted(p, end) + " is not a number",
                          "Fix the score, or choose --order rank or --order file to order results without it.");
    if (std::isnan(value))
        throw text_.error(p, "the score is NaN, which has no place in an order",
                          "Fix the score, or choose --order rank or --order file to order results without it.");
    return single_precision(value);
}

double TrecLists::rank(const char* p, const char* end) const {
    std::int64_t value = 0;
    const auto [stop, problem] = from_chars(p, end, value);
    if (stop != end || problem != std::errc{})
        throw text_.error(p, "the rank " + quoted(p, end) + " is not a whole number",
                          "Fix the rank, or choose --order score or --order file to order results without it.");
    return static_cast<double>(value);
}

std::size_t TrecQrels::parse(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const {
    for_each_line(lines, id_size, [&](const char* p) { return parse_line(p, entries); });
    return 0;
}

inline const char* TrecQrels::parse_line(const char* p, std::vector<Entry>& entries) const {
    const auto column = [&](const char* from, std::size_t found) {
        const char* first = skip_blanks(from);
        if (static_cast<unsigned char>(*first) < 0x21) fail(first, found, qrels_layout);
        return first;
    };
    p = token_end(column(p, 1));
    const char* document = column(p, 2);
    const char* document_end = token_end(document);
    const char* grade = column(document_end, 3);
    p = token_end(grade);
    int whole = 0;
    const auto [stop, problem] = from_chars(grade + (*grade == '+' && grade[1] != '-'), p, whole);
    const double value = stop == p && problem == std::errc{} ? whole : any_value(grade, p);
    p = skip_blanks(p);
    if (p < text_.end() && *p != '\n')
        throw text_.error(grade, "expected " + std::string(qrels_layout) + ", found more",
                          "Is this a run? Judgments have a grade in the fourth and last column.");
    const auto size = static_cast<std::uint32_t>(document_end - document);
    entries.push_back({document, value, size, hash_bytes(document, size)});
    return p < text_.end() ? p + 1 : p;
}

std::string_view TrecQrels::intent(std::size_t, const Entry& entry, std::size_t) const {
    const char* end = entry.data;
    while (end > text_.begin() && is_blank(end[-1])) --end;  // a file may change while it is read
    const char* begin = end;
    while (begin > text_.begin() && !is_blank(begin[-1])) --begin;
    return {begin, static_cast<std::size_t>(end - begin)};
}

double TrecQrels::any_value(const char* p, const char* end) const {
    double value = 0;
    if (!any_number(p, end, &value) || std::isnan(value))
        throw text_.error(p, "the grade " + quoted(p, end) + " is not a number",
                          "Grades are 0, 1, 2, ...; a negative grade counts as 0.");
    return value;
}

}  // namespace medir
