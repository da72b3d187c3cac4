#include "lists/entry.hpp"

#include <limits>

namespace medir {

std::string decimal(Whole number) {
    char digits[24];
    const bool fits = number <= std::numeric_limits<std::int64_t>::max();
    const auto end = fits ? to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(number)).ptr
                          : to_chars(digits, digits + sizeof digits, static_cast<std::uint64_t>(number)).ptr;
    return {digits, end};
}

std::optional<Whole> number_of(std::string_view text) {
    const bool negative = text.starts_with('-');
    const std::string_view digits = text.substr(negative ? 1 : 0);
    if (digits.empty() || digits.size() > 20 || (digits[0] == '0' && text.size() > 1)) return std::nullopt;
    Whole number = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') return std::nullopt;
        number = 10 * number + (c - '0');
    }
    if (negative) number = -number;
    const bool fits =
        number >= std::numeric_limits<std::int64_t>::min() && number <= std::numeric_limits<std::uint64_t>::max();
    return fits ? std::optional(number) : std::nullopt;
}

namespace {

// The digits of a number, with room behind them: what is hashed is read in words.
class Digits {
public:
    explicit Digits(Whole number) : size_(decimal(number).copy(padded_, sizeof padded_)) {}
    operator std::string_view() const { return {padded_, size_}; }

private:
    char padded_[32] = {};
    std::size_t size_;
};

}  // namespace

std::uint32_t Entry::text_hash() const { return is_number() ? hash_bytes(Digits(number())) : hash_bytes(bytes()); }

std::uint32_t Entry::text_digest() const {
    return is_number() ? digest_bytes(Digits(number())) : digest_bytes(bytes());
}

bool Entry::same_number(const Entry& other) const {
    const auto value_of = [](const Entry& entry) {
        return entry.is_number() ? std::optional(entry.number()) : number_of(entry.bytes());
    };
    return value_of(*this) == value_of(other);
}

bool greater_id(const Entry& first, const Entry& second) {
    if (!first.is_number() && !second.is_number()) return first.bytes() > second.bytes();
    return first.document() > second.document();
}

void hash_as_numbers(std::vector<Entry>& entries) {
    for (Entry& entry : entries) entry.hash_as_number();
}

}  // namespace medir
