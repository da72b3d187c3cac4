#include "shards/shards.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "base/fields.hpp"
#include "platform/portable.hpp"

namespace medir {

namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::uint64_t in_every_byte(std::uint64_t byte) { return byte * 0x0101010101010101u; }

constexpr std::uint64_t has_zero(std::uint64_t bytes) { return (bytes - in_every_byte(0x01)) & ~bytes; }

// Whether 8 bytes stand between the quotes of JSON as they are, wherever UTF-8 is read: printable ASCII, no quote and
// no backslash.
constexpr bool is_plain(std::uint64_t bytes) {
    const std::uint64_t special = has_zero(bytes ^ in_every_byte('"')) | has_zero(bytes ^ in_every_byte('\\')) |
                                  has_zero(bytes ^ in_every_byte(0x7f)) | ((bytes - in_every_byte(0x20)) & ~bytes) |
                                  bytes;
    return (special & in_every_byte(0x80)) == 0;
}

bool is_plain(std::string_view text) {
    std::uint64_t bytes = in_every_byte(' ');
    while (text.size() >= sizeof bytes) {
        std::memcpy(&bytes, text.data(), sizeof bytes);
        if (!is_plain(bytes)) return false;
        text.remove_prefix(sizeof bytes);
    }
    bytes = in_every_byte(' ');
    for (std::size_t i = 0; i < text.size(); ++i) reinterpret_cast<char*>(&bytes)[i] = text[i];
    return is_plain(bytes);
}

// Room at the end of a text; whoever fills it in says where it ends.
char* room_at_end(std::string& out, std::size_t size) {
    const std::size_t start = out.size();
    out.resize(start + size);
    return out.data() + start;
}

void end_at(std::string& out, const char* end) { out.resize(static_cast<std::size_t>(end - out.data())); }

constexpr std::size_t most_digits = 7;  // of a number of 32 bits

char* write_digits(char* to, std::uint32_t number) {
    for (; number >= 32; number >>= 5) *to++ = digits[32 + (number & 31)];
    *to++ = digits[number];
    return to;
}

void append_count(std::string& out, std::size_t number) {
    char text[20];
    out.append(text, static_cast<std::size_t>(to_chars(text, std::end(text), number).ptr - text));
}

void append_id(std::string& out, std::string_view id) {
    if (!is_plain(id)) {
        append_json(out, id);
    } else {
        out.push_back('"');
        out.append(id);
        out.push_back('"');
    }
    out.push_back(',');
}

// An id that is plain and of 8 to 16 bytes, as most are, needs no loop.
constexpr std::size_t half = sizeof(std::uint64_t), usual_room = 2 * half + 3;

// Writes such an id, with a comma behind it; another one is left to others.
char* write_usual(char* to, const Entry& entry) {
    if (entry.size < half || entry.size > 2 * half) return to;
    std::uint64_t first, last;
    std::memcpy(&first, entry.data, half);
    std::memcpy(&last, entry.data + entry.size - half, half);
    if (!is_plain(first) || !is_plain(last)) return to;
    *to++ = '"';
    std::memcpy(to, &first, half);
    std::memcpy(to + entry.size - half, &last, half);
    to += entry.size;
    *to++ = '"';
    *to++ = ',';
    return to;
}

// As it is shown.
std::uint32_t checksum_of(std::string_view id, std::string& room) {
    room.clear();
    append_text(room, id);
    return crc32(room);
}

std::size_t place_of(double value, const std::vector<double>& values) {
    const auto found = std::find(values.begin(), values.end(), value);
    if (found == values.end()) throw std::logic_error("a relevance that no grade has");
    return static_cast<std::size_t>(found - values.begin());
}

// Instead of the comma behind the last item.
void close(std::string& out) {
    if (out.back() == ',') out.pop_back();
    out.push_back(']');
}

}  // namespace

ShardWriter::ShardWriter(const std::vector<ShardMeasure>& measures, SharedBits& occurring)
    : measures_(measures), occurring_(occurring), solutions_(measures.size()) {
    for (const ShardMeasure& measure : measures)
        if (measure.kernel != nullptr) reach_ = std::max(reach_, measure.reach);
}

void ShardWriter::begin() {
    ids_.clear();
    lists_.clear();
    ids_.push_back('[');
    lists_.push_back('[');
}

Shard ShardWriter::end(std::size_t number) {
    close(ids_);
    close(lists_);
    return {number, ids_, lists_};
}

std::uint32_t ShardWriter::append(std::string_view query, const Matching& matching) {
    append_id(ids_, query);
    order(matching);
    lists_.push_back('[');
    const auto goes_on = [&](bool cut, std::size_t ranks) { return cut && ranks < reach_ ? 1u : 0u; };
    append_count(lists_, goes_on(matching.before_cut(), before_) + 2 * goes_on(matching.after_cut(), others_.size()));
    lists_.push_back(',');
    append_count(lists_, before_);
    lists_.push_back(',');
    append_count(lists_, others_.size());
    lists_.append(",\"");
    char* to = room_at_end(lists_, most_digits * documents_.size());
    for (const std::uint32_t d : documents_) to = write_digits(to, within(matching.documents()[d].after));
    end_at(lists_, to);
    lists_.append("\",\"");
    append_grades(matching);
    lists_.append("\",[");
    append_solutions(matching);
    lists_.append(",[");
    append_ids(matching);
    if (!norms_.empty() || matching.has_clusters()) lists_.append(",[").append(norms_).push_back(']');
    if (matching.has_clusters()) append_same(matching);
    lists_.append("],");
    return checksum_of(query, room_);
}

// The documents that are written, in their order.
void ShardWriter::order(const Matching& matching) {
    before_ = std::min(matching.before_size(), reach_);
    documents_.assign(before_, 0);
    others_.assign(std::min(matching.after_size(), reach_), ByteIndex::none);
    for (std::uint32_t d = 0; d < matching.documents().size(); ++d) {
        const Document& one = matching.documents()[d];
        if (within(one.before) != 0)
            documents_[one.before - 1] = d;
        else if (within(one.after) != 0)
            others_[one.after - 1] = d;
    }
    for (const std::uint32_t d : others_)
        if (d != ByteIndex::none) documents_.push_back(d);
}

void ShardWriter::append_grades(const Matching& matching) {
    const auto grade = [&](std::uint32_t d) { return matching.documents()[d].grade; };
    if (!matching.judged() || std::all_of(documents_.begin(), documents_.end(),
                                          [&](std::uint32_t d) { return grade(d) == Document::unjudged; }))
        return;
    char* to = room_at_end(lists_, most_digits * documents_.size());
    for (const std::uint32_t d : documents_) to = write_digits(to, static_cast<std::uint32_t>(grade(d) + 1));
    end_at(lists_, to);
}

void ShardWriter::append_solutions(const Matching& matching) {
    norms_.clear();
    Number number;
    for (std::size_t m = 0; m < measures_.size(); ++m) {
        const ShardMeasure& measure = measures_[m];
        if (measure.kernel == nullptr) continue;
        append_relevance(measure.values, solutions_[m].gain_relevance, matching.documents().size());
        append_relevance(measure.values, solutions_[m].loss_relevance, matching.documents().size());
        if (!measure.norm_by_query) continue;
        if (!norms_.empty()) norms_.push_back(',');
        norms_.append(number.text(measure.kernel->norm(matching)));
    }
    close(lists_);
}

void ShardWriter::append_relevance(const std::vector<double>& values, const std::vector<double>& relevance,
                                   std::size_t all) {
    const std::size_t intents = all == 0 ? 0 : relevance.size() / all;
    char* const start = room_at_end(lists_, intents * documents_.size() + 3) + 1;
    char* to = start;
    // Nearly always none or the highest, as good as at random: no branch that cannot be foreseen.
    const auto none = std::bit_cast<std::uint64_t>(values.front()), top = std::bit_cast<std::uint64_t>(values.back());
    const char letters[] = {digits[0], digits[values.size() - 1]};
    std::size_t others = 0;
    for (std::size_t intent = 0; intent < intents; ++intent)
        for (const std::uint32_t d : documents_) {
            const auto bits = std::bit_cast<std::uint64_t>(relevance[intent * all + d]);
            const std::size_t is_top = bits == top;
            *to++ = letters[is_top];
            others += 1 - (is_top | static_cast<std::size_t>(bits == none));
        }
    start[-1] = to[0] = '"';
    to[1] = ',';
    if (others == 0) return;
    to = start;
    for (std::size_t intent = 0; intent < intents; ++intent)
        for (const std::uint32_t d : documents_) *to++ = digits[place_of(relevance[intent * all + d], values)];
}

void ShardWriter::append_ids(const Matching& matching) {
    char* to = room_at_end(lists_, usual_room * documents_.size());
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        const Entry& entry = matching.entry(documents_[i]);
        char* const end = write_usual(to, entry);
        if (end != to) {
            to = end;
            continue;
        }
        end_at(lists_, to);
        append_id(lists_, matching.id(documents_[i]));
        to = room_at_end(lists_, usual_room * (documents_.size() - i - 1));
    }
    end_at(lists_, to);
    close(lists_);
    if (!occurring_.empty())
        for (const std::uint32_t d : documents_) occurring_.set(checksum_of(matching.id(d), room_));
}

void ShardWriter::append_same(const Matching& matching) {
    places_.assign(matching.documents().size(), 0);
    for (std::size_t i = 0; i < documents_.size(); ++i) places_[documents_[i]] = i;
    const auto append_place = [this](std::size_t place) {
        lists_.push_back('[');
        append_count(lists_, place);
        lists_.push_back(',');
    };
    lists_.append(",[");
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        const Entry& other = matching.entry_after(documents_[i]);
        if (within(matching.documents()[documents_[i]].after) == 0) continue;
        if (matching.entry(documents_[i]).same_document(other)) continue;
        append_place(i);
        append_id(lists_, other.document());
        close(lists_);
        lists_.push_back(',');
        if (!occurring_.empty()) occurring_.set(checksum_of(other.document(), room_));
    }
    close(lists_);
    lists_.append(",[");
    for (std::size_t i = 0; i < documents_.size(); ++i) {
        if (!matching.is_repeat(documents_[i])) continue;
        append_place(i);
        append_count(lists_, places_[matching.repeated(documents_[i])]);
        lists_.append("],");
    }
    close(lists_);
}

}  // namespace medir
