#include "base/fields.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

namespace medir {

namespace {

// How many bytes a character of UTF-8 has at the start of the text; 0 where there is none.
std::size_t character_size(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4 || !continues(1)) return 0;
    if (first < 0xe0) return 2;
    if (!continues(2)) return 0;
    if (first == 0xe0 && second < 0xa0) return 0;  // would fit into fewer bytes
    if (first == 0xed && second > 0x9f) return 0;  // a surrogate
    if (first < 0xf0) return 3;
    if (first == 0xf0 && second < 0x90) return 0;
    if (first == 0xf4 && second > 0x8f) return 0;  // beyond the last character
    return continues(3) ? 4 : 0;
}

// Whether a spreadsheet may run a cell: it begins with = + - @, also in full width, or with a tab or line break.
bool is_formula(std::string_view text) {
    static constexpr std::string_view starts[] = {
        "=", "+", "-", "@", "\t", "\r", "\n", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
    return std::any_of(std::begin(starts), std::end(starts),
                       [text](std::string_view start) { return text.starts_with(start); });
}

// Whether one of the eight bytes from p is one of these.
bool has_byte(const char* p, std::span<const char> bytes) {
    constexpr std::uint64_t ones = 0x0101010101010101u;
    std::uint64_t word, zeros = 0;  // a byte of zero is where it was one of them
    std::memcpy(&word, p, sizeof word);
    for (const char byte : bytes) {
        const std::uint64_t other = word ^ ones * static_cast<unsigned char>(byte);
        zeros |= (other - ones) & ~other;
    }
    return (zeros & (ones << 7)) != 0;
}

void append_escaped(std::string& out, const char* format, char c) {
    char code[8];
    std::snprintf(code, sizeof code, format, static_cast<unsigned>(static_cast<unsigned char>(c)));
    out.append(code);
}

}  // namespace

void GrowingText::grow(std::size_t room) {
    const std::size_t capacity = std::max(2 * capacity_, size_ + room);
    std::unique_ptr<char[]> bytes(new char[capacity]);  // not filled with zeros
    if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
}

bool is_plain_field(std::string_view text, const RowLayout& layout) {
    if (text.empty() || (layout.spreadsheet && is_formula(text))) return false;
    const char specials[] = {layout.delimiter(), '"', '\n', '\r'};
    constexpr std::size_t together = 8;
    const char* const last = text.data() + text.size();
    const char* p = text.data();
    for (; last - p >= std::ptrdiff_t{together}; p += together)
        if (has_byte(p, specials)) return false;
    if (text.size() >= together) return p == last || !has_byte(last - together, specials);
    return std::none_of(p, last, [&](char c) { return std::ranges::find(specials, c) != std::end(specials); });
}

void append_field(std::string& out, std::string_view text, const RowLayout& layout) {
    if (is_plain_field(text, layout)) {
        out.append(text);
        return;
    }
    out.push_back('"');
    if (layout.spreadsheet && is_formula(text)) out.push_back('\'');
    for (const char c : text) {
        if (c == '"') out.push_back('"');
        out.push_back(c);
    }
    out.push_back('"');
}

void append_json(std::string& out, std::string_view text) {
    out.push_back('"');
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        const char c = text.front();
        if (size == 0) {
            append_escaped(out, "\\\\x%02x", c);
        } else if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (static_cast<unsigned char>(c) < 0x20) {
            append_escaped(out, "\\u%04x", c);
        } else {
            out.append(text.substr(0, size));
        }
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    out.push_back('"');
}

void append_text(std::string& out, std::string_view text) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (std::all_of(text.begin(), text.end(), is_ascii)) {
        out.append(text);
        return;
    }
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        if (size == 0)
            append_escaped(out, "\\x%02x", text.front());
        else
            out.append(text.substr(0, size));
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
}

}  // namespace medir
