#include "trails/passages.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/tokens.hpp"
#include "platform/masks.hpp"

namespace medir {

namespace {

constexpr const char* run_layout = "7 columns (topic document rank score offset length tag)";
constexpr const char* gold_layout = "4 columns (topic document offset length), and aspects";

Entry entry_of(const Passage& passage) { return {passage.data, 0.0, passage.size, passage.hash}; }

// A whole number of at most 12 digits, as nearly all are; false for all else.
bool plain_whole(const char* p, const char* end, std::int64_t* value) {
    if (end - p > 12 || p == end) return false;
    std::int64_t digits = 0;
    for (; p < end; ++p) {
        const unsigned digit = static_cast<unsigned char>(*p) - unsigned{'0'};
        if (digit > 9) return false;
        digits = digits * 10 + digit;
    }
    *value = digits;
    return true;
}

// By score, then by rank, then as they come.
void sort_passages(std::vector<Passage>& passages, std::vector<PassageRank>& ranks) {
    const auto before = [](const PassageRank& a, const PassageRank& b) {
        return a.score != b.score ? a.score > b.score : a.rank < b.rank;
    };
    if (std::is_sorted(ranks.begin(), ranks.end(), before)) return;
    std::stable_sort(ranks.begin(), ranks.end(), before);
    const std::vector<Passage> unsorted = passages;
    for (std::size_t i = 0; i < ranks.size(); ++i) passages[i] = unsorted[ranks[i].number];
}

}  // namespace

std::uint64_t Passages::digest_passages(std::size_t query, std::uint64_t hash) const {
    std::vector<Passage> passages;
    std::vector<PassageRank> scratch;
    read_passages(query, passages, scratch);
    for (const Passage& passage : passages) {
        hash = mix_hash(hash, digest_bytes(passage.document()));
        hash = mix_hash(hash, static_cast<std::uint64_t>(passage.start));
        hash = mix_hash(hash, static_cast<std::uint64_t>(passage.length));
        hash = mix_hash(hash, std::bit_cast<std::uint64_t>(passage.seconds));
    }
    return hash;
}

void TrecPassages::read_passages(std::size_t query, std::vector<Passage>& passages,
                                 std::vector<PassageRank>& scratch) const {
    passages.clear();
    scratch.clear();
    for_each_block(
        query, [&](std::string_view lines, std::size_t id_size) { parse_lines(lines, id_size, passages, scratch); });
    if (is_ordered()) sort_passages(passages, scratch);
}

std::size_t TrecPassages::parse(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const {
    std::vector<Passage> passages;
    std::vector<PassageRank> ranks;
    parse_lines(lines, id_size, passages, ranks);
    for (const Passage& passage : passages) entries.push_back(entry_of(passage));
    return 0;
}

// The plain case, much faster: the columns of a run behind the topic within 64 bytes, single blanks between them, and
// plain numbers. Null for all else.
template <class Masks>
MEDIR_ALWAYS_INLINE const char* TrecPassages::parse_short_line(Masks masks, const char* p,
                                                               std::vector<Passage>& passages,
                                                               std::vector<PassageRank>& ranks) const {
    if (layout_ != PassageLayout::run || order_ != Order::score) return nullptr;
    const std::uint64_t blanks = masks.equal(p, ' ') | masks.equal(p, '\t');
    const std::uint64_t controls = masks.up_to(p, ' ');
    const std::uint64_t others = controls ^ blanks;  // the first should be the end of the line
    const int line_end = std::countr_zero(others);
    if (others == 0 || p[line_end] != '\n' || (blanks & 1) == 0) return nullptr;
    std::array<int, 6> gaps{};  // before the columns
    std::uint64_t left = blanks;
    for (std::size_t column = 1; column < gaps.size(); ++column) {
        left &= left - 1;
        gaps[column] = std::countr_zero(left);
    }
    const bool has_tag = gaps.back() < line_end && (controls >> gaps.back() & 2) == 0;
    if (!has_tag) return nullptr;
    const auto first = [&](std::size_t column) { return p + gaps[column] + 1; };
    const auto last = [&](std::size_t column) { return p + gaps[column + 1]; };
    const auto size = static_cast<std::uint32_t>(last(0) - first(0));
    PassageRank order{0, 0, static_cast<std::uint32_t>(passages.size())};
    Passage passage{first(0), size, hash_bytes(first(0), size), 0, 0, Passage::no_duration};
    if (size == 0 || !plain_whole(first(1), last(1), &order.rank) || !plain_decimal(first(2), last(2), &order.score) ||
        !plain_whole(first(3), last(3), &passage.start) || !plain_whole(first(4), last(4), &passage.length))
        return nullptr;
    ranks.push_back(order);
    passages.push_back(passage);
    return p + line_end + 1;
}

void TrecPassages::parse_lines(std::string_view lines, std::size_t id_size, std::vector<Passage>& passages,
                               std::vector<PassageRank>& ranks) const {
    with_widest_masks([&](auto masks) MEDIR_INLINE_LAMBDA {
        for_each_line(lines, id_size, [&](const char* p) MEDIR_INLINE_LAMBDA {
            const char* next = parse_short_line(masks, p, passages, ranks);
            return next != nullptr ? next : parse_line(p, passages, ranks);
        });
    });
}

const char* TrecPassages::parse_line(const char* p, std::vector<Passage>& passages,
                                     std::vector<PassageRank>& ranks) const {
    const bool is_run = layout_ == PassageLayout::run;
    const auto column = [&](const char* from, std::size_t found) {
        const char* first = skip_blanks(from);
        if (static_cast<unsigned char>(*first) < 0x21) fail(first, found, is_run ? run_layout : gold_layout);
        return first;
    };
    PassageRank order{0, 0, static_cast<std::uint32_t>(passages.size())};
    const char* document = column(p, 1);
    p = token_end(document);
    const auto size = static_cast<std::uint32_t>(p - document);
    if (is_run) {
        const char* rank_begin = column(p, 2);
        const char* rank_end = token_end(rank_begin);
        const char* score_begin = column(rank_end, 3);
        p = token_end(score_begin);
        if (order_ != Order::file) order.rank = rank(rank_begin, rank_end);
        if (order_ == Order::score) order.score = score(score_begin, p);
    }
    const char* start = column(p, is_run ? 4 : 2);
    const char* start_end = token_end(start);
    const char* length = column(start_end, is_run ? 5 : 3);
    p = token_end(length);
    const Passage passage{document,
                          size,
                          hash_bytes(document, size),
                          extent(start, start_end, "offset"),
                          extent(length, p, "length"),
                          Passage::no_duration};
    if (is_run) p = token_end(column(p, 6));
    if (is_binary(p)) fail(p, is_run ? 7 : 4, is_run ? run_layout : gold_layout);
    passages.push_back(passage);
    if (is_ordered()) ranks.push_back(order);
    return *p == '\n' ? p + 1 : next_line(std::min(p, text_.end()), text_.end());
}

double TrecPassages::score(const char* p, const char* end) const {
    double value = 0;
    if ((!plain_decimal(p, end, &value) && !any_number(p, end, &value)) || std::isnan(value))
        throw text_.error(p, "the score " + quoted(p, end) + " is not a number",
                          "Fix the score, or choose --order rank or --order file to order passages without it.");
    return value;
}

std::int64_t TrecPassages::rank(const char* p, const char* end) const {
    std::int64_t value = 0;
    if (plain_whole(p, end, &value)) return value;
    const auto [stop, problem] = from_chars(p, end, value);
    if (stop != end || problem != std::errc{})
        throw text_.error(p, "the rank " + quoted(p, end) + " is not a whole number",
                          "Fix the rank, or choose --order file to keep passages in file order.");
    return value;
}

// An offset or a length.
std::int64_t TrecPassages::extent(const char* p, const char* end, const char* what) const {
    std::int64_t value = 0;
    if (plain_whole(p, end, &value)) return value;
    const auto [stop, problem] = from_chars(p, end, value);
    if (stop != end || problem == std::errc::invalid_argument)
        throw text_.error(p, "the " + std::string(what) + " " + quoted(p, end) + " is not a whole number",
                          "Offsets and lengths are whole numbers of characters or bytes, 0 or more.");
    if (*p == '-' && (value != 0 || problem == std::errc::result_out_of_range))
        throw text_.error(p, "the " + std::string(what) + " " + quoted(p, end) + " is negative",
                          "Offsets and lengths are whole numbers of characters or bytes, 0 or more.");
    if (problem == std::errc::result_out_of_range || value > Passage::largest)
        throw text_.error(p, "the " + std::string(what) + " " + quoted(p, end) + " is above 10^12",
                          "Is it in the right column?");
    return value;
}

ColumnPassages::ColumnPassages(std::string name, Strings queries, std::vector<std::uint64_t> ends, Strings names,
                               Columns columns)
    : name_(std::move(name)),
      queries_(std::move(queries)),
      ends_(std::move(ends)),
      names_(std::move(names)),
      columns_(std::move(columns)) {
    index_.reset(queries_.size());
    std::uint64_t first = 0;
    for (std::size_t number = 0; number < queries_.size(); ++number) {
        index_.find_or_add(hash_bytes(queries_[number]), static_cast<std::uint32_t>(number),
                           [&](std::uint32_t other) { return queries_[other] == queries_[number]; });
        lengths_.add(ends_[number] - first);
        first = ends_[number];
    }
    for (std::size_t i = 0; i < names_.size(); ++i) hashes_.push_back(hash_bytes(names_[i]));
}

void ColumnPassages::read_passages(std::size_t query, std::vector<Passage>& passages, std::vector<PassageRank>&) const {
    passages.clear();
    for (std::uint64_t i = query == 0 ? 0 : ends_[query - 1]; i < ends_[query]; ++i) {
        const std::uint32_t number = columns_.documents[i];
        const std::string_view id = names_[number];
        passages.push_back({id.data(), static_cast<std::uint32_t>(id.size()), hashes_[number], columns_.starts[i],
                            columns_.lengths[i],
                            columns_.seconds.empty() ? Passage::no_duration : columns_.seconds[i]});
    }
}

void ColumnPassages::read(std::size_t query, std::vector<Entry>& entries) const {
    std::vector<Passage> passages;
    std::vector<PassageRank> scratch;
    read_passages(query, passages, scratch);
    entries.clear();
    for (const Passage& passage : passages) entries.push_back(entry_of(passage));
}

InputError ColumnPassages::error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const {
    const std::string text = "query " + std::string(queries_[query]) + ", document " + entry.document();
    return InputError(name_, 0, text, std::move(problem), std::move(remedy));
}

}  // namespace medir
