// Lengths of documents: what a plain reader finds, or refuses.
#include <cerrno>
#include <cmath>
#include <map>

#include "harness.hpp"
#include "lists/lengths.hpp"
#include "plain_text.hpp"

namespace medir::fuzz {

namespace {

using Words = std::map<std::string, double>;

std::optional<double> words_in(const std::string& token) {
    errno = 0;
    const auto value = number_in(token);
    const bool beyond = errno == ERANGE && (value == 0.0 || (value && std::isinf(*value)));
    if (!value || beyond || token.starts_with("+") || !(*value >= 0 && *value <= 1e12)) return {};
    return value;
}

std::optional<Words> plain_read(const std::string& text) {
    const auto rows = rows_of_columns(text, 3);
    Words words;
    if (!rows) return {};
    for (const Row& row : *rows) {
        const auto value = row.size() == 2 ? words_in(row[1]) : std::nullopt;
        if (!value || words.try_emplace(row[0], *value).first->second != *value) return {};
    }
    return words.empty() ? std::nullopt : std::optional(words);
}

Entry entry_of(const Text& id) {
    return {id.begin(), 0, static_cast<std::uint32_t>(id.size()), hash_bytes(id.begin(), id.size())};
}

}  // namespace

void try_input(std::string_view bytes) {
    const std::string text(bytes);
    const auto expected = plain_read(text);
    try {
        const Lengths lengths(Text::copy("fuzz", text), Lengths::unknown);
        require(expected.has_value(), "a refusal", text);
        require(lengths.size() == expected->size(), "the number of documents", text);
        for (const auto& [document, words] : *expected)
            require(lengths.find(entry_of(Text::copy("", document))) == words, "a length", text);
        require(std::isnan(lengths.find(entry_of(Text::copy("", "no such document")))), "no length", text);
    } catch (const InputError&) {
        require(!expected.has_value(), "a text that is in order", text);
    }
}

}  // namespace medir::fuzz
