// From bytes to a number: an open-addressing table of 32-bit hashes; who uses it keeps the bytes and compares them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/portable.hpp"

namespace medir {

class ByteIndex {
public:
    static constexpr std::uint32_t none = 0xffffffffu;

    // Empties the table and makes room for `count` entries.
    void reset(std::size_t count) {
        const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(2 * count, 16));
        slots_.assign(capacity, Slot{0, none});
        mask_ = capacity - 1;
    }

    void prefetch(std::uint32_t hash) const { medir::prefetch(&slots_[hash & mask_]); }

    // The entry for which same(entry) holds, or none.
    template <class Same>
    std::uint32_t find(std::uint32_t hash, Same same) const {
        for (std::size_t at = hash & mask_; slots_[at].entry != none; at = (at + 1) & mask_)
            if (slots_[at].hash == hash && same(slots_[at].entry)) return slots_[at].entry;
        return none;
    }

    // As find; where there is no such entry, `entry` is added and none returned.
    template <class Same>
    std::uint32_t find_or_add(std::uint32_t hash, std::uint32_t entry, Same same) {
        std::size_t at = hash & mask_;
        for (; slots_[at].entry != none; at = (at + 1) & mask_)
            if (slots_[at].hash == hash && same(slots_[at].entry)) return slots_[at].entry;
        slots_[at] = Slot{hash, entry};
        return none;
    }

private:
    struct Slot {
        std::uint32_t hash, entry;
    };
    std::vector<Slot> slots_ = std::vector<Slot>(16, Slot{0, none});
    std::size_t mask_ = 15;
};

}  // namespace medir
