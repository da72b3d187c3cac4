// JSON as it stands in text: where its values begin and end, and what its strings say.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/text.hpp"

namespace medir {

// A string or another scalar, as it stands in the text.
struct JsonToken {
    const char *first = nullptr, *last = nullptr;  // without the quotes
    bool is_string = false, has_escapes = false;

    std::string_view text() const { return {first, last}; }
};

// Every function is given where to begin and returns where it stopped. The end of the text is a byte of zero, which is
// no part of JSON, so that nothing looks beyond it.
class Json {
public:
    explicit Json(const Text& text) : text_(&text) {}

    // The next byte that is no white space. Within lines, a line break is the end.
    static const char* skip_space(const char* p) {
        while (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n') ++p;
        return p;
    }
    static const char* skip_blanks_of_line(const char* p) {
        while (*p == ' ' || *p == '\t' || *p == '\r') ++p;
        return p;
    }
    // The first quote, backslash or control character.
    static const char* string_stop(const char* p) {
        constexpr std::uint64_t ones = 0x0101010101010101u, high = ones * 0x80;
        // The lowest bit that is set is that of the first byte that is zero.
        const auto zero_bytes = [](std::uint64_t word) { return (word - ones) & ~word & high; };
        for (;; p += 8) {
            const std::uint64_t word = load_word(p);
            const std::uint64_t hits =
                zero_bytes(word ^ ones * '"') | zero_bytes(word ^ ones * '\\') | ((word - ones * 0x20) & ~word & high);
            if (hits != 0) return p + (std::countr_zero(hits) >> 3);
        }
    }
    static bool ends_scalar(char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == ',' || c == '}' || c == ']' || c == ':' || c == '"' ||
               c == '{' || c == '[';
    }
    // A string, a number or a word.
    const char* read_scalar(const char* p, JsonToken& token) const;
    const char* read_string(const char* p, JsonToken& token) const;
    // Any value. `items` is how many members or elements it has, 0 for a scalar.
    const char* skip_value(const char* p, std::size_t& items) const;
    // Expects a character behind white space.
    const char* expect(const char* p, char c) const;
    // Calls member(key, p) for each member of an object; it returns where the value ends.
    template <class Member>
    const char* read_object(const char* p, Member member) const {
        p = skip_space(expect(p, '{'));
        if (*p == '}') return p + 1;
        for (;; ++p) {
            JsonToken key;
            p = read_string(skip_space(p), key);
            p = skip_space(member(key, skip_space(expect(p, ':'))));
            if (*p == '}') return p + 1;
            if (*p != ',') fail(p);
        }
    }
    // Calls element(p) for each element of an array; it returns where the value ends.
    template <class Element>
    const char* read_array(const char* p, Element element) const {
        p = skip_space(expect(p, '['));
        if (*p == ']') return p + 1;
        for (;; ++p) {
            p = skip_space(element(skip_space(p)));
            if (*p == ']') return p + 1;
            if (*p != ',') fail(p);
        }
    }
    // What a string with escapes says, and bytes behind it that can be read.
    std::string_view unescaped(const JsonToken& token, std::string& room) const;
    // That there is no JSON at p.
    [[noreturn]] void fail(const char* p) const;
    InputError error(const char* p, std::string problem, std::string remedy) const;

private:
    const char* append_escape(const char* p, std::string& room) const;
    unsigned code_unit(const char* p, const char* last) const;

    const Text* text_;
};

}  // namespace medir
