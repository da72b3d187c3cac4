// Checks what base/portable.hpp selects against the compiler's own 128-bit numbers, plain loops over bytes, and a file
// as it was written. Usage: portable ROUNDS [SEED]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <system_error>

#include "base/mapping.hpp"
#include "base/portable.hpp"

using namespace medir;

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s: not so\n", what);
    std::exit(1);
}

std::string words_of(auto number) {
    static_assert(sizeof number == 16);
    std::uint64_t words[2];
    std::memcpy(words, &number, sizeof words);
    return std::to_string(words[1]) + ":" + std::to_string(words[0]);
}

#if defined(__SIZEOF_INT128__)
// Numbers of any size: few bits as often as many.
__int128 random_number(std::mt19937_64& random) {
    const auto bits = static_cast<unsigned __int128>(random()) << 64 | random();
    return static_cast<__int128>(bits) >> (random() % 128);
}

Whole128 same_number(__int128 number) {
    Whole128 same;
    std::memcpy(static_cast<void*>(&same), &number, sizeof same);
    return same;
}

void check_numbers(std::mt19937_64& random) {
    const __int128 a = random_number(random), b = random_number(random);
    const Whole128 c = same_number(a), d = same_number(b);
    using Bits = unsigned __int128;  // wraps around
    require(words_of(c + d) == words_of(static_cast<Bits>(a) + static_cast<Bits>(b)), "a sum");
    require(words_of(c - d) == words_of(static_cast<Bits>(a) - static_cast<Bits>(b)), "a difference");
    require(words_of(c * d) == words_of(static_cast<Bits>(a) * static_cast<Bits>(b)), "a product");
    const auto shift = static_cast<std::size_t>(random() % 128);
    require(words_of(c << shift) == words_of(static_cast<Bits>(a) << shift), "a shift");
    const auto divisor = static_cast<std::uint32_t>(random() >> (32 + random() % 32)) | 1;
    require(words_of(c / divisor) == words_of(a / divisor), "a quotient");
    require(words_of(c % divisor) == words_of(a % divisor), "a rest");
    require((c < d) == (a < b) && (c <= d) == (a <= b) && (c == d) == (a == b) && c == same_number(a), "an order");
    require(static_cast<double>(c) == static_cast<double>(a), "a double");
    require(static_cast<std::int64_t>(c) == static_cast<std::int64_t>(a), "a word");
    const std::uint64_t e = random(), f = random();
    const Bits product = static_cast<Bits>(e) * f;
    require(folded_product(e, f) == static_cast<std::uint64_t>(product ^ product >> 64), "a folded product");
}
#else
void check_numbers(std::mt19937_64&) {}
#endif

[[maybe_unused]] std::string name_of(WordMasks) { return "words"; }
#if defined(MEDIR_SSE2)
std::string name_of(Sse2Masks) { return "SSE2"; }
#endif
#if defined(MEDIR_NEON)
std::string name_of(NeonMasks) { return "NEON"; }
#endif
#if defined(MEDIR_WIDER_VECTORS)
std::string name_of(Avx2Masks) { return "AVX2"; }
std::string name_of(Avx512Masks) { return "AVX-512"; }
#endif

void check_masks(std::mt19937_64& random) {
    char bytes[64];
    for (char& byte : bytes) byte = static_cast<char>(random() % 3 == 0 ? random() : ' ' + random() % 3);
    const char c = bytes[random() % 64], low = static_cast<char>(c & 0x7f);
    std::uint64_t equal = 0, up_to = 0;
    for (std::size_t i = 0; i < 64; ++i) {
        equal |= std::uint64_t{bytes[i] == c} << i;
        up_to |= std::uint64_t{static_cast<unsigned char>(bytes[i]) <= static_cast<unsigned char>(low)} << i;
    }
    const auto check = [&](auto masks) MEDIR_INLINE_LAMBDA {
        require(masks.equal(bytes, c) == equal, "equal bytes");
        require(masks.up_to(bytes, low) == up_to, "bytes up to one");
    };
    check(WordMasks{});
    check(Masks{});
#if defined(MEDIR_WIDER_VECTORS)
    if (widest_masks() >= MaskWidth::avx2) with_avx2(check);
#endif
    with_widest_masks(check);
}

void check_file(std::mt19937_64& random, std::size_t size) {
    const std::string path = "medir-portable-" + std::to_string(random()) + ".tmp";
    std::string content(size, '\0');
    for (char& byte : content) byte = static_cast<char>(random());
    std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(size));
    {
        const Mapping file(path);
        require(std::string(file.begin(), file.size()) == content, "a file");
        require(std::string(file.begin() + size, 64) == std::string(64, '\0'), "zeros behind a file");
    }
    std::remove(path.c_str());
    try {
        const Mapping gone(path);
        require(false, "an error about a file that is gone");
    } catch (const std::system_error& error) {
        require(error.code() == std::errc::no_such_file_or_directory, "what is wrong with a file that is gone");
    }
}

}  // namespace

int main(int count, char** arguments) {
    const long rounds = count > 1 ? std::atol(arguments[1]) : 100000;
    std::mt19937_64 random(count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1);
    for (long round = 0; round < rounds; ++round) {
        check_numbers(random);
        check_masks(random);
    }
    for (const std::size_t size : {0, 1, 63, 4095, 4096, 4097, 65536, 65537, 300000}) check_file(random, size);
    std::string widest;
    with_widest_masks([&](auto masks) { widest = name_of(masks); });
    std::printf("%ld rounds, masks of %s: numbers, bytes and files as they should be\n", rounds, widest.c_str());
}
