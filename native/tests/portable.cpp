// Checks what platform/portable.hpp selects against the compiler's own 128-bit numbers, the digits of the library,
// plain loops over bytes, and a file as it was written. Usage: portable ROUNDS [SEED]
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "base/bytes.hpp"
#include "base/mapping.hpp"
#include "platform/masks.hpp"
#include "platform/places.hpp"
#include "platform/plain_digits.hpp"
#include "platform/plain_lines.hpp"
#include "platform/portable.hpp"

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

#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
std::string plain_text(double value) {
    char text[plain_room];
    char* const end = write_plain(text, value);
    return end == nullptr ? "" : std::string(text, end);
}

std::string library_text(double value) {
    char text[32];
    return {text, std::to_chars(text, std::end(text), value).ptr};
}

// A number and its neighbours, with either sign.
void check_digits_around(double value) {
    for (const double from : {-1.0, 1.0}) {
        for (const double near : {std::nextafter(value, from * 1e9), value}) {
            for (const double number : {near, -near}) {
                const bool is_plain = std::abs(number) >= 0.001 && std::abs(number) < 100000;
                require(plain_text(number) == (is_plain ? library_text(number) : ""), "the digits of a number");
            }
        }
    }
}

// Numbers of few digits and of many, of few bits and of many, and powers of two.
void check_digits(std::mt19937_64& random) {
    const auto power = [&](std::uint64_t most) { return std::pow(10.0, static_cast<double>(random() % most)); };
    check_digits_around(std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(36 + random() % 28)));
    check_digits_around(static_cast<double>(random() >> (random() % 64)) / power(20));
    check_digits_around(static_cast<double>(random() % 100000) / power(9));
    check_digits_around(std::ldexp(static_cast<double>(random() % 64), -static_cast<int>(random() % 20)));
    check_digits_around(static_cast<double>(random() % 4096) / static_cast<double>(1 + random() % 4096));
}

void check_digits_at_edges() {
    for (int exponent = -12; exponent <= 18; ++exponent) check_digits_around(std::ldexp(1.0, exponent));
    for (const double edge : {0.0, 0.001, 1.0, 10.0, 9999.0, 99999.0, 100000.0, 1e300, 5e-324})
        check_digits_around(edge);
    for (const double other : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        require(plain_text(other).empty() && plain_text(-other).empty(), "what has no digits");
}
#else
void check_digits(std::mt19937_64&) {}
void check_digits_at_edges() {}
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

std::string drawn_word(std::mt19937_64& random, const char* alphabet, std::size_t least, std::size_t most) {
    std::string word;
    const std::size_t size = least + random() % (most - least + 1), letters = std::strlen(alphabet);
    while (word.size() < size) word.push_back(alphabet[random() % letters]);
    return word;
}

// A score, mostly as programs write them; at times no short decimal.
std::string drawn_score(std::mt19937_64& random) {
    if (random() % 8 == 0) return drawn_word(random, "0123456789.-+e", 1, 12);
    const std::string digits = drawn_word(random, "0123456789", 1, 7);
    return std::string(digits).insert(random() % (digits.size() + 1), ".");
}

// Whether a token has at most eight bytes: digits, and one point.
bool is_short_decimal(const std::string& token) {
    return token.size() >= 2 && token.size() <= 8 && std::count(token.begin(), token.end(), '.') == 1 &&
           token.find_first_not_of("0123456789.") == std::string::npos;
}

struct DrawnLine {
    std::size_t document;
    std::string name, score, id = {};
    bool is_other = false;  // than the id above
};

// Runs of some queries: plain ones are taken apart as they were put together, others are refused.
void check_lines(std::mt19937_64& random) {
    const char separator = random() % 4 == 0 ? '\t' : ' ';
    std::string id = drawn_word(random, "q0123456789", 1, 20);
    const std::size_t first_size = id.size();
    std::string text;
    std::vector<DrawnLine> drawn;
    for (std::size_t left = 1 + random() % (random() % 8 == 0 ? 300 : 30); left > 0; --left) {
        const std::string name = drawn_word(random, "D0123456789#-", 1, random() % 16 == 0 ? 90 : 14);
        const std::string score = drawn_score(random), space(1, separator);
        if (!drawn.empty() && random() % 8 == 0)
            id = random() % 2 == 0 ? drawn_word(random, "q01", 1, 20) : id.substr(0, id.size() - 1) + "x";
        text += id + space + "Q0" + space;
        drawn.push_back({text.size(), name, score});
        text += name + space + std::to_string(random() % 1000) + space + score + space + "tag\n";
    }
    bool plain = true;
    if (random() % 4 == 0) {  // something that is not plain, or merely longer, somewhere
        const char* const odd[] = {"\n", " ", "\t", "\r", " x", "#", "\n#", "\x01", "y"};
        const std::string added = odd[random() % std::size(odd)];
        std::size_t at = random() % (text.size() + 1);
        if (added == "\n#") {
            at = text.rfind('\n', at) + 1;
            text.insert(at, "# a comment\n");
        } else {
            text.insert(at, added);
        }
        plain = false;
    }
    if (random() % 4 == 0) {  // the last line is not whole
        const std::size_t least = std::max(text.rfind('\n', text.size() - 2) + 1 + id.size(), first_size + 1);
        if (least < text.size()) text.resize(least + random() % (text.size() - least));
        plain = false;
    }
    const std::size_t size = text.size();
    text.append(64, 'z');  // what may be read, and must not count
    std::vector<DrawnLine> taken;
    const auto take = [&](const PlainLines& lines) {
        for (std::size_t i = 0; i < lines.count; ++i) {
            const std::string name = text.substr(lines.document[i], lines.document_size[i]);
            const std::string score = text.substr(lines.score_end[i] - lines.score_size[i], lines.score_size[i]);
            require(lines.document_hash[i] == hash_bytes(text.data() + lines.document[i], name.size()), "a hash");
            const bool is_other = (lines.other_scores >> i & 1) != 0;
            require(is_other != is_short_decimal(score), "which score is a short decimal");
            if (!is_other)
                require(lines.score[i] == static_cast<double>(std::strtof(score.c_str(), nullptr)), "a score");
            taken.push_back({lines.document[i], name, score, text.substr(lines.id[i], lines.id_size[i]),
                             (lines.other_ids >> i & 1) != 0});
        }
    };
    if (!take_plain_lines(text.data(), size, first_size, hash_seed, take)) {
        require(!plain || !has_lanes(), "plain lines are taken");
        return;
    }
    // Lines that are taken have six columns each, with the same blank between them, and no comment is among them.
    std::size_t begin = 0, line = 0;
    for (; begin < size; ++line) {
        const std::size_t end = text.find('\n', begin);
        require(end < size, "that all lines are whole");
        std::vector<std::size_t> ends;
        for (std::size_t at = begin; at <= end; ++at)
            if (at == end || text[at] == separator) ends.push_back(at);
        require(text[begin] != '#' && ends.size() == 6 && line < taken.size(), "which lines are plain");
        require(taken[line].id == text.substr(begin, ends[0] - begin), "an id");
        require(taken[line].is_other == (line == 0 || taken[line].id != taken[line - 1].id), "which ids are others");
        require(taken[line].document == ends[1] + 1, "where a document stands");
        require(taken[line].name == text.substr(ends[1] + 1, ends[2] - ends[1] - 1), "a document");
        require(taken[line].score == text.substr(ends[3] + 1, ends[4] - ends[3] - 1), "the text of a score");
        begin = end + 1;
    }
    require(line == taken.size(), "how many lines there are");
}

#if defined(MEDIR_WIDER_VECTORS)
MEDIR_AVX2 bool find_places_with_avx2(const std::uint32_t* first, std::size_t first_size, const std::uint32_t* second,
                                      std::size_t second_size, std::uint8_t* places) {
    return find_places_in<Avx2Numbers, most_places>(first, first_size, second, second_size, places);
}
#endif

void check_places(std::mt19937_64& random) {
    std::uint32_t first[most_places] = {}, second[most_places] = {};
    std::uint8_t places[most_places];
    const std::size_t first_size = 1 + random() % most_places, second_size = 1 + random() % most_places;
    const std::size_t range = random() % 4 == 0 ? 40 : 100000;  // with and without repeats
    for (std::size_t i = 0; i < first_size; ++i) first[i] = static_cast<std::uint32_t>(random() % range);
    for (std::size_t i = 0; i < second_size; ++i)
        second[i] = random() % 2 == 0 ? first[random() % first_size] : static_cast<std::uint32_t>(random() % range);
    const auto repeats = [](const std::uint32_t* numbers, std::size_t size) {
        std::vector<std::uint32_t> sorted(numbers, numbers + size);
        std::sort(sorted.begin(), sorted.end());
        return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    };
    const bool twice = repeats(first, first_size) || repeats(second, second_size);
    const auto check = [&](bool found) {
        require(!(found && twice), "a number that a list holds twice");
        for (std::size_t i = 0; found && i < second_size; ++i) {
            const auto place = static_cast<std::size_t>(std::find(first, first + first_size, second[i]) - first);
            require(places[i] == (place == first_size ? no_place : place), "a place");
        }
        return found || twice;
    };
    [[maybe_unused]] const bool fits = check(find_places(first, first_size, second, second_size, places));
#if defined(MEDIR_WIDER_VECTORS)
    if (widest_masks() == MaskWidth::usual) return;
    require(fits, "lists without repeats");
    require(check(find_places_with_avx2(first, first_size, second, second_size, places)), "lists without repeats");
#endif
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
        check_digits(random);
        check_masks(random);
        if (round % 16 == 0) check_lines(random);
        if (round % 4 == 0) check_places(random);
    }
    for (const std::size_t size : {0, 1, 63, 4095, 4096, 4097, 65536, 65537, 300000}) check_file(random, size);
    check_digits_at_edges();
    std::string widest;
    with_widest_masks([&](auto masks) { widest = name_of(masks); });
    std::printf("%ld rounds, masks of %s: numbers, digits, bytes, lines and files as they should be\n", rounds,
                widest.c_str());
}
