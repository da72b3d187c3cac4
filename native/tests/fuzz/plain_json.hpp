// JSON, strictly as its standard has it, except that strings may hold bytes that are no UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace medir::fuzz {

struct JsonMember;

struct JsonValue {
    enum class Kind { object, array, string, number, word } kind;
    std::string text;                 // of scalars
    std::vector<JsonMember> members;  // of objects and arrays
};

struct JsonMember {
    std::string key;  // as it is spelt; empty in an array
    JsonValue value;
};

class PlainJson {
public:
    explicit PlainJson(std::string_view text) : text_(text) {}

    // The value that is all of the text.
    std::optional<JsonValue> read() {
        auto value = read_value();
        skip();
        return value && at_ == text_.size() ? value : std::nullopt;
    }
    // What a string says whose spelling, without quotes, is this; nothing where an escape is wrong.
    static std::optional<std::string> said(std::string_view spelt) {
        std::string text;
        for (std::size_t i = 0; i < spelt.size(); ++i) {
            if (spelt[i] != '\\') {
                text += spelt[i];
                continue;
            }
            const std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
            if (++i >= spelt.size()) return {};
            if (const auto which = letters.find(spelt[i]); which != std::string_view::npos) {
                text += meanings[which];
            } else if (!add_character(spelt, i, text)) {
                return {};
            }
        }
        return text;
    }

private:
    using Value = std::optional<JsonValue>;

    static std::optional<std::uint32_t> unit(std::string_view spelt, std::size_t at) {
        if (at + 5 > spelt.size() || spelt[at] != 'u') return {};
        std::uint32_t code = 0;
        for (const char c : spelt.substr(at + 1, 4)) {
            const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(c);
            if (digit == std::string_view::npos) return {};
            code = code * 16 + static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
        }
        return code;
    }
    // The character whose escape has its letter at `at`, which moves to the end of it.
    static bool add_character(std::string_view spelt, std::size_t& at, std::string& text) {
        auto code = unit(spelt, at);
        if (!code) return false;
        at += 4;
        if (*code >= 0xd800 && *code < 0xe000) {
            const auto second = spelt.substr(at + 1, 1) == "\\" ? unit(spelt, at + 2) : std::nullopt;
            if (*code >= 0xdc00 || !second || *second < 0xdc00 || *second >= 0xe000) return false;
            code = 0x10000 + (*code - 0xd800) * 0x400 + (*second - 0xdc00);
            at += 6;
        }
        constexpr std::uint32_t limits[] = {0x80, 0x800, 0x10000}, marks[] = {0, 0xc0, 0xe0, 0xf0};
        std::size_t more = 0;  // bytes behind the first
        while (more < 3 && *code >= limits[more]) ++more;
        text += static_cast<char>(marks[more] | *code >> 6 * more);
        while (more-- > 0) text += static_cast<char>(0x80 | (*code >> 6 * more & 0x3f));
        return true;
    }

    void skip() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }
    bool take(char c) {
        skip();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    std::optional<std::string> read_string() {
        if (!take('"')) return {};
        const std::size_t first = at_;
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (static_cast<unsigned char>(text_[at_]) < 0x20) return {};
            if (text_[at_] == '\\') ++at_;
        }
        if (at_ >= text_.size()) return {};
        const std::string_view spelt = text_.substr(first, at_++ - first);
        return said(spelt) ? std::optional(std::string(spelt)) : std::nullopt;
    }
    Value read_members(char end) {
        JsonValue value{end == '}' ? JsonValue::Kind::object : JsonValue::Kind::array, "", {}};
        if (take(end)) return value;
        do {
            std::string key;
            if (end == '}') {
                const auto spelt = read_string();
                if (!spelt || !take(':')) return {};
                key = *spelt;
            }
            const auto member = read_value();
            if (!member) return {};
            value.members.push_back({key, *member});
        } while (take(','));
        return take(end) ? Value(value) : std::nullopt;
    }
    Value read_value() {
        if (take('{')) return read_members('}');
        if (take('[')) return read_members(']');
        if (at_ < text_.size() && text_[at_] == '"') {
            const auto spelt = read_string();
            return spelt ? Value({JsonValue::Kind::string, *spelt, {}}) : std::nullopt;
        }
        for (const std::string_view word : {"true", "false", "null"})
            if (text_.substr(at_).starts_with(word)) {
                at_ += word.size();
                return JsonValue{JsonValue::Kind::word, std::string(word), {}};
            }
        return read_number();
    }
    std::size_t digits() {
        const std::size_t first = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
        return at_ - first;
    }
    bool at_one_of(std::string_view characters) const {
        return at_ < text_.size() && characters.find(text_[at_]) != std::string_view::npos;
    }
    Value read_number() {
        const std::size_t first = at_;
        if (at_one_of("-")) ++at_;
        const bool zero = at_one_of("0");
        const std::size_t whole = digits();
        if (whole == 0 || (zero && whole > 1)) return {};
        if (at_one_of(".")) {
            ++at_;
            if (digits() == 0) return {};
        }
        if (at_one_of("eE")) {
            ++at_;
            if (at_one_of("+-")) ++at_;
            if (digits() == 0) return {};
        }
        return JsonValue{JsonValue::Kind::number, std::string(text_.substr(first, at_ - first)), {}};
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// The id that a value is: text, or a whole number.
inline std::optional<std::string> id_in(const JsonValue& value) {
    if (value.kind == JsonValue::Kind::string) return PlainJson::said(value.text);
    const bool whole = value.kind == JsonValue::Kind::number && value.text.find_first_of(".eE") == std::string::npos;
    return whole ? std::optional(value.text) : std::nullopt;
}

}  // namespace medir::fuzz
