#include "texts/plain_lists.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/bytes.hpp"
#include "base/tokens.hpp"
#include "lists/lists.hpp"
#include "platform/plain_lines.hpp"

namespace medir {

namespace {

constexpr std::size_t shortest_line = 12;    // six columns of a character
constexpr std::size_t behind = most_places;  // that may be looked at behind the last line

}  // namespace

void PlainLists::reserve(std::size_t lines) {
    if (documents_.size() >= lines + behind) return;
    for (auto* column : {&documents_, &sizes_, &hashes_}) column->resize(lines + behind);
    scores_.resize(lines + behind);
}

bool PlainLists::take(std::string_view lines) {
    text_ = lines.data();
    lists_.clear();
    others_.clear();
    if (lines.empty()) {
        lists_.push_back({});
        return true;
    }
    reserve(lines.size() / shortest_line);
    const auto id_size = static_cast<std::size_t>(token_end(text_) - text_);
    std::uint32_t line = 0;
    std::uint32_t *const documents = documents_.data(), *const sizes = sizes_.data(), *const hashes = hashes_.data();
    float* const scores = scores_.data();
    const auto take_group = [&](const PlainLines& group) {
        std::memcpy(documents + line, group.document, sizeof group.document);
        std::memcpy(sizes + line, group.document_size, sizeof group.document_size);
        std::memcpy(hashes + line, group.document_hash, sizeof group.document_hash);
        std::memcpy(scores + line, group.score, sizeof group.score);
        for (std::uint32_t bits = group.other_ids; bits != 0; bits &= bits - 1) {
            const auto i = static_cast<std::uint32_t>(std::countr_zero(bits));
            lists_.push_back({group.id[i], group.id_size[i], line + i});
        }
        for (std::uint32_t bits = group.other_scores; bits != 0; bits &= bits - 1) {
            const auto i = static_cast<std::uint32_t>(std::countr_zero(bits));
            others_.push_back({line + i, group.score_end[i] - group.score_size[i], group.score_end[i]});
        }
        line += static_cast<std::uint32_t>(group.count);
    };
    if (!take_plain_lines(text_, lines.size(), id_size, hash_seed, take_group)) return false;
    lists_.push_back({static_cast<std::uint32_t>(lines.size()), 0, line});
    return read_others();
}

bool PlainLists::read_others() {
    for (const Other& other : others_) {
        const char *const begin = text_ + other.begin, *const end = text_ + other.end;
        double value = 0;
        if ((!plain_decimal(begin, end, &value) && !any_number(begin, end, &value)) || std::isnan(value)) return false;
        scores_[other.line] = static_cast<float>(value);
    }
    return true;
}

bool PlainLists::falls(std::size_t list) const {
    const float* const scores = scores_.data() + lists_[list].line;
    std::uint32_t not_lower = 0;
    for (std::size_t i = 1, size = lines(list); i < size; ++i) not_lower += !(scores[i] < scores[i - 1]);
    return not_lower == 0;
}

PlaceFinder::Ranked PlaceFinder::ranked(const PlainLists& lists, std::size_t list, Room& room) {
    const std::size_t first = lists[list].line, size = lists.lines(list);
    if (lists.falls(list))
        return {lists.text_, &lists.documents_[first], &lists.sizes_[first], &lists.hashes_[first], size};
    entries_.clear();
    for (std::size_t i = 0; i < size; ++i) entries_.push_back(lists.entry(first + i));
    sort_entries(entries_, Order::score);
    for (std::size_t i = 0; i < size; ++i) {
        room.documents[i] = static_cast<std::uint32_t>(entries_[i].data - lists.text_);
        room.sizes[i] = entries_[i].size;
        room.hashes[i] = entries_[i].hash;
    }
    return {lists.text_, room.documents, room.sizes, room.hashes, size};
}

bool PlaceFinder::find(const PlainLists& before, std::size_t before_list, const PlainLists& after,
                       std::size_t after_list, std::uint8_t* places) {
    if (std::max(before.lines(before_list), after.lines(after_list)) > most_places) return false;
    const Ranked first = ranked(before, before_list, before_), second = ranked(after, after_list, after_);
    if (!find_places(first.hashes, first.size, second.hashes, second.size, places)) return false;
    bool same = true;  // where hashes are; without a branch on whether a document is in both lists
    for (std::size_t i = 0; i < second.size; ++i) {
        const bool is_new = places[i] == no_place;
        const std::size_t place = is_new ? 0 : places[i];
        const char *const one = first.text + first.documents[place], *const other = second.text + second.documents[i];
        const std::size_t size = second.sizes[i];
        const bool same_size = size == first.sizes[place];
        if (size <= 8) [[likely]]
            same &= is_new | (same_size & (load_bytes(one, size) == load_bytes(other, size)));
        else
            same &= is_new || (same_size && same_bytes(one, other, size));
    }
    return same;
}

}  // namespace medir
