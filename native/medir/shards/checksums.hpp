// Checksums of ids, by which files and bits are found.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace medir {

// As zlib has it.
std::uint32_t crc32(std::string_view bytes);

// Bits that many threads set.
class SharedBits {
public:
    // A power of two, at most 2^31; or none.
    explicit SharedBits(std::size_t bits);
    SharedBits(const SharedBits&) = delete;
    SharedBits(SharedBits&&) = default;

    bool empty() const { return words_.empty(); }
    // By the highest bits of a checksum.
    void set(std::uint32_t checksum);
    void copy_to(std::uint32_t* words) const;

private:
    std::vector<std::atomic<std::uint32_t>> words_;
    int shift_;
};

}  // namespace medir
