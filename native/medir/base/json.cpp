#include "base/json.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/bytes.hpp"

namespace medir {

namespace {

constexpr std::uint64_t ones = 0x0101010101010101u, high = ones * 0x80;

// The lowest bit that is set is that of the first byte that is zero.
std::uint64_t zero_bytes(std::uint64_t word) { return (word - ones) & ~word & high; }

// The first quote, backslash or control character.
inline const char* special_in_string(const char* p) {
    for (;; p += 8) {
        const std::uint64_t word = load_word(p);
        const std::uint64_t hits =
            zero_bytes(word ^ ones * '"') | zero_bytes(word ^ ones * '\\') | ((word - ones * 0x20) & ~word & high);
        if (hits != 0) return p + (std::countr_zero(hits) >> 3);
    }
}

bool ends_scalar(char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == ',' || c == '}' || c == ']' || c == ':' || c == '"' ||
           c == '{' || c == '[';
}

void append_character(std::string& out, unsigned code) {
    const auto put = [&](unsigned byte) { out.push_back(static_cast<char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | code >> 6);
        put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        put(0xe0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    } else {
        put(0xf0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3f));
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    }
}

}  // namespace

const char* Json::read_string(const char* p, JsonToken& token) const {
    if (*p != '"') fail(p);
    token = {p + 1, nullptr, true, false};
    for (++p;;) {
        p = special_in_string(p);
        if (*p == '"') break;
        if (*p != '\\' || static_cast<unsigned char>(p[1]) < 0x20) fail(p);
        token.has_escapes = true;
        p += 2;
    }
    token.last = p;
    return p + 1;
}

const char* Json::read_scalar(const char* p, JsonToken& token) const {
    if (*p == '"') return read_string(p, token);
    token = {p, p, false, false};
    while (!ends_scalar(*token.last)) ++token.last;
    if (token.last == p) fail(p);
    return token.last;
}

const char* Json::skip_value(const char* p, std::size_t& items) const {
    items = 0;
    JsonToken token;
    if (*p != '{' && *p != '[') return read_scalar(p, token);
    std::string open;  // the brackets that are open
    std::size_t commas = 0;
    bool is_empty = true;
    for (;;) {
        const char c = *p;
        if (c == '"') {
            p = read_string(p, token);
            is_empty = false;
            continue;
        }
        if (c == '{' || c == '[') {
            is_empty = is_empty && open.empty();
            open.push_back(c);
        } else if (c == '}' || c == ']') {
            if (open.back() != (c == '}' ? '{' : '[')) fail(p);
            open.pop_back();
            if (open.empty()) break;
        } else if (c == ',') {
            commas += open.size() == 1;
        } else if (static_cast<unsigned char>(c) > ' ') {
            is_empty = false;
        } else if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
            fail(p);
        }
        ++p;
    }
    items = is_empty ? 0 : commas + 1;
    return p + 1;
}

const char* Json::expect(const char* p, char c) const {
    p = skip_space(p);
    if (*p != c) fail(p);
    return p + 1;
}

std::string_view Json::unescaped(const JsonToken& token, std::string& room) const {
    room.clear();
    for (const char* p = token.first; p < token.last;) {
        if (*p != '\\')
            room.push_back(*p++);
        else
            p = append_escape(p, room);
    }
    const std::size_t size = room.size();
    room.append(8, '\0');
    return {room.data(), size};
}

const char* Json::append_escape(const char* p, std::string& room) const {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    if (p[1] != 'u') {
        const std::size_t which = letters.find(p[1]);
        if (which == std::string_view::npos) fail(p);
        room.push_back(meanings[which]);
        return p + 2;
    }
    constexpr const char* remedy = "Write the character itself, in UTF-8, or its two code units.";
    const unsigned first = code_unit(p + 2, text_->end());
    if (first < 0xd800 || first > 0xdfff) {
        append_character(room, first);
        return p + 6;
    }
    const unsigned second = first < 0xdc00 && p[6] == '\\' && p[7] == 'u' ? code_unit(p + 8, text_->end()) : 0;
    if (second < 0xdc00 || second > 0xdfff)
        throw error(p, "the escape " + std::string(p, 6) + " is half of a character", remedy);
    append_character(room, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
    return p + 12;
}

unsigned Json::code_unit(const char* p, const char* last) const {
    unsigned code = 0;
    const char* stop = std::min(p + 4, last);
    if (std::from_chars(p, stop, code, 16).ptr != p + 4) fail(p);
    return code;
}

void Json::fail(const char* p) const {
    if (p >= text_->end()) throw error(text_->end(), "the JSON ends too early", "Write the file again.");
    throw error(p, "this is not JSON", "Fix the text at the start of what is shown.");
}

// Lines of JSON may be long: what is shown begins at the fault.
InputError Json::error(const char* p, std::string problem, std::string remedy) const {
    constexpr std::ptrdiff_t shown = 80;
    p = std::min(p, text_->end());
    const char* last = std::find(p, std::min(p + shown, text_->end()), '\n');
    return InputError(text_->name(), text_->line_number(p), std::string(p, last), std::move(problem),
                      std::move(remedy));
}

}  // namespace medir
