#include "shards/checksums.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace medir {

namespace {

constexpr std::array<std::uint32_t, 256> crc_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320u : 0u);
        table[i] = value;
    }
    return table;
}

constexpr auto crc_of_byte = crc_table();

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t value = 0xffffffffu;
    for (const char c : bytes) value = (value >> 8) ^ crc_of_byte[(value ^ static_cast<unsigned char>(c)) & 0xffu];
    return value ^ 0xffffffffu;
}

SharedBits::SharedBits(std::size_t bits) : words_(bits / 32), shift_(bits == 0 ? 0 : 32 - std::countr_zero(bits)) {}

void SharedBits::set(std::uint32_t checksum) {
    const std::uint32_t bit = checksum >> shift_, mask = 1u << (bit % 32);
    auto& word = words_[bit / 32];
    if ((word.load(std::memory_order_relaxed) & mask) == 0) word.fetch_or(mask, std::memory_order_relaxed);
}

void SharedBits::copy_to(std::uint32_t* words) const {
    std::transform(words_.begin(), words_.end(), words, [](const auto& word) { return word.load(); });
}

}  // namespace medir
