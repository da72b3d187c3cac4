// Different texts, numbered in the order in which they come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/index.hpp"

namespace medir {

class NumberedTexts {
public:
    std::uint32_t number(std::string_view text) {
        const std::uint32_t hash = hash_bytes(text);
        if (2 * hashes_.size() >= room_) grow();
        const auto next = static_cast<std::uint32_t>(texts_.size());
        const auto known = index_.find_or_add(hash, next, [&](std::uint32_t i) { return texts_[i] == text; });
        if (known != ByteIndex::none) return known;
        texts_.emplace_back(text);
        hashes_.push_back(hash);
        return next;
    }

    std::vector<std::string> texts() && { return std::move(texts_); }

private:
    void grow() {
        room_ = std::max<std::size_t>(4 * hashes_.size(), 64);
        index_.reset(room_);
        for (std::uint32_t i = 0; i < hashes_.size(); ++i)
            index_.find_or_add(hashes_[i], i, [](std::uint32_t) { return false; });
    }

    std::vector<std::string> texts_;
    std::vector<std::uint32_t> hashes_;
    ByteIndex index_;
    std::size_t room_ = 0;
};

}  // namespace medir
