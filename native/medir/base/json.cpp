#include "base/json.hpp"

#include <algorithm>
#include <array>

#include "platform/portable.hpp"

namespace medir {

namespace {

// What matters between the brackets of a value, and what must not be there.
constexpr auto is_structure = [] {
    std::array<bool, 256> found{};
    for (const char c : {'"', '{', '}', '[', ']', ','}) found[static_cast<unsigned char>(c)] = true;
    for (std::size_t c = 0; c < ' '; ++c) found[c] = c != '\t' && c != '\n' && c != '\r';
    return found;
}();

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
        p = string_stop(p);
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
    std::string open(1, *p);  // the brackets that are open
    const char* first = skip_space(p + 1);
    const bool is_empty = *first == '}' || *first == ']';
    std::size_t commas = 0;
    for (++p;; ++p) {
        while (!is_structure[static_cast<unsigned char>(*p)]) ++p;
        const char c = *p;
        if (c == '"') {
            p = read_string(p, token) - 1;
        } else if (c == '{' || c == '[') {
            open.push_back(c);
        } else if (c == '}' || c == ']') {
            if (open.back() != (c == '}' ? '{' : '[')) fail(p);
            open.pop_back();
            if (open.empty()) break;
        } else if (c == ',') {
            commas += open.size() == 1;
        } else {
            fail(p);
        }
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
    if (from_chars(p, stop, code, 16).ptr != p + 4) fail(p);
    return code;
}

void Json::fail(const char* p) const {
    if (p >= text_->end()) throw error(text_->end(), "the JSON ends too early", "Write the file again.");
    throw error(p, "this is not JSON", "Fix the text at the start of what is shown.");
}

// Lines of JSON may be long: what is shown begins at the fault.
InputError Json::error(const char* p, std::string problem, std::string remedy) const {
    constexpr std::ptrdiff_t shown = 80;
    text_->check();
    p = std::min(p, text_->end());
    const char* last = std::find(p, std::min(p + shown, text_->end()), '\n');
    return InputError(text_->name(), text_->line_number(p), std::string(p, last), std::move(problem),
                      std::move(remedy));
}

}  // namespace medir
