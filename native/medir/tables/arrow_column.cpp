#include "tables/arrow_column.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "platform/portable.hpp"

namespace medir {

namespace {

constexpr std::size_t margin = 7;              // bytes that are read behind a text
constexpr std::size_t view_size = 16;          // of a text view
constexpr std::size_t longest_kept = 1 << 12;  // bytes of the end of a buffer
constexpr std::size_t inline_size = 12;        // a text view holds texts up to this size
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class Value>
Value load(const char* p) {
    Value value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

bool bit(const std::uint8_t* bits, std::size_t i) { return (bits[i / 8] >> (i % 8)) & 1; }

double half(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == 0x1f) return fraction != 0 ? not_a_number : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(1024 + fraction, exponent - 25);
}

// The number that a text is, and nothing else.
double parsed(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [stop, problem] = from_chars(text.data(), text.data() + text.size(), value);
    return stop == text.data() + text.size() && problem == std::errc{} && !text.empty() ? value : not_a_number;
}

}  // namespace

ArrowColumn::ArrowColumn(const ArrowSchema& schema, const ArrowArray& array, std::size_t skipped, std::size_t rows)
    : type_(schema), size_(rows), first_(static_cast<std::size_t>(array.offset) + skipped), tail_(rows) {
    const auto buffer = [&](std::int64_t i) {
        return i < array.n_buffers ? static_cast<const char*>(array.buffers[i]) : nullptr;
    };
    if (array.null_count != 0 && type_.kind != ColumnKind::nothing)
        valid_ = reinterpret_cast<const std::uint8_t*>(buffer(0));
    values_ = buffer(1);
    if (array.dictionary != nullptr && type_.kind != ColumnKind::unknown) {
        number_size_ = size_of(type_.number);
        values_ += first_ * number_size_;
        dictionary_ = std::make_unique<ArrowColumn>(*schema.dictionary, *array.dictionary, 0,
                                                    static_cast<std::size_t>(array.dictionary->length));
        return;
    }
    switch (type_.kind) {
        case ColumnKind::text:
            values_ += first_ * sizeof(std::int32_t);
            bytes_ = buffer(2);
            keep_tail(rows);
            break;
        case ColumnKind::large_text:
            values_ += first_ * sizeof(std::int64_t);
            bytes_ = buffer(2);
            keep_tail(rows);
            break;
        case ColumnKind::text_view:
            values_ += first_ * view_size;
            buffers_ = array.buffers + 2;
            sizes_ = buffer(array.n_buffers - 1);
            keep_tail_of_views(static_cast<std::size_t>(array.n_buffers) - 3);
            break;
        case ColumnKind::fixed_text:
            bytes_ = values_ + first_ * type_.width;
            keep_tail(rows);
            break;
        case ColumnKind::whole:
            number_size_ = size_of(type_.number);
            break;
        case ColumnKind::half:
            number_size_ = 2;
            break;
        case ColumnKind::single:
            number_size_ = 4;
            break;
        case ColumnKind::real:
            number_size_ = 8;
            break;
        case ColumnKind::decimal:
            number_size_ = type_.width;
            break;
        case ColumnKind::list:
            number_size_ = 4;
            break;
        case ColumnKind::large_list:
            number_size_ = 8;
            break;
        case ColumnKind::list_view:
            number_size_ = 4;
            sizes_ = buffer(2) + first_ * 4;
            break;
        case ColumnKind::large_list_view:
            number_size_ = 8;
            sizes_ = buffer(2) + first_ * 8;
            break;
        default:
            break;
    }
    if (type_.is_number() || type_.is_list()) values_ = values_ == nullptr ? nullptr : values_ + first_ * number_size_;
    if (type_.is_list())
        elements_ = std::make_unique<ArrowColumn>(*schema.children[0], *array.children[0], 0,
                                                  static_cast<std::size_t>(array.children[0]->length));
}

template <class Offset>
Offset ArrowColumn::offset(std::size_t row) const {
    return load<Offset>(values_ + row * sizeof(Offset));
}

void ArrowColumn::keep_tail(std::size_t rows) {
    if (rows == 0) return;
    const auto end_of = [&](std::size_t row) -> std::uint64_t {
        if (type_.kind == ColumnKind::text) return static_cast<std::uint32_t>(offset<std::int32_t>(row + 1));
        if (type_.kind == ColumnKind::large_text) return static_cast<std::uint64_t>(offset<std::int64_t>(row + 1));
        return (row + 1) * type_.width;
    };
    const std::uint64_t end = end_of(rows - 1);
    std::size_t low = 0, high = rows;
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        if (end_of(middle) + margin > end)
            high = middle;
        else
            low = middle + 1;
    }
    tail_ = low;
    if (low > 0)
        tail_offset_ = end_of(low - 1);
    else
        tail_offset_ = type_.kind == ColumnKind::text         ? static_cast<std::uint32_t>(offset<std::int32_t>(0))
                       : type_.kind == ColumnKind::large_text ? static_cast<std::uint64_t>(offset<std::int64_t>(0))
                                                              : 0;
    if (end > tail_offset_) tail_bytes_.assign(bytes_ + tail_offset_, bytes_ + end);
    tail_bytes_.resize(tail_bytes_.size() + margin + 1, '\0');
}

void ArrowColumn::keep_tail_of_views(std::size_t count) {
    for (std::size_t number = 0; number < count; ++number) {
        const auto size = static_cast<std::size_t>(load<std::int64_t>(sizes_ + 8 * number));
        const std::size_t kept = std::min(size, longest_kept);
        const auto* bytes = static_cast<const char*>(buffers_[number]);
        auto& tail = view_tails_.emplace_back();
        if (kept > 0) tail.assign(bytes + size - kept, bytes + size);
        tail.resize(kept + margin, '\0');
    }
    if (size_ > 0) tail_bytes_.assign(values_ + (size_ - 1) * view_size, values_ + size_ * view_size);
    tail_bytes_.resize(tail_bytes_.size() + margin, '\0');
}

bool ArrowColumn::is_null(std::size_t row) const {
    if (type_.kind == ColumnKind::nothing) return true;
    return (valid_ != nullptr && !bit(valid_, first_ + row)) ||
           (dictionary_ != nullptr && dictionary_->valid_ != nullptr && dictionary_->is_null(code(row)));
}

std::size_t ArrowColumn::first_null(std::size_t first, std::size_t last) const {
    const bool none = valid_ == nullptr && type_.kind != ColumnKind::nothing &&
                      (dictionary_ == nullptr || dictionary_->valid_ == nullptr);
    if (none) return last;
    while (first < last && !is_null(first)) ++first;
    return first;
}

std::string_view ArrowColumn::view(std::size_t row) const {
    const char* const at = row + 1 == size_ ? tail_bytes_.data() : values_ + row * view_size;
    const auto size = load<std::uint32_t>(at);
    if (size <= inline_size) return {at + 4, size};
    const auto number = load<std::uint32_t>(at + 8), start = load<std::uint32_t>(at + 12);
    const auto end = static_cast<std::uint64_t>(load<std::int64_t>(sizes_ + std::size_t{8} * number));
    const auto* bytes = static_cast<const char*>(buffers_[number]);
    if (std::uint64_t{start} + size + margin <= end) return {bytes + start, size};
    const std::vector<char>& tail = view_tails_[number];
    if (end - start <= longest_kept) return {tail.data() + (tail.size() - margin - (end - start)), size};
    return long_text({bytes + start, size});
}

std::string_view ArrowColumn::long_text(std::string_view text) const {
    const std::scoped_lock lock(long_texts_->guard);
    std::string& kept = long_texts_->by_place[text.data()];
    if (kept.empty()) {
        kept.reserve(text.size() + margin);
        kept.assign(text);
    }
    return kept;
}

std::string_view ArrowColumn::text(std::size_t row) const {
    if (dictionary_ != nullptr) return dictionary_->text(code(row));
    const auto between = [&](std::uint64_t first, std::uint64_t last) -> std::string_view {
        if (row >= tail_) return {tail_bytes_.data() + (first - tail_offset_), last - first};
        return {bytes_ + first, last - first};
    };
    switch (type_.kind) {
        case ColumnKind::text:
            return between(static_cast<std::uint32_t>(offset<std::int32_t>(row)),
                           static_cast<std::uint32_t>(offset<std::int32_t>(row + 1)));
        case ColumnKind::large_text:
            return between(static_cast<std::uint64_t>(offset<std::int64_t>(row)),
                           static_cast<std::uint64_t>(offset<std::int64_t>(row + 1)));
        case ColumnKind::fixed_text:
            return between(row * type_.width, (row + 1) * type_.width);
        case ColumnKind::text_view:
            return view(row);
        default:
            return {};
    }
}

std::size_t ArrowColumn::code(std::size_t row) const {
    return static_cast<std::size_t>(load_number(whole(row), type_.number));
}

double ArrowColumn::decimal(std::size_t row) const {
    const char* const at = whole(row);
    Whole unscaled = type_.width == 4   ? Whole{load<std::int32_t>(at)}
                     : type_.width == 8 ? Whole{load<std::int64_t>(at)}
                                        : load<Whole>(at);
    // By way of its digits, so that it is the double nearest to the decimal.
    std::string digits;
    const bool negative = unscaled < 0;
    do {
        const int digit = static_cast<int>(unscaled % 10);
        digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
        unscaled = unscaled / 10;
    } while (unscaled != 0);
    if (negative) digits.push_back('-');
    std::reverse(digits.begin(), digits.end());
    return parsed(digits + "e" + std::to_string(-type_.scale));
}

double ArrowColumn::number(std::size_t row) const {
    const auto at = [&] { return whole(row); };
    switch (type_.kind) {
        case ColumnKind::whole:
            return dictionary_ != nullptr ? dictionary_->number(code(row))
                                          : static_cast<double>(load_number(at(), type_.number));
        case ColumnKind::half:
            return half(load<std::uint16_t>(at()));
        case ColumnKind::single:
            return load<float>(at());
        case ColumnKind::real:
            return load<double>(at());
        case ColumnKind::decimal:
            return decimal(row);
        case ColumnKind::boolean:
            return bit(reinterpret_cast<const std::uint8_t*>(values_), first_ + row) ? 1 : 0;
        default:
            return type_.is_text() ? parsed(text(row)) : not_a_number;
    }
}

bool ArrowColumn::same_text_or_number(std::size_t row, std::size_t other) const {
    if (number_size_ != 0) return std::memcmp(whole(row), whole(other), number_size_) == 0;
    if (type_.kind == ColumnKind::text_view) {
        const char *const one = values_ + row * view_size, *const two = values_ + other * view_size;
        const auto start = load<std::uint64_t>(one);  // the size and the first bytes
        if (start != load<std::uint64_t>(two)) return false;
        if (load<std::uint64_t>(one + 8) == load<std::uint64_t>(two + 8)) return true;
        if (static_cast<std::uint32_t>(start) <= inline_size) return false;
    }
    return text(row) == text(other);
}

ArrowColumn::Range ArrowColumn::list(std::size_t row) const {
    const auto range = [](auto first, auto last) {
        return Range{static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
    };
    switch (type_.kind) {
        case ColumnKind::list:
            return range(offset<std::int32_t>(row), offset<std::int32_t>(row + 1));
        case ColumnKind::large_list:
            return range(offset<std::int64_t>(row), offset<std::int64_t>(row + 1));
        case ColumnKind::list_view: {
            const auto first = offset<std::int32_t>(row);
            return range(first, first + load<std::int32_t>(sizes_ + row * 4));
        }
        case ColumnKind::large_list_view: {
            const auto first = offset<std::int64_t>(row);
            return range(first, first + load<std::int64_t>(sizes_ + row * 8));
        }
        default:
            return {(first_ + row) * type_.width, (first_ + row + 1) * type_.width};
    }
}

}  // namespace medir
