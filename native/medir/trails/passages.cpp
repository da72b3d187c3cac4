#include "trails/passages.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/portable.hpp"
#include "base/tokens.hpp"

namespace medir {

namespace {

constexpr const char* run_layout = "7 columns (topic document rank score offset length tag)";
constexpr const char* gold_layout = "4 columns (topic document offset length), and aspects";

Entry entry_of(const Passage& passage) { return {passage.data, 0.0, passage.size, passage.hash}; }

// A whole number of at most 12 digits, as nearly all are; false for all else.
bool plain_whole(const char* p, const char* end, std::int64_t* value) {
    if (end - p > 12) return false;
    std::int64_t digits = 0;
    for (; p < end; ++p) {
        const unsigned digit = static_cast<unsigned char>(*p) - unsigned{'0'};
        if (digit > 9) return false;
        digits = digits * 10 + digit;
    }
    *value = digits;
    return true;
}

}  // namespace

std::uint64_t Passages::digest_passages(std::size_t query, std::uint64_t hash) const {
    std::vector<Passage> passages;
    std::vector<RankedPassage> scratch;
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
                                 std::vector<RankedPassage>& scratch) const {
    scratch.clear();
    for_each_block(query, [&](std::string_view lines, std::size_t id_size) {
        for_each_line(lines, id_size, [&](const char* p) { return parse_line(p, scratch); });
    });
    sort_passages(scratch);
    passages.clear();
    for (const RankedPassage& ranked : scratch) passages.push_back(ranked.passage);
}

std::size_t TrecPassages::parse(std::string_view lines, std::size_t id_size, std::vector<Entry>& entries) const {
    std::vector<RankedPassage> parsed;
    for_each_line(lines, id_size, [&](const char* p) { return parse_line(p, parsed); });
    for (const RankedPassage& ranked : parsed) entries.push_back(entry_of(ranked.passage));
    return 0;
}

void TrecPassages::sort_passages(std::vector<RankedPassage>& passages) const {
    if (layout_ == PassageLayout::gold || order_ == Order::file) return;
    const auto before = [](const RankedPassage& a, const RankedPassage& b) {
        return a.score != b.score ? a.score > b.score : a.rank < b.rank;
    };
    if (!std::is_sorted(passages.begin(), passages.end(), before))
        std::stable_sort(passages.begin(), passages.end(), before);
}

const char* TrecPassages::parse_line(const char* p, std::vector<RankedPassage>& passages) const {
    const bool is_run = layout_ == PassageLayout::run;
    const auto column = [&](const char* from, std::size_t found) {
        const char* first = skip_blanks(from);
        if (static_cast<unsigned char>(*first) < 0x21) fail(first, found, is_run ? run_layout : gold_layout);
        return first;
    };
    RankedPassage one{};
    const char* document = column(p, 1);
    p = token_end(document);
    const auto size = static_cast<std::uint32_t>(p - document);
    if (is_run) {
        const char* rank_begin = column(p, 2);
        const char* rank_end = token_end(rank_begin);
        const char* score_begin = column(rank_end, 3);
        p = token_end(score_begin);
        if (order_ != Order::file) one.rank = rank(rank_begin, rank_end);
        if (order_ == Order::score) one.score = score(score_begin, p);
    }
    const char* start = column(p, is_run ? 4 : 2);
    const char* start_end = token_end(start);
    const char* length = column(start_end, is_run ? 5 : 3);
    p = token_end(length);
    one.passage = {document,
                   size,
                   hash_bytes(document, size),
                   extent(start, start_end, "offset"),
                   extent(length, p, "length"),
                   Passage::no_duration};
    if (is_run) p = token_end(column(p, 6));
    if (is_binary(p)) fail(p, is_run ? 7 : 4, is_run ? run_layout : gold_layout);
    passages.push_back(one);
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

void ColumnPassages::read_passages(std::size_t query, std::vector<Passage>& passages,
                                   std::vector<RankedPassage>&) const {
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
    std::vector<RankedPassage> scratch;
    read_passages(query, passages, scratch);
    entries.clear();
    for (const Passage& passage : passages) entries.push_back(entry_of(passage));
}

InputError ColumnPassages::error(std::size_t query, const Entry& entry, std::string problem, std::string remedy) const {
    const std::string text = "query " + std::string(queries_[query]) + ", document " + entry.document();
    return InputError(name_, 0, text, std::move(problem), std::move(remedy));
}

}  // namespace medir
