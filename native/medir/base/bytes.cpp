#include "base/bytes.hpp"

#include <chrono>
#include <exception>
#include <random>

namespace medir {

namespace {

// Two halves of what the system has; the clock and where the program lies where it has nothing.
std::uint64_t random_word() {
    try {
        std::random_device device;
        return std::uint64_t{device()} << 32 | device();
    } catch (const std::exception&) {
        static const char here = 0;
        const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
        return mix_hash(now, reinterpret_cast<std::uintptr_t>(&here));
    }
}

}  // namespace

HashSeed HashSeed::random() { return {random_word(), random_word() | 1, random_word() | 1}; }

HashSeed hash_seed = HashSeed::random();

}  // namespace medir
